"""View 5, one sequence: where the decisive token is, where attention looks, what Bayes believes,
and who guesses best.
"""

import jax
import numpy as np
from pydantic import Field

from soloc.lab.body import Body
from soloc.lab.controls import Controls, Draw
from soloc.lab.figures.sequence import SHOWN, sequence_figure, shown_tokens
from soloc.lab.lines import imports_of
from soloc.lab.panel import Panel, full, number
from soloc.lab.training import TAB, Start
from soloc.lab.view import Look, View
from soloc.risk.one_sequence import LONGEST, OneSequence, one_sequence
from soloc.risk.overlaps import NAMES, Overlaps
from soloc.tasks.single_location import SingleLocation

_TRUTH = Start(kappa=1.0, nu=1.0)


class SequenceAsk(Body):
    """A setting, where key and value are in training, and which sequence."""

    setting: Controls = Controls()
    at: Start | None = Field(default=None, description="without it, k = k* and v = v*")
    draw: Draw = 0


def sequence_panel(ask: SequenceAsk) -> Panel:
    """One sampled sequence: attention weights at a point of training, the Bayes posterior, guesses
    and the answer.
    """
    setting = ask.setting
    if setting.L > LONGEST:
        setting = setting.model_copy(update={"L": LONGEST})
    at = ask.at or _TRUTH
    overlaps = Overlaps(*(getattr(at, name) for name in NAMES))
    seen = one_sequence(setting.task(), setting.attention(), overlaps, jax.random.key(ask.draw))
    if not np.isfinite(seen.prediction):
        raise ValueError(
            f"`lam` must be such that the attention weights are finite, got {setting.lam}; take a"
            " smaller lam."
        )
    tokens = shown_tokens(seen)
    return Panel(
        figure=sequence_figure(seen, tokens),
        table={
            "token": tokens.tolist(),
            "decisive": [int(token == seen.location) for token in tokens],
            "score": full(seen.scores[tokens]),
            "attention": full(seen.weights[tokens]),
            "posterior": full(seen.posterior[tokens]),
        },
        python=_python(ask, setting),
        sentence=_sentence(ask, setting, seen, tokens),
        numbers={
            "decisive token": seen.location,
            "its attention": number(seen.weights[seen.location]),
            "its posterior": number(seen.posterior[seen.location]),
            "answer": number(seen.answer),
            "attention says": number(seen.prediction),
            "Bayes says": number(seen.bayes),
        },
    )


def _sentence(ask: SequenceAsk, setting: Controls, seen: OneSequence, tokens: np.ndarray) -> str:
    rank = int(np.sum(np.abs(seen.weights) > abs(seen.weights[seen.location]))) + 1
    place = "the largest" if rank == 1 else f"number {rank:,}"
    part = (
        f"{len(tokens)} of its {setting.L:,} tokens are drawn"
        if len(tokens) < setting.L
        else "all its tokens are drawn"
    )
    capped = (
        f" (the longest that is sampled; the setting says {ask.setting.L:,})"
        if ask.setting.L > setting.L
        else ""
    )
    who = (
        "the predictor at the chosen moment of training"
        if ask.at
        else "the predictor with k = k* and v = v*"
    )
    return (
        f"A fresh sequence, seen by {who}: {part}{capped}, the decisive one in orange. Its"
        f" attention weight is {place} in size among all; Bayes gives it the probability"
        f" {seen.posterior[seen.location]:.3g}."
    )


def _python(ask: SequenceAsk, setting: Controls) -> str:
    at = ", ".join(f"{name}={getattr(ask.at or _TRUTH, name)!r}" for name in NAMES)
    return "\n".join(
        [
            "import jax",
            *imports_of([setting.entry.kind, Overlaps, SingleLocation]),
            "from soloc.risk.one_sequence import one_sequence",
            "",
            *setting.lines(),
            f"one_sequence(task, attention, Overlaps({at}), jax.random.key({ask.draw}))",
        ]
    )


VIEW = View(
    name="sequence",
    tab=TAB,
    title="One sequence",
    summary=f"One sequence, at most {SHOWN} of its tokens",
    draw=sequence_panel,
    look=Look(height="clamp(300px, 34vw, 440px)", half=True, rest=120),
)
