"""One sequence as the best learner sees it after n = (n/d) d sequences."""

import math
from functools import lru_cache
from typing import Annotated, ClassVar, NamedTuple

import jax
import numpy as np
import pandas as pd
from pydantic import Field

from soloc.lab.body import Body, Group, Knob
from soloc.lab.controls import Draw
from soloc.lab.figures.samples import learner_traces
from soloc.lab.figures.sequence import sequence_figure, shown_tokens
from soloc.lab.learning import GROUP, LEAST, MOST, TAB, RegimeControls
from soloc.lab.lines import imports_of
from soloc.lab.panel import Panel, full, number
from soloc.lab.view import Look, View
from soloc.learning.bayes import bayes_curve
from soloc.predictors.normalised import Softmax
from soloc.risk.one_sequence import LONGEST, OneSequence, one_sequence
from soloc.risk.overlaps import Overlaps
from soloc.tasks.single_location import SingleLocation

_EXAMPLE = 400  # a dimension to say n in
_LONG = 1000  # tokens from which on a sequence takes longer than a slider should wait


class LearnerAsk(Body):
    """The regime, how much data, and which sequence."""

    group: ClassVar[Group] = GROUP
    regime: RegimeControls = RegimeControls()
    ratio: Annotated[float, Knob("samples per dimension n/d", log=True)] = Field(
        default=2.0, ge=LEAST, le=MOST, description="that the learner has seen"
    )
    draw: Draw = 0


class Learner(NamedTuple):
    """The posterior means of key and value: their norms are their cosines with the truth."""

    lam: float  #: inverse temperature of its softmax, m |k^|
    overlaps: Overlaps
    size: float  #: |v^|


def learner_panel(ask: LearnerAsk) -> Panel:
    """A new sequence: the attention of the learner, what Bayes would believe, and the guesses."""
    regime = ask.regime
    if regime.tokens > LONGEST:
        regime = regime.model_copy(update={"tokens": LONGEST})
    rows = _rows(ask.regime, ask.ratio)
    row = rows.iloc[0]  # what AMP reaches
    learner = _learner(regime, row)
    seen = one_sequence(
        regime.task(), Softmax(learner.lam), learner.overlaps, jax.random.key(ask.draw)
    )
    seen = seen._replace(prediction=learner.size * seen.prediction)
    tokens = shown_tokens(seen)
    return Panel(
        figure=sequence_figure(seen, tokens),
        table={
            "token": tokens.tolist(),
            "decisive": [int(token == seen.location) for token in tokens],
            "attention": full(seen.weights[tokens]),
            "posterior": full(seen.posterior[tokens]),
        },
        python=_python(ask, regime, learner),
        sentence=_sentence(ask, regime, rows, seen),
        numbers={
            "n/d": number(ask.ratio),
            "q_k": number(row.q_k),
            "q_v": number(row.q_v),
            "risk": number(row.risk),
            "mean attention on J0": number(row["mass"]),
            "its attention here": number(seen.weights[seen.location]),
            "answer": number(seen.answer),
            "learner says": number(seen.prediction),
            "Bayes with k*, v* says": number(seen.bayes),
        },
        overlays={"samples": learner_traces(ask.ratio, float(row.risk), regime.noise)},
    )


@lru_cache(maxsize=256)
def _rows(regime: RegimeControls, ratio: float) -> pd.DataFrame:
    return bayes_curve(regime.task(), ratio)


def _learner(regime: RegimeControls, row: pd.Series) -> Learner:
    cos_k, cos_v = math.sqrt(row.q_k), math.sqrt(row.q_v)
    return Learner(regime.m * cos_k, Overlaps(cos_k, cos_v), cos_v)


def _sentence(
    ask: LearnerAsk, regime: RegimeControls, rows: pd.DataFrame, seen: OneSequence
) -> str:
    row = rows.iloc[0]
    here = seen.weights[seen.location]
    rank = int(np.sum(seen.weights > here)) + 1
    gets = "most attention" if rank == 1 else f"the {_ordinal(rank)} most attention"
    capped = f" (of {regime.tokens:,} tokens only)" if ask.regime.tokens > regime.tokens else ""
    n = round(ask.ratio * _EXAMPLE)
    text = (
        f"A new sequence{capped}, seen by the best learner after n = {n:,} sequences of"
        f" d = {_EXAMPLE} dimensions, or any others of that ratio: its key and value have cosines"
        f" {math.sqrt(row.q_k):.2f} and {math.sqrt(row.q_v):.2f} with the truth. The decisive"
        f" token, in orange, gets {gets} here; the posterior is what somebody who knows k* would"
        " believe."
    )
    if len(rows) > 1:
        text += (
            f" There is a second phase of risk {rows.risk.iloc[1]:.3g}, which AMP does not reach"
            " from nothing."
        )
    return text


def _ordinal(rank: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(rank % 10, "th") if rank % 100 // 10 != 1 else "th"
    return f"{rank:,}{ending}"


def _python(ask: LearnerAsk, regime: RegimeControls, learner: Learner) -> str:
    cos_k, cos_v = (float(getattr(learner.overlaps, name)) for name in ("kappa", "nu"))
    return "\n".join(
        [
            "import jax",
            *imports_of([Overlaps, SingleLocation, Softmax]),
            "from soloc.learning import bayes_curve",
            "from soloc.risk.one_sequence import one_sequence",
            "",
            regime.task_line(),
            f"# bayes_curve(task, {ask.ratio!r}).iloc[0] has q_k = |k^|^2 and q_v = |v^|^2",
            f"cos_k, cos_v = {cos_k!r}, {cos_v!r}",
            f"attention = Softmax({regime.m!r} * cos_k)",
            f"key = jax.random.key({ask.draw})",
            "seen = one_sequence(task, attention, Overlaps(cos_k, cos_v), key)",
            "seen._replace(prediction=cos_v * seen.prediction)",
        ]
    )


VIEW = View(
    name="learner",
    tab=TAB,
    title="One sequence, seen by the learner",
    summary="A sequence as the best learner sees it at some samples per dimension",
    draw=learner_panel,
    slow=lambda ask: ask.regime.tokens > _LONG,
    look=Look(height="400px", rest=120),
)
