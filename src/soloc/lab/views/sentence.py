"""Try your own sentence: which word decides its score, by a model fitted to rated sentences when it
is first asked.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

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


#: The answer to the first sentence, written by tools/first_sentence.py: no one waits for a fit.
FIRST = Path(__file__).with_name("first_sentence.json")


def is_first(ask: SentenceAsk) -> bool:
    """Whether it is the sentence with which the page opens."""
    return ask == SentenceAsk()


_INHERITED: list[Any] = []  # the model, where another process has fitted it


def model_of_sentences() -> Any:
    """The model, fitted to rated sentences or inherited."""
    from soloc.text.pipelines import fit_rated_sentences

    return _INHERITED[0] if _INHERITED else fit_rated_sentences()


def inherit_model(model: Any) -> None:
    """Take the model that another process of this lab has fitted."""
    _INHERITED[:] = [model]


def sentence_panel(ask: SentenceAsk) -> Panel:
    """The words of a sentence: attention, contribution, and the score that they add up to."""
    if is_first(ask) and not missing("text"):
        return Panel.model_validate_json(FIRST.read_text())
    return computed(ask)


def computed(ask: SentenceAsk) -> Panel:
    """The same, by the model."""
    if missing("text"):
        raise ValueError(
            f"Sentences need word vectors, which are not installed: {pip_line(EXTRAS['text'][0])}"
        )
    from soloc.lab.figures.sentence import sentence_figure

    # here: the page should not wait for scikit-learn
    from soloc.text.pipelines import rated_words
    from soloc.text.sentences import explain_sentence

    found = explain_sentence(model_of_sentences(), ask.sentence)
    table = found.table
    read = [word.lower() in rated_words() for word in table.word]
    doubt = f" But {found.doubts[0]}." if found.doubts else ""
    return Panel(
        figure=sentence_figure(found),
        table={
            "word": table.word.tolist(),
            **{name: full(table[name].to_numpy(float)) for name in ("weight", "contribution")},
            "decisive": [int(decisive) for decisive in table.decisive],
            **{name: full(table[name].to_numpy()) for name in ("start", "end")},
            "known": [int(known) for known in read],
        },
        python=_python(ask),
        sentence=(
            f"Attention looks most at “{found.decisive}”, and the score of the sentence, from -4"
            f" (very bad) to 4 (very good), is {found.prediction:+.2f}. It learned from scores"
            f" alone: nobody ever said which word decides.{_unread(table.word, read)}{doubt}"
        ),
        numbers={
            "decisive word": found.decisive,
            "score": number(found.prediction),
            "its attention": number(table.weight.max()),
            "intercept": number(found.offset),
        },
    )


def _unread(words: Iterable[str], read: list[bool]) -> str:
    """The words that no rated sentence holds; the model goes by what is near them."""
    new = dict.fromkeys(f"“{word}”" for word, known in zip(words, read, strict=True) if not known)
    if not new:
        return ""
    return f" It never read {', '.join(list(new)[:6])} while it learned."


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
    slow=lambda ask: not is_first(ask),
    with_table=True,
    look=Look(height="420px", rest=250),
    intro=(
        "For the first sentence a model is fitted to 2,000 sentences with one rated word each,"
        " which takes a few seconds."
    ),
    available=lambda: not missing("text"),
)
