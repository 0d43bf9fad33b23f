"""The commands on experiments, with toy experiments in the place of real ones."""

import re
from dataclasses import replace
from html import escape

import pandas as pd
import pytest
import toy_catalogue

from soloc.cli import main
from soloc.experiments import registry
from soloc.runs.files import read_facts


def show(monkeypatch, *experiments):
    monkeypatch.setattr(registry, "EXPERIMENTS", {e.name: e for e in experiments})


@pytest.fixture(autouse=True)
def toys(monkeypatch, tmp_path):
    show(monkeypatch, toy_catalogue.GOOD, toy_catalogue.BAD)
    monkeypatch.chdir(tmp_path)


def files(folder):
    return {
        path.relative_to(folder): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_reproduce_writes_a_page_with_data_and_figures_and_returns_0_when_all_claims_hold(
    tmp_path, capsys
):
    assert main(["reproduce", "--only", "toy_good", "--jobs", "1"]) == 0
    report = tmp_path / "results" / "report"
    page = (report / "index.html").read_text()
    for link in re.findall(r'href="([^"#][^"]*)"', page):
        assert link.startswith("data:") or (report / link).is_file(), link
    assert "Toys &lt;hold&gt;" in page and "rows &amp; &lt;tags&gt;" in page
    assert "Caveat: only for toys" in page
    table = pd.read_parquet(report / "data" / "toy_good.parquet")
    pd.testing.assert_frame_equal(
        table, toy_catalogue.run(toy_catalogue.Config()), check_exact=True
    )
    assert len(pd.read_csv(report / "data" / "toy_good.csv")) == 3
    facts = read_facts(report / "data" / "toy_good.parquet")
    assert facts["config"]["lengths"] == [1, 2, 3] and facts["seed"] == 0
    assert {"jax", "numpy", "soloc"} <= set(facts["versions"]) and facts["revision"]
    assert "1 of 1 claims hold" in capsys.readouterr().out


def test_reproduce_returns_1_and_shows_the_claim_when_one_fails(tmp_path, capsys):
    assert main(["reproduce", "--quick", "--jobs", "2"]) == 1
    page = (tmp_path / "results" / "report" / "index.html").read_text()
    assert "✗ fails" in page and "1 of 2 claims fail" in page and "Quick settings" in page
    assert "FAILS  Pigs fly" in capsys.readouterr().err


def test_a_second_run_computes_nothing_and_writes_the_same_bytes(tmp_path):
    main(["reproduce", "--jobs", "2"])
    before = files(tmp_path / "results")
    stamps = {
        path: path.stat().st_mtime_ns
        for path in (tmp_path / "results" / "cache").rglob("*.parquet")
    }
    main(["reproduce", "--jobs", "1"])
    after = files(tmp_path / "results")
    assert {path for path in before if before[path] != after[path]} <= {
        next(p for p in before if p.name == "index.html")
    }
    assert all(path.stat().st_mtime_ns == stamp for path, stamp in stamps.items())


def test_a_damaged_cache_file_is_recomputed_with_a_warning(tmp_path, capsys):
    main(["reproduce", "--only", "toy_good"])
    before = files(tmp_path / "results" / "report" / "data")
    victim = next((tmp_path / "results" / "cache" / "toy_good").glob("*.parquet"))
    victim.write_bytes(b"PAR1" + b"\0" * 40)
    assert main(["reproduce", "--only", "toy_good"]) == 0
    assert "warning: " in capsys.readouterr().err
    assert files(tmp_path / "results" / "report" / "data") == before


def test_the_seed_moves_the_numbers_and_nothing_else(tmp_path):
    main(["reproduce", "--only", "toy_good", "--seed", "7"])
    table = pd.read_parquet(tmp_path / "results" / "report" / "data" / "toy_good.parquet")
    expected = toy_catalogue.run(toy_catalogue.Config(seed=7))
    pd.testing.assert_frame_equal(table, expected, check_exact=True)


def test_an_experiment_whose_extra_is_missing_is_left_out_with_its_pip_line(
    tmp_path, capsys, monkeypatch
):
    needy = replace(toy_catalogue.BAD, needs=("no_such_module",), extra="text")
    show(monkeypatch, toy_catalogue.GOOD, needy)
    sentence = "toy_bad is left out: it needs no_such_module (pip install 'soloc[text]')."
    assert main(["reproduce", "--quick", "--jobs", "1"]) == 0
    assert sentence in capsys.readouterr().err
    page = (tmp_path / "results" / "report" / "index.html").read_text()
    assert escape(sentence) in page and "All 1 claims hold" in page
    assert main(["run", "toy_bad"]) == 2
    assert sentence in capsys.readouterr().err


def test_list_names_every_experiment_with_its_question(capsys):
    assert main(["list"]) == 0
    assert "toy_good  Do toys hold?" in capsys.readouterr().out


def test_figure_writes_the_format_of_the_file_name_and_the_same_bytes_twice(tmp_path):
    for kind in ("svg", "pdf", "png"):
        assert main(["figure", "toy_good", "--file", f"a.{kind}"]) == 0
        assert main(["figure", "toy_good", "--file", f"b.{kind}"]) == 0
        assert (tmp_path / f"a.{kind}").read_bytes() == (tmp_path / f"b.{kind}").read_bytes()


def test_run_takes_settings_of_every_kind(tmp_path, capsys):
    settings = [
        "--set",
        "lengths=5,6",
        "--set",
        "lam=2",
        "--set",
        "draws=1e1",
        "--set",
        "label=other",
    ]
    assert main(["run", "toy_good", *settings]) == 0
    table = pd.read_parquet(next((tmp_path / "results" / "runs").glob("toy_good-*.parquet")))
    expected = toy_catalogue.run(toy_catalogue.Config((5, 6), 2.0, 10, "other"))
    pd.testing.assert_frame_equal(table, expected, check_exact=True)
    assert "There are 2 rows" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (
            ["run", "toy_good", "--set", "wrong=1"],
            "draws (now 100), label (now plain), lam (now 0.5), lengths (now 1,2,3)",
        ),
        (["run", "toy_good", "--set", "lam"], "must be key=value"),
        (
            ["run", "toy_good", "--set", "lam=high"],
            "`lam` must be a number, as its present value 0.5; got 'high'",
        ),
        (["run", "toy_good", "--set", "draws=1.5"], "`draws` must be a whole number"),
        (["run", "toy_god"], "Did you mean toy_good?"),
        (
            ["reproduce", "--only", "nothing"],
            "`NAME` must be one of toy_good, toy_bad; got 'nothing'",
        ),
        (["figure", "toy_good", "--file", "a.gif"], "must end in one of .svg, .pdf, .png"),
        (["reproduce", "--jobs", "0"], "`jobs` must be a whole number >= 1"),
    ],
)
def test_a_mistake_gets_one_sentence_and_exit_code_2(arguments, sentence, capsys):
    assert main(arguments) == 2
    assert sentence in capsys.readouterr().err


def test_a_poison_cell_is_named_the_others_finish_and_the_exit_code_is_3(
    tmp_path, capsys, monkeypatch
):
    poison = replace(toy_catalogue.BAD, run=toy_catalogue.run_with_poison)
    show(monkeypatch, toy_catalogue.GOOD, poison)
    assert main(["reproduce", "--quick", "--jobs", "2"]) == 3
    error = capsys.readouterr().err
    assert "1 cell has no result" in error and "'lengths': [2]" in error and "was lost" in error
    assert (tmp_path / "results" / "report" / "data" / "toy_good.parquet").exists()
    page = (tmp_path / "results" / "report" / "index.html").read_text()
    assert "Do toys hold?" in page and "toy_bad left out: not all cells could be computed." in page
