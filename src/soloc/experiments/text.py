"""The optional chapter on text, in the order of the story."""

from soloc.experiments import text_decisive, text_heads, text_probing

TEXT_EXPERIMENTS = (*text_decisive.EXPERIMENTS, text_probing.EXPERIMENT, text_heads.EXPERIMENT)
