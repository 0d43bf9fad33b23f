"""Rated sentences: one word decides the score, at a place that nothing but the word itself gives
away.

The score of a sentence is the mean rating that ten people gave its one rated word. Plain adjectives
fill the other slots of the same pattern, so the rated word is found by what it is, not by where it
stands.
"""

import re
from typing import NamedTuple

import numpy as np

from soloc.text.rated_words import VOCABULARIES, rated_words, ratings
from soloc.text.templates import CLOSINGS, FILLERS, OPENINGS, PATTERNS

SPLITS = ("train", "seen", "templates", "words", "both", "everything")
FEWEST, MOST = 500, 50_000
UNSEEN = 0.25  # share of patterns, clauses, rated words and plain words that training never shows
CLAUSE = 0.5  # chance of a clause before, and of one after
SLOT = re.compile(r"\{(\w+)\}")


class RatedSentences(NamedTuple):
    """Sentences, their scores, and the truth about what decides them."""

    texts: list[str]
    scores: np.ndarray  #: (n,), from -4 to 4
    words: list[str]  #: the rated word of each sentence
    starts: np.ndarray  #: the character at which it begins
    templates: np.ndarray  #: number of the pattern


def rated_sentences(
    n: int = 4000,
    split: str = "train",
    *,
    vocabulary: str = "everyday",
    noise: float = 0.0,
    random_state: int = 0,
) -> RatedSentences:
    """`n` sentences with one rated word each.

    Parameters
    ----------
    n : int
        From 500 to 50,000.
    split : {"train", "seen", "templates", "words", "both", "everything"}
        "train" uses three quarters of the patterns and words. "seen" makes other sentences of the
        same patterns and words; "templates" uses patterns and clauses that training never shows;
        "words" rated words that it never shows; "both" both; in "everything" the plain words are
        new as well.
    vocabulary : {"everyday", "wide"}
        212 everyday adjectives, or these and 548 rarer ones.
    noise : float
        Standard deviation of Gaussian noise on the score.
    random_state : int
        Decides the sentences and what is unseen; all splits of one number agree on the latter.

    Examples
    --------
    >>> data = rated_sentences(500)  # doctest: +SKIP
    >>> data.texts[0], data.scores[0], data.words[0]  # doctest: +SKIP
    """
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or not FEWEST <= n <= MOST:
        raise ValueError(f"`n` must be an integer from {FEWEST} to {MOST:,}, got {n!r}.")
    if split not in SPLITS:
        raise ValueError(f"`split` must be one of {', '.join(SPLITS)}, got {split!r}.")
    if vocabulary not in VOCABULARIES:
        raise ValueError(
            f"`vocabulary` must be one of {', '.join(VOCABULARIES)}, got {vocabulary!r}."
        )
    if not 0 <= noise < 10:
        raise ValueError(f"`noise` must be a number from 0 to 10, got {noise!r}.")
    cut = np.random.default_rng([random_state, 0])
    new_templates, new_words = (
        split in ("templates", "both", "everything"),
        split in ("words", "both", "everything"),
    )
    patterns = _part(PATTERNS, new_templates, cut)
    openings, closings = _part(OPENINGS, new_templates, cut), _part(CLOSINGS, new_templates, cut)
    rated = _part(rated_words(vocabulary), new_words, cut)
    fillers = {kind: _part(words, split == "everything", cut) for kind, words in FILLERS.items()}
    rating = ratings()
    rng = np.random.default_rng([random_state, 1 + SPLITS.index(split)])
    texts, words, starts, templates = [], [], [], []
    for _ in range(n):
        which = int(rng.integers(len(patterns)))
        frame = patterns[which]
        if rng.random() < CLAUSE:
            frame = f"{openings[rng.integers(len(openings))]} {frame}"
        if rng.random() < CLAUSE:
            frame = f"{frame}, {closings[rng.integers(len(closings))]}"
        word = rated[rng.integers(len(rated))]
        text, start = _fill(frame, word, fillers, rng)
        texts.append(text)
        words.append(word)
        starts.append(start)
        templates.append(PATTERNS.index(patterns[which]))
    scores = np.array([rating[word] for word in words]) + noise * rng.standard_normal(n)
    return RatedSentences(texts, scores, words, np.array(starts), np.array(templates))


def _part(things, unseen: bool, rng: np.random.Generator) -> list[str]:
    """The part that training shows, or the other one; the cut is the same for both."""
    hidden = np.zeros(len(things), dtype=bool)
    hidden[rng.permutation(len(things))[: round(UNSEEN * len(things))]] = True
    return [thing for thing, away in zip(things, hidden, strict=True) if away == unseen]


def _fill(
    frame: str, word: str, fillers: dict[str, list[str]], rng: np.random.Generator
) -> tuple[str, int]:
    """A frame with its slots filled, the rated word in a random one of the adjectives, and where it
    begins.
    """
    slots = list(SLOT.finditer(frame))
    adjectives = [i for i, slot in enumerate(slots) if slot.group(1) == "adj"]
    chosen = adjectives[rng.integers(len(adjectives))]  # as `choice` draws, without its array
    text, end, start = "", 0, 0
    for i, slot in enumerate(slots):
        kind = slot.group(1)
        filled = word if i == chosen else fillers[kind][rng.integers(len(fillers[kind]))]
        text += frame[end : slot.start()]
        if re.search(r"\b[Aa] $", text) and filled[0] in "aeiou":
            text = f"{text[:-1]}n "
        start = len(text) if i == chosen else start
        text += filled
        end = slot.end()
    text += f"{frame[end:]}."
    return text[0].upper() + text[1:], start
