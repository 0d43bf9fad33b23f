"""Words, spans and refusals: no optional package is needed."""

import subprocess
import sys

import numpy as np
import pytest

from soloc.text.extras import needed, package_folder
from soloc.text.words import TextWarning, split_words, texts_of, warn_about_cuts


def test_words_keep_their_spans_and_an_emoji_is_a_word():
    text = "Don't panic: well-known 😀😀 👨‍👩‍👧 🇫🇷 ok!"
    found, cut = split_words(text, 0, 100)
    assert (
        found.words == ["Don't", "panic", "well-known", "😀", "😀", "👨‍👩‍👧", "🇫🇷", "ok"]
        and cut == ""
    )
    assert [text[a:b] for a, b in found.spans] == found.words


@pytest.mark.parametrize(
    "text, sentence", [("", "row 7 of `X` is empty"), (" \n", "is empty"), ("?!", "holds no word")]
)
def test_a_text_without_words_is_refused_by_its_row(text, sentence):
    with pytest.raises(ValueError, match=sentence):
        split_words(text, 7, 10)


@pytest.mark.parametrize(
    "X, sentence",
    [
        ("one", "got one str"),
        (b"one", "got one bytes"),
        (["a", None], "row 1 of `X` must be a string, got None"),
        (["a", b"b"], "row 1 of `X` must be a string, got bytes; decode"),
        (["a", 1.5], "row 1 of `X` must be a string, got float 1.5"),
        (3, "got int"),
    ],
)
def test_what_is_no_text_is_refused_by_its_row(X, sentence):
    with pytest.raises(TypeError, match=sentence):
        texts_of(X)


def test_no_text_and_two_columns_are_refused():
    with pytest.raises(ValueError, match="at least one text"):
        texts_of([])
    with pytest.raises(ValueError, match="one column"):
        texts_of(np.array([["a", "b"]]))


def test_a_long_text_is_cut_where_the_warning_says():
    found, cut = split_words("ab " * 400_000, 3, 5)
    assert len(found.words) == 5 and cut == "row 3 after word 5 (character 14 of 1200000)"
    with pytest.warns(TextWarning, match="1 text was cut: row 3 after word 5"):
        warn_about_cuts([cut], "raise `max_words`")


def test_a_missing_package_is_named_with_its_pip_line(monkeypatch):
    monkeypatch.setattr("soloc.text.extras.find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"pip install 'soloc\[text\]'"):
        package_folder("wordllama")
    with pytest.raises(ImportError, match=r"pip install 'soloc\[transformers\]'"):
        needed("transformers")


def test_importing_the_room_imports_no_optional_package_and_sets_no_variable():
    code = (
        # these two set variables of their own
        "import os, sys, jax, sklearn.base; before = dict(os.environ); import soloc.text,"
        " soloc.experiments.registry; assert before == dict(os.environ); assert not {'torch',"
        " 'transformers', 'tokenizers', 'safetensors', 'wordllama'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
