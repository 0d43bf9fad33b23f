"""Dialects of CSV are read rightly, or refused with what to do."""

import io

import numpy as np
import pandas as pd
import pytest

from soloc.estimators.dialects import read_text_table

TABLE = pd.DataFrame({"id": ["a", "a", "b"], "größe": [1.5, -2.25, 1000.0], "y": [1, 1, 2]})


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("decimal", [".", ","])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "utf-16"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_every_dialect_gives_the_same_table(separator, decimal, encoding, end):
    text = TABLE.to_csv(index=False, sep=separator, decimal=decimal, lineterminator=end)
    found, dialect = read_text_table(text.encode(encoding))
    pd.testing.assert_frame_equal(found, TABLE)
    assert ("decimal commas" in dialect.words()) == (decimal == ",")
    assert ("Latin-1" in dialect.words()) == (encoding == "latin-1")
    again = pd.read_csv(io.BytesIO(text.encode(encoding)), **dialect.options)
    pd.testing.assert_frame_equal(again, TABLE)


def test_the_line_that_excel_writes_and_quoted_headings_are_understood():
    written = b'sep=;\n"a;b";c\n1,5;2\n'
    found, dialect = read_text_table(written)
    assert found.columns.tolist() == ["a;b", "c"] and found.iloc[0, 0] == 1.5
    pd.testing.assert_frame_equal(pd.read_csv(io.BytesIO(written), **dialect.options), found)


def test_thousands_with_points_before_decimal_commas():
    found, _ = read_text_table(b"x;y\n1.234,5;2\n-1,25;3\n")
    np.testing.assert_allclose(found["x"], [1234.5, -1.25])


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "it is empty"),
        (b"  \n", "it is empty"),
        (b"a,b\n\0\1\2,3", "zero bytes"),
        (b"bag,y,a,y\n1,2,3,4\n", "its heading must name each column once, got 'y' 2 times"),
        (b'\n\nbag;y;"y";a;y\r\n1;2;3;4;5\r\n', "once, got 'y' 3 times; rename or drop"),
        (b'sep=|\n"a|\nb"|"a|\nb"\n1|2\n', "got 'a|\\\\nb' 2 times"),
        (b"a,b\n1,2,3\n4,5,6\n", "more cells than the heading"),
        (b'a;b\n"1,234";2\n"5,678";3\n', "may be thousands or a decimal comma"),
        (b"a;b\n1.5;2,5\n2.5;3,5\n", "'a' has decimal points and column 'b' decimal commas"),
    ],
)
def test_what_cannot_be_told_is_refused_with_the_remedy(data, sentence):
    with pytest.raises(ValueError, match=sentence):
        read_text_table(data)


def test_columns_without_a_name_and_those_that_look_like_twins_are_read():
    found, _ = read_text_table(b"y,,y.1,\n1,2,3,4\n")
    assert found.columns.tolist() == ["y", "Unnamed: 1", "y.1", "Unnamed: 3"]


def test_text_with_commas_stays_text():
    found, dialect = read_text_table(b'a;b\n"one, two";2\n"1,5 kg";3\n')
    assert found["a"].tolist() == ["one, two", "1,5 kg"] and dialect.decimal == "."


@pytest.mark.parametrize("way", [{}, {"sep": ";", "decimal": ","}])
def test_ids_and_names_stay_the_text_that_stands_there_and_numbers_are_numbers(way):
    written = pd.DataFrame(
        {"id": ["007", "7", "1.10", "1.234", None], "word": ["NA", "null", "", "01", "1.5"]}
    ).assign(x=[1.5, 2.5, None, 4.5, 5.5], n=range(5))
    data = written.to_csv(index=False, **way).encode()
    found, dialect = read_text_table(data, ids=["id", "no such"], names=["word", "nor this"])
    assert dialect.decimal == way.get("decimal", ".")
    assert found["id"].tolist()[:4] == written["id"].tolist()[:4] and found["id"].isna()[4]
    assert found["word"].tolist() == written["word"].tolist()
    np.testing.assert_array_equal(found["x"], written["x"])
    assert found["n"].dtype == np.int64 and found["x"].dtype == np.float64
    both, _ = read_text_table(data, ids=["id", "word"], names=["id"])
    pd.testing.assert_series_equal(both["id"], found["id"])


def test_ids_with_commas_are_no_decimal_commas():
    found, dialect = read_text_table(b'id;x\n"1,234";2.5\n"0,5";3.5\n', ids=["id"])
    assert found["id"].tolist() == ["1,234", "0,5"] and dialect.decimal == "."
