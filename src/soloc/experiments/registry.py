"""All experiments, in the order in which a reader meets them."""

from soloc.experiments.experiment import Experiment

EXPERIMENTS: tuple[Experiment, ...] = ()
