"""Check every band of the latent experiments on fresh seeds (check_latent_bands.py --seeds 5)."""

import argparse
import sys
from dataclasses import replace

from soloc.experiments.registry import chapter


def check(seeds: list[int], quick: bool) -> bool:
    """Print every claim with what each seed measured; True when all hold."""
    held = True
    for experiment in chapter("latent"):
        config = experiment.quick if quick else experiment.config
        runs = [
            experiment.certificates(experiment.run(replace(config, seed=seed))) for seed in seeds
        ]
        print(f"\n== {experiment.name}: {experiment.question}")
        for claims in zip(*runs, strict=True):
            passed = all(claim.passed for claim in claims)
            held = held and passed
            print(f"{'PASS' if passed else 'FAIL'}  {claims[0].claim}")
            print(f"      {claims[0].check}: expected {claims[0].expected}")
            print(f"      measured {' | '.join(claim.measured for claim in claims)}")
    return held


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5, help="how many seeds")
    parser.add_argument(
        "--first-seed", type=int, default=1001, help="the first of them (the report itself uses 0)"
    )
    parser.add_argument("--quick", action="store_true", help="at the settings of --quick")
    options = parser.parse_args()
    seeds = list(range(options.first_seed, options.first_seed + options.seeds))
    held = check(seeds, options.quick)
    print(
        f"\n{'PASS' if held else 'FAIL'}: every band on seeds {seeds}"
        + (" (quick settings)" if options.quick else "")
    )
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
