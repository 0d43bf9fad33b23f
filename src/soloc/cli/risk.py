"""`soloc risk`: the risk of an attention predictor beside Bayes, linear and null."""

import argparse
import json
from typing import Any

#: The overlaps with their default and meaning.
OVERLAPS = {
    "kappa": ("1", "k . k*"),
    "nu": ("1", "v . v*"),
    "theta": ("0", "v . k*"),
    "eta": ("0", "k . v*"),
    "rho": ("0", "k . v"),
}


def add(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "risk",
        help="exact risk of an attention predictor beside Bayes, linear and null",
        description=(
            "Population risk of an attention predictor on the task. Exact unless a ± says"
            " otherwise."
        ),
    )
    parser.add_argument(
        "--attention",
        default="erf",
        metavar="NAME",
        help="a weight, as erf (default) or softmax; a wrong name is answered with all of them",
    )
    number = {"metavar": "NUMBER"}
    parser.add_argument("--lam", default="1", help="inverse temperature (default 1)", **number)
    parser.add_argument("--d", default="400", help="dimension of a token (default 400)", **number)
    parser.add_argument("--length", default="10", help="number of tokens L (default 10)", **number)
    parser.add_argument(
        "--gamma",
        default=None,
        help="standard deviation of the signal token (default sqrt(1/2))",
        **number,
    )
    parser.add_argument(
        "--eps",
        default="0",
        help="standard deviation of the noise on the answer (default 0)",
        **number,
    )
    parser.add_argument(
        "--signal", default=None, help="signal strength m (default sqrt(d/2))", **number
    )
    for name, (default, meaning) in OVERLAPS.items():
        parser.add_argument(
            f"--{name}", default=default, help=f"overlap {meaning} (default {default})", **number
        )
    parser.add_argument(
        "--samples", default=None, help="sequences to simulate where no exact risk exists", **number
    )
    parser.add_argument("--seed", default="0", help="seed of the simulation (default 0)", **number)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the table."""
    import jax  # here and below: help comes at once

    from soloc.maths.numbers import check_count
    from soloc.predictors.catalogue import find
    from soloc.risk.baselines import bayes_risk, linear_risk, log_bayes_excess, null_risk
    from soloc.risk.estimate import Estimate
    from soloc.risk.overlaps import Overlaps
    from soloc.risk.pairs import find as pair_of
    from soloc.risk.population import excess_risk
    from soloc.tasks.single_location import SingleLocation

    kind = find(options.attention).kind
    gamma = {} if options.gamma is None else {"gamma": number(options.gamma)}
    signal = None if options.signal is None else number(options.signal)
    task = SingleLocation(
        number(options.d), number(options.length), eps=number(options.eps), signal=signal, **gamma
    )
    weight = kind(number(options.lam))
    overlaps = Overlaps(*(number(getattr(options, name)) for name in OVERLAPS))
    samples = None if options.samples is None else number(options.samples)
    if samples is not None:
        check_count("samples", samples, 2)
    seed = number(options.seed)
    check_count("seed", seed, 0)
    # an exact risk needs no key, and so no backend of JAX
    key = jax.random.key(seed % 2**32) if pair_of(task, weight).excess is None else None
    excess = excess_risk(task, weight, overlaps, key=key, samples=samples)
    log_bayes = log_bayes_excess(task)
    rows = {
        "risk": (
            excess + task.eps**2 if isinstance(excess, Estimate) else float(excess) + task.eps**2
        ),
        "excess": excess,
        "bayes": bayes_risk(task),
        "linear": linear_risk(task),
        "null": null_risk(task),
    }
    print(as_json(rows, float(log_bayes)) if options.json else as_table(rows, float(log_bayes)))
    return 0


def number(text: str) -> Any:
    """The number in `text`, an int where whole (also as 1e9); other text is left as it is."""
    try:
        value = float(text)
    except ValueError:
        return text
    return int(value) if value.is_integer() else value


def as_table(rows: dict[str, Any], log_bayes: float) -> str:
    """One aligned line per quantity, with ± the standard error where the number was simulated."""
    numbers = {name: f"{float(value):.10g}" for name, value in rows.items()}
    if float(rows["bayes"]) == 0.0:  # below the smallest double
        numbers["bayes"] = f"exp({log_bayes:.8g})"
    width = max(map(len, numbers.values()))
    errors = [
        f" ± {float(value.error):.2g}" if hasattr(value, "error") else "" for value in rows.values()
    ]
    return "\n".join(
        f"{name:<8}{text:<{width}}{error}".rstrip()
        for (name, text), error in zip(numbers.items(), errors, strict=True)
    )


def as_json(rows: dict[str, Any], log_bayes: float) -> str:
    """The same numbers in full, with an entry `<name>_error` where a number was simulated."""
    numbers: dict[str, float] = {}
    for name, value in rows.items():
        numbers[name] = float(value)
        if hasattr(value, "error"):
            numbers[f"{name}_error"] = float(value.error)
    return json.dumps(numbers | {"log_bayes_excess": log_bayes}, indent=2)
