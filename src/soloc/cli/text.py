"""`soloc text`: fit a model to texts with scores, explain sentences, show it on rated sentences."""

import argparse
import sys
import warnings
from pathlib import Path
from typing import Any

from soloc.cli.fit import number_or_auto, say, show_progress
from soloc.cli.outputs import check_output
from soloc.cli.tables import read_table


def add(subparsers: Any) -> None:
    """Register the command and its three verbs."""
    parser = subparsers.add_parser("text", help="find the word that decides: fit, explain, demo")
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    fit = verbs.add_parser("fit", help="fit a model to a table with one text and one score per row")
    fit.add_argument("data", type=Path, help="Parquet, CSV or TSV file, one row per text")
    fit.add_argument("--text", required=True, help="column of the text")
    fit.add_argument(
        "--label", required=True, help="column of the score, or of the class with --classify"
    )
    fit.add_argument(
        "--out", type=Path, default=Path("text.soloc"), help="model file to write (text.soloc)"
    )
    fit.add_argument("--classify", action="store_true", help="the label is a class, not a number")
    fit.add_argument(
        "--model",
        default="wordllama",
        help="wordllama (static vectors), minilm, a model folder, or a name (wordllama)",
    )
    fit.add_argument(
        "--layer",
        type=int,
        default=-1,
        help="hidden state of a transformer that is taken (-1: the last)",
    )
    fit.add_argument(
        "--loss",
        default="auto",
        help="auto, likelihood, or squared (cross_entropy with --classify)",
    )
    fit.add_argument("--alpha", default="auto", help='ridge penalty, or "auto"')
    fit.set_defaults(run=run_fit)
    explain = verbs.add_parser("explain", help="show which word of a sentence decided")
    explain.add_argument("model", type=Path, help="model file written by `soloc text fit`")
    explain.add_argument("sentence", nargs="+", help="one or more sentences, each in quotes")
    explain.add_argument("--out", type=Path, help="also write a page: .html")
    explain.set_defaults(run=run_explain)
    demo = verbs.add_parser(
        "demo", help="fit rated sentences in seconds, write a page of new ones and the model"
    )
    demo.add_argument(
        "--out", type=Path, default=Path("text.html"), help="page to write (text.html)"
    )
    demo.add_argument("--save", type=Path, help="also write the model")
    demo.set_defaults(run=run_demo)


def run_fit(options: argparse.Namespace) -> int:
    """Fit, say how well, write the model."""
    from soloc.text import save_text_model, text_pipeline

    # the model may be a folder, whose files are read
    check_output("--out", options.out, options.data, *Path(options.model).glob("*"))
    frame = read_table(options.data)
    for option, column in (("--text", options.text), ("--label", options.label)):
        if column not in frame.columns:
            raise ValueError(
                f"`{option}` must be a column of the table ({', '.join(map(str, frame.columns))}),"
                f" got {column!r}."
            )
    labels = frame[options.label]
    if labels.isna().any():
        raise ValueError(
            f"row {int(labels.isna().to_numpy().argmax())} of `{options.label}` is missing; drop"
            " such rows first."
        )
    parameters = {"loss": options.loss, "alpha": number_or_auto(options.alpha)}
    model = text_pipeline(options.model, options.layer, classes=options.classify, **parameters)
    say(f"{len(frame)} texts")
    model[-1].on_progress = show_progress
    model.fit(frame[options.text].tolist(), labels.to_numpy())
    if sys.stderr.isatty():
        say("")
    say(str(model[-1].diagnostics_))
    save_text_model(model, options.out, {"column": options.text, "label": options.label})
    print(f"wrote {options.out}")
    return 0


def run_explain(options: argparse.Namespace) -> int:
    """Print the sentences with the decisive word in brackets, and write the page when asked."""
    from soloc.runs.files import write_atomically
    from soloc.text import explain_sentences, load_text_model, sentence_page

    check_page(options.out, options.model)
    found = explain_sentences(load_text_model(options.model), options.sentence)
    print("\n\n".join(str(explanation) for explanation in found))
    if options.out is not None:
        write_atomically(options.out, sentence_page(found, "Which word decides?").encode())
        print(f"wrote {options.out}")
    return 0


def run_demo(options: argparse.Namespace) -> int:
    """Fit rated sentences, and show sentences of new templates with new words."""
    from soloc.runs.files import write_atomically
    from soloc.text import (
        explain_sentences,
        fit_rated_sentences,
        rated_sentences,
        save_text_model,
        sentence_page,
    )

    check_page(options.out)
    if options.save is not None:
        check_output("--save", options.save)
    say("fitting 4,000 rated sentences")
    model = fit_rated_sentences(4000)
    new = rated_sentences(500, "both")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = explain_sentences(model, new.texts)
    right = sum(e.decisive == word for e, word in zip(found, new.words, strict=True))
    truths = [
        f"rated {score:+.1f} by people for “{word}”"
        for score, word in zip(new.scores, new.words, strict=True)
    ]
    title = f"New sentences, new words: the decisive one is found in {right} of {len(found)}"
    write_atomically(options.out, sentence_page(found[:40], title, truths[:40]).encode())
    print(f"wrote {options.out}")
    if options.save is not None:
        save_text_model(model, options.save)
        print(f"wrote {options.save}")
    return 0


def check_page(path: Path | None, *inputs: Path) -> None:
    """Refuse a page that is none, would replace an input, or cannot be written."""
    if path is None:
        return
    if path.suffix.lower() != ".html":
        raise ValueError(f"`--out` must end in .html, got {path.name}.")
    check_output("--out", path, *inputs)
