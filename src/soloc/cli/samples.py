"""`soloc samples`: how many sequences the best learner needs for a risk."""

import json
import math
from argparse import Namespace
from typing import Any

from soloc.cli.risk import number


def add(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "samples",
        help="how many sequences the best learner needs for a risk",
        description=(
            "The n/d at which the Bayes-optimal learner, and AMP with it, reaches a risk at gamma ="
            " 1, in the limit of many dimensions (replica result, confirmed by simulation)."
        ),
    )
    value = {"metavar": "NUMBER"}
    parser.add_argument("--risk", required=True, help="the risk to reach", **value)
    parser.add_argument("--signal", required=True, help="signal strength m, of order one", **value)
    parser.add_argument("--length", default="10", help="number of tokens L (default 10)", **value)
    parser.add_argument(
        "--eps",
        default="0",
        help="standard deviation of the noise on the answer (default 0)",
        **value,
    )
    parser.add_argument("--d", default=None, help="dimension, to answer n as well", **value)
    parser.add_argument("--json", action="store_true", help="full precision, for programs")
    parser.set_defaults(run=run)


def run(options: Namespace) -> int:
    """Print the answer."""
    from soloc.learning.bayes import bayes_curve, samples_for, tails
    from soloc.maths.numbers import check_whole
    from soloc.tasks.single_location import SingleLocation

    task = SingleLocation(
        L=number(options.length),
        gamma=1.0,
        eps=number(options.eps),
        signal=number(options.signal),
    )
    risk = number(options.risk)
    ratio = samples_for(task, risk)
    row = bayes_curve(task, ratio).iloc[0]
    answer = {
        "samples_per_dimension": ratio,
        "q_k": float(row.q_k),
        "q_v": float(row.q_v),
        "mass": float(row.mass),
        "risk": float(row.risk),
        "risk_of_all_data": float(bayes_curve(task, math.inf).risk[0]),
        "tail": tails(task).risk,
    }
    if options.d is not None:
        d = number(options.d)
        check_whole("d", d, 4)
        answer["n"] = math.ceil(ratio * d)
    if options.json:
        print(json.dumps(answer, indent=2))
        return 0
    print(f"n/d     {ratio:.6g}")
    if "n" in answer:
        print(f"n       {answer['n']}")
    print(f"q_k     {answer['q_k']:.6g}\nq_v     {answer['q_v']:.6g}\nmass    {answer['mass']:.6g}")
    print(f"limit   {answer['risk_of_all_data']:.6g} + {answer['tail']:.3g} d/n with more data")
    return 0
