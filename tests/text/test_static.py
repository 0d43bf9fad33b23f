"""Static vectors, rated sentences and the decisive word; needs the extra [text]."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from soloc.cli import main
from soloc.estimators import PointingWarning, SingleLocationRegressor, load
from soloc.text import (
    TextTokens,
    TextWarning,
    explain_sentence,
    fit_rated_sentences,
    load_text_model,
    locate_words,
    rated_sentences,
    save_text_model,
    sentence_page,
)
from soloc.text.generator import SLOT
from soloc.text.pipelines import rated_pipeline
from soloc.text.rated_words import VOCABULARIES, rated_words, ratings
from soloc.text.static import StaticVectors
from soloc.text.templates import CLOSINGS, FILLERS, OPENINGS, PATTERNS

for module in ("tokenizers", "safetensors", "wordllama", "vaderSentiment"):
    pytest.importorskip(module)


@pytest.fixture(scope="module")
def model():
    return fit_rated_sentences(2000)


def test_a_word_is_the_mean_of_its_pieces_whatever_its_case_and_neighbours():
    bags = TextTokens().transform(["Unbelievable tables", "a unbelievable"])
    backend = StaticVectors()
    pieces = backend.tokenizer.encode("unbelievable", add_special_tokens=False).ids
    expected = backend.table[pieces].astype(np.float32).mean(axis=0)
    np.testing.assert_allclose(bags.values[0], expected, rtol=1e-5, atol=1e-7)
    np.testing.assert_array_equal(bags.values[0], bags.values[3])
    assert bags[1].texts == ["a unbelievable"] and bags[1].spans.tolist() == [[0, 1], [2, 14]]


@pytest.mark.parametrize("text", ["good", "😀", "x" * 1_000_000, "naïve café", "\x00a\u202e"])
def test_odd_texts_are_handled(text):
    assert np.isfinite(TextTokens().transform([text]).values).all()


def test_a_megabyte_of_text_is_cut_with_a_warning():
    with pytest.warns(TextWarning, match="row 1 after word 512"):
        bags = TextTokens().transform(["short", "word " * 200_000])
    assert bags.lengths.tolist() == [1, 512]


def test_parameters_that_cannot_be_are_refused():
    with pytest.raises(ValueError, match="`max_words`"):
        TextTokens(max_words=0).fit(["a"])
    with pytest.raises(TypeError, match="`model`"):
        TextTokens(model=None).fit(["a"])
    assert clone(TextTokens(layer=3)).layer == 3


def test_no_word_of_the_templates_is_rated():
    rated = set(ratings())
    frames = " ".join([*PATTERNS, *OPENINGS, *CLOSINGS])
    plain = SLOT.sub(" ", frames).replace(",", " ").split()
    plain += [word for words in FILLERS.values() for filler in words for word in filler.split()]
    assert not {word for word in plain if word.lower() in rated}
    assert all(word in rated for words in VOCABULARIES.values() for word in words)


def test_the_splits_share_what_they_say_and_nothing_else():
    data = {
        split: rated_sentences(500, split)
        for split in ("train", "seen", "templates", "words", "both")
    }
    words, templates = (
        {split: set(np.array(getattr(found, name))) for split, found in data.items()}
        for name in ("words", "templates")
    )
    assert words["seen"] | words["templates"] <= set(rated_words("everyday"))
    for new in ("words", "both"):
        assert not words[new] & (words["train"] | words["seen"] | words["templates"])
    for new in ("templates", "both"):
        assert not templates[new] & (templates["train"] | templates["words"])
    assert set(data["seen"].texts) != set(data["train"].texts)
    for found in data.values():
        rating = ratings()
        for text, word, start, score in zip(
            found.texts, found.words, found.starts, found.scores, strict=True
        ):
            assert text[start : start + len(word)].lower() == word and score == rating[word]


def test_neither_place_nor_neighbour_gives_the_rated_word_away():
    data = rated_sentences(4000)
    bags = TextTokens().transform(data.texts)
    where = bags.word_at(data.starts)
    assert np.bincount(where).max() < 0.25 * len(where)
    before = [bags.names_of(i)[j - 1].lower() if j else "" for i, j in enumerate(where)]
    most = max(set(before), key=before.count)
    hits = [[word.lower() for word in bags.names_of(i)].count(most) for i in range(len(bags))]
    # the commonest neighbour stands elsewhere more often than not
    assert before.count(most) / sum(hits) < 0.4


@pytest.mark.parametrize(
    "options, name",
    [
        ({"n": 10}, "n"),
        ({"split": "x"}, "split"),
        ({"vocabulary": "x"}, "vocabulary"),
        ({"noise": -1}, "noise"),
    ],
)
def test_sizes_and_splits_that_do_not_exist_are_refused(options, name):
    with pytest.raises(ValueError, match=f"`{name}`"):
        rated_sentences(**options)


def test_the_decisive_word_is_found_in_new_templates_and_with_new_words():
    train = rated_sentences(4000)
    model = rated_pipeline().fit(train.texts, train.scores)
    for split, least in (("templates", 0.95), ("both", 0.85)):
        test = rated_sentences(1000, split)
        bags = model[:-1].transform(test.texts)
        assert np.mean(model[-1].locate(bags) == bags.word_at(test.starts)) >= least
        if split == "templates":
            assert model[-1].score(bags, test.scores) >= 0.90
        else:
            ends = model[-1].predict_interval(bags, 0.9)
            assert np.mean((ends[:, 0] <= test.scores) & (test.scores <= ends[:, 1])) > 0.75


def test_a_plain_pipeline_fits_on_strings():
    data = rated_sentences(500)
    model = make_pipeline(TextTokens(), SingleLocationRegressor(loss="squared", alpha=10.0))
    assert model.fit(data.texts, data.scores).score(data.texts, data.scores) > 0.9


def test_one_word_turns_a_sentence_from_good_to_bad(model):
    good, bad = (
        explain_sentence(model, f"My dog is {word}, said the neighbour.")
        for word in ("wonderful", "terrible")
    )
    assert good.prediction > 1 and bad.prediction < -1
    assert good.decisive == "wonderful" and bad.decisive == "terrible"
    row = bad.table[bad.table.decisive].iloc[0]
    assert bad.sentence[row.start : row.end] == "terrible"
    assert bad.table.contribution.sum() + bad.offset == pytest.approx(bad.prediction, abs=1e-4)
    lines = [line for line in str(bad).splitlines() if " contribution " in line]
    assert sum(float(line.split()[-1]) for line in lines) == pytest.approx(bad.prediction, abs=0.04)
    assert bad.table.weight.sum() == pytest.approx(1, abs=1e-5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PointingWarning)
        assert locate_words(model, [good.sentence]).word[0] == "wonderful"


def test_a_saved_model_says_the_same_and_other_vectors_are_refused(model, tmp_path, monkeypatch):
    path = tmp_path / "m.soloc"
    save_text_model(model, path)
    again = load_text_model(path)
    texts = rated_sentences(500, "seen").texts
    np.testing.assert_allclose(again.predict(texts), model.predict(texts), rtol=1e-6)
    monkeypatch.setattr(StaticVectors, "fingerprint", "other")
    with pytest.raises(ValueError, match="fitted on other vectors"):
        load_text_model(path)


@pytest.mark.parametrize(
    "notes",
    [
        {"text": 3},
        {"text": {"model": 5}},
        {"text": {"model": "wordllama", "layer": "x", "max_words": 5, "batch_size": 1}},
        {"kernel": {"gamma": "ab", "most": 3}},
        {"kernel": {"gamma": [0.2], "most": -1}},
        {"kernel": 7},
        {"fingerprint": None},
    ],
)
def test_damaged_notes_about_text_are_refused_in_a_sentence(model, tmp_path, notes):
    path = tmp_path / "m.soloc"
    save_text_model(model, path)
    estimator = load(path)
    estimator.save(path, estimator.notes_ | notes)
    with pytest.raises(ValueError, match="text is wrong|other vectors|`max_words`|`model`"):
        load_text_model(path)
    estimator.more_["landmarks"] = estimator.more_["landmarks"][:-1]
    estimator.save(path)
    with pytest.raises(ValueError, match="one word per feature"):
        load_text_model(path)


def test_the_page_needs_nothing_and_escapes_what_it_shows(model):
    page = sentence_page([explain_sentence(model, "A <i>terrible</i> & 'dirty' dog")], "<title>")
    assert (
        "http" not in page.replace("http-equiv", "")
        and "<i>" not in page
        and "&lt;title&gt;" in page
    )
    assert 'class="decisive"' in page and "prefers-color-scheme: dark" in page


def test_the_command_fits_and_explains(tmp_path, capsys):
    data = rated_sentences(500)
    table, model, page = tmp_path / "scores.csv", tmp_path / "m.soloc", tmp_path / "page.html"
    pd.DataFrame({"text": data.texts, "score": data.scores}).to_csv(table, index=False)
    command = ["text", "fit", str(table), "--text", "text", "--label", "score", "--out", str(model)]
    assert main([*command, "--loss", "squared", "--alpha", "2"]) == 0
    assert main(["text", "explain", str(model), "My dog is terrible.", "--out", str(page)]) == 0
    assert "[terrible]" in capsys.readouterr().out and page.read_text().count("<article>") == 1
    assert main(["text", "explain", str(model), ""]) == 2
    assert "row 0 of `X` is empty" in capsys.readouterr().err
    assert main(["text", "fit", str(table), "--text", "words", "--label", "score"]) == 2
    assert "`--text` must be a column" in capsys.readouterr().err
