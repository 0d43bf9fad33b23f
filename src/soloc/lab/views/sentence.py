"""Try your own sentence: which word decides its score, by a model fitted to rated sentences when it
is first asked.
"""

from typing import Annotated

from pydantic import Field

from soloc.lab.body import Body, Knob
from soloc.lab.panel import Panel, full, number
from soloc.lab.view import Look, Tab, View
from soloc.text.extras import EXTRAS, missing, pip_line


class SentenceAsk(Body):
    """A sentence in English."""

    sentence: Annotated[str, Knob("Your sentence", place="panel")] = Field(
        default="My dog is wonderful and sleeps near the door.",
        min_length=1,
        max_length=1000,
        description="to be scored",
    )


def sentence_panel(ask: SentenceAsk) -> Panel:
    """The words of a sentence: attention, contribution, and the score that they add up to."""
    if missing("text"):
        raise ValueError(
            f"Sentences need word vectors, which are not installed: {pip_line(EXTRAS['text'][0])}"
        )
    from soloc.lab.figures.sentence import sentence_figure

    # here: the page should not wait for scikit-learn
    from soloc.text.pipelines import fit_rated_sentences
    from soloc.text.sentences import explain_sentence

    found = explain_sentence(fit_rated_sentences(), ask.sentence)
    table = found.table
    doubt = f" But {found.doubts[0]}." if found.doubts else ""
    return Panel(
        figure=sentence_figure(found),
        table={
            "word": table.word.tolist(),
            **{name: full(table[name].to_numpy(float)) for name in ("weight", "contribution")},
            "decisive": [int(decisive) for decisive in table.decisive],
        },
        python=_python(ask),
        sentence=(
            f"Attention looks most at “{found.decisive}”, and the score of the sentence, from -4"
            f" (very bad) to 4 (very good), is {found.prediction:+.2f}. It learned from scores"
            f" alone: nobody ever said which word decides.{doubt}"
        ),
        numbers={
            "decisive word": found.decisive,
            "score": number(found.prediction),
            "its attention": number(table.weight.max()),
        },
    )


def _python(ask: SentenceAsk) -> str:
    return "\n".join(
        [
            "from soloc.text import explain_sentence, fit_rated_sentences",
            "",
            f"explain_sentence(fit_rated_sentences(), {ask.sentence!r})",
        ]
    )


VIEW = View(
    name="sentence",
    tab=Tab("text", "Your sentence"),
    title="Try your own sentence",
    summary="Which word decides a sentence",
    draw=sentence_panel,
    slow=lambda ask: True,
    look=Look(height="420px", rest=250),
    intro=(
        "For the first sentence a model is fitted to 2,000 sentences with one rated word each,"
        " which takes a few seconds."
    ),
    available=lambda: not missing("text"),
)
