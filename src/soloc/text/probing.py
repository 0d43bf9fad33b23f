"""Linear probing: is the answer in a direction of the first token's hidden state, and from which
layer on?

Sentences say something good or something bad of a subject. A logistic probe per layer reads the
first token, which carries nothing of the sentence at layer 0 and, where the answer becomes linear,
all of it.
"""

from typing import NamedTuple

import numpy as np

from soloc.text.transformer import Transformer

FORMS = (
    "my {subject} is {word}, said the {person} {when}",
    "{when} the {person} told us that the {subject} was {word}",
    "the {person} calls this {subject} {word}",
    "what a {word} {subject}, the {person} wrote {when}",
)
NEW_FORM = "for the {person}, {when} brought nothing but a {word} {subject}"
SUBJECTS = (
    "dog cat garden kitchen car bicycle coat hotel room soup lunch film book song teacher doctor"
    " neighbour city village beach office computer phone radio train bridge river house window"
    " table"
).split()
PERSONS = (
    "teacher farmer nurse pilot student cousin waiter painter clerk sailor baker driver guest"
    " tourist".split()
)
TIMES = "yesterday today tonight Monday Friday March winter Sunday April spring".split()
GOOD = (
    "wonderful excellent beautiful great good nice lovely brilliant pleasant perfect delightful"
    " charming superb splendid fantastic amazing gorgeous friendly helpful enjoyable adorable"
    " elegant impressive marvelous"
).split()
BAD = (
    "terrible awful horrible bad ugly nasty disgusting dreadful miserable useless stupid dirty"
    " boring annoying rotten unpleasant disappointing pathetic lousy dangerous cruel broken"
    " worthless hideous"
).split()
SPLITS = ("train", "unseen fillings", "unseen label words", "unseen form", "both")


class ProbeSentences(NamedTuple):
    """Sentences and whether each says something good."""

    texts: list[str]
    good: np.ndarray


def probe_sentences(n: int, split: str, random_state: int = 0) -> ProbeSentences:
    """`n` balanced sentences; what a split has not seen is the same for all splits of one
    `random_state`.
    """
    if split not in SPLITS:
        raise ValueError(f"`split` must be one of {', '.join(SPLITS)}, got {split!r}.")
    cut = np.random.default_rng([random_state, 0])
    fillings = {"subject": SUBJECTS, "person": PERSONS, "when": TIMES}
    # "both" is new label words in a new form
    new_words, new_form = split in ("unseen label words", "both"), split in ("unseen form", "both")
    parts = {name: _third(words, split != "train", cut) for name, words in fillings.items()}
    good, bad = _third(GOOD, new_words, cut), _third(BAD, new_words, cut)
    rng = np.random.default_rng([random_state, 1 + SPLITS.index(split)])
    labels = np.arange(n) % 2 == 0
    texts = []
    for label in labels:
        form = NEW_FORM if new_form else FORMS[rng.integers(len(FORMS))]
        words = good if label else bad
        chosen = {name: part[rng.integers(len(part))] for name, part in parts.items()}
        text = form.format(word=words[rng.integers(len(words))], **chosen)
        for vowel in "aeiou":
            text = text.replace(f" a {vowel}", f" an {vowel}")
        texts.append(text[0].upper() + text[1:] + ".")
    return ProbeSentences(texts, labels)


def _third(words: list[str], unseen: bool, rng: np.random.Generator) -> list[str]:
    """Two thirds of the words, or the other third."""
    order = rng.permutation(len(words))
    cut = len(words) // 3
    return [words[i] for i in (order[:cut] if unseen else order[cut:])]


def first_token_states(
    transformer: Transformer, texts: list[str], batch_size: int = 64
) -> np.ndarray:
    """Hidden state of the first token at every layer, (layers + 1, texts, width)."""
    out = np.empty((transformer.layers + 1, len(texts), transformer.width), dtype=np.float32)
    for batch in transformer.read(texts, list(range(transformer.layers + 1)), batch_size):
        for layer, states in enumerate(batch.states):
            out[layer, batch.rows] = states[:, 0]
    return out


class Probe(NamedTuple):
    """A logistic probe of one layer: its direction, of unit length in the units of the hidden
    state, and its rule.
    """

    direction: np.ndarray  #: (width,); zero where the layer carries nothing
    rule: object

    def accuracy(self, states: np.ndarray, good: np.ndarray) -> float:
        """Share of sentences that it reads right."""
        return float(np.mean(self.rule.predict(states) == good))  # type: ignore[attr-defined]


def fit_probe(states: np.ndarray, good: np.ndarray) -> Probe:
    """Logistic regression on standardised states."""
    # here: those who read the accuracies fit nothing
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    rule = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=500)).fit(
        states, good
    )
    varies = states.std(axis=0) > 1e-6
    direction = np.where(varies, rule[-1].coef_[0] / rule[0].scale_, 0.0)
    length = np.linalg.norm(direction)
    return Probe(direction / length if length > 1e-9 else np.zeros_like(direction), rule)
