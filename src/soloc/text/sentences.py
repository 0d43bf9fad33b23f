"""What a fitted text model says about sentences, in words: where each stands, its weight and what
it contributed.
"""

import warnings
from html import escape
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from soloc.estimators.diagnostics import PointingWarning
from soloc.estimators.explain import alike
from soloc.text.text_bags import TextBags

_SHOWN = 5  # words in print
COLOURS = {True: "30,110,210", False: "205,75,20"}  # what pulls up, what pulls down


class SentenceExplanation(NamedTuple):
    """What decided one sentence."""

    sentence: str
    prediction: float | str
    table: pd.DataFrame  #: word, start, end, weight, value, contribution, decisive
    offset: float  #: what the contributions are added to
    doubts: tuple[str, ...]  #: reasons not to trust which word is named
    offset_is: str = "intercept"  #: what it is, in words

    @property
    def decisive(self) -> str:
        """The word with the largest weight."""
        return str(self.table["word"][self.table["decisive"]].iloc[0])

    def html(self) -> str:
        """The sentence as written, words shaded by weight, the decisive one framed; numbers on
        hover.
        """
        out, end = [], 0
        for row in self.table.itertuples():
            hover = f"weight {row.weight:.3f}, contribution {row.contribution:+.3g}"
            style = f"background:rgba({COLOURS[row.contribution >= 0]},{0.75 * row.weight:.3f})"
            kind = ' class="decisive"' if row.decisive else ""
            out.append(escape(self.sentence[end : row.start]))
            out.append(
                f'<mark{kind} title="{hover}"'
                f' style="{style}">{escape(self.sentence[row.start : row.end])}</mark>'
            )
            end = row.end
        return "".join(out) + escape(self.sentence[end:])

    def __str__(self) -> str:
        shown = self.prediction if isinstance(self.prediction, str) else f"{self.prediction:+.3g}"
        row = self.table[self.table["decisive"]].iloc[0]
        marked = f"{self.sentence[: row['start']]}[{row['word']}]{self.sentence[row['end'] :]}"
        lines = [marked, f"prediction {shown}"]
        show = alike([*self.table["contribution"], self.offset], 3)
        ordered = self.table.sort_values("weight", ascending=False, kind="stable")
        for _, word in ordered.head(_SHOWN).iterrows():
            mark = "*" if word["decisive"] else " "
            lines.append(
                f"{mark} {word['word']:<20} weight {word['weight']:.3f}  contribution"
                f" {show(word['contribution'])}"
            )
        if others := ordered.iloc[_SHOWN:].to_dict("list")["contribution"]:
            lines.append(f"  {f'{len(others)} more':<33}  contribution {show(sum(others))}")
        lines.append(f"  {self.offset_is:<33}  contribution {show(self.offset)}")
        return "\n".join(
            lines + [f"do not trust which word is named: {text}" for text in self.doubts]
        )


def explain_sentence(model: Any, sentence: str) -> SentenceExplanation:
    """Words of a sentence with spans, weights and contributions, and the prediction, by a fitted
    text pipeline.
    """
    return explain_sentences(model, [sentence])[0]


def explain_sentences(model: Any, sentences: list[str]) -> list[SentenceExplanation]:
    """`explain_sentence` of many, transformed together."""
    bags = bags_of(model, sentences)
    last = model[-1]
    predictions = last.predict(bags)
    found = []
    for i, text in enumerate(bags.texts):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PointingWarning)  # the explanation says it
            explanation = last.explain(bags, i)
        table = explanation.table.rename(columns={"name": "word"})
        table.insert(1, "start", bags.spans_of(i)[:, 0])
        table.insert(2, "end", bags.spans_of(i)[:, 1])
        said = predictions[i]
        said = float(said) if isinstance(said, (float, np.floating)) else str(said)
        found.append(
            SentenceExplanation(
                text,
                said,
                table,
                explanation.offset,
                explanation.doubts,
                explanation.offset_is,
            )
        )
    return found


def locate_words(model: Any, sentences: Any) -> pd.DataFrame:
    """The decisive word of each sentence: word, start, end, weight, prediction. Warns when it is
    not to be trusted.
    """
    bags = bags_of(model, sentences)
    where = model[-1].locate(bags)
    flat = bags.offsets[:-1] + where
    assert bags.names is not None
    return pd.DataFrame(
        {
            "word": [bags.names[i] for i in flat],
            "start": bags.spans[flat, 0],
            "end": bags.spans[flat, 1],
            "weight": [float(weights.max()) for weights in model[-1].attend(bags)],
            "prediction": model[-1].predict(bags),
        }
    )


def attend_words(model: Any, sentences: Any) -> pd.DataFrame:
    """Every word of every sentence with its weight: sentence (its number), word, start, end,
    weight.
    """
    bags = bags_of(model, sentences)
    return pd.DataFrame(
        {
            "sentence": np.repeat(np.arange(len(bags)), bags.lengths),
            "word": bags.names,
            "start": bags.spans[:, 0],
            "end": bags.spans[:, 1],
            "weight": np.concatenate(model[-1].attend(bags)),
        }
    )


def bags_of(model: Any, sentences: Any) -> TextBags:
    """Sentences as the last step of a pipeline sees them."""
    if not hasattr(model, "steps") or not hasattr(model[-1], "attend"):
        raise TypeError(
            "`model` must be a pipeline from TextTokens to a single-location estimator, got "
            f"{type(model).__name__}; see text_pipeline."
        )
    return model[:-1].transform(sentences)
