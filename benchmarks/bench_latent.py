"""Speed and memory of the latent system: its bars, and ratios against plain baselines in the same
run.
"""

import resource
import subprocess
import sys
from dataclasses import replace

import jax
import numpy as np
from bars import bar, best_of, results
from threadpoolctl import threadpool_limits

from soloc.maths.harmonics import Harmonics
from soloc.maths.randomness import generator
from soloc.predictors.kernel_mean import FeatureKernel, KernelMeanAttention
from soloc.tasks.exchangeable_latent import ExchangeableLatent, KeyValues
from soloc.tasks.gaussian_moments import gaussian_moments
from soloc.tasks.key_laws import weakly_spread

ALL = """
import sys, time
start = time.perf_counter()
from soloc.experiments.registry import chapter
failed = 0
for experiment in chapter("latent"):
    table = experiment.run(experiment.quick if sys.argv[1] == "quick" else experiment.config)
    failed += sum(not claim.passed for claim in experiment.certificates(table))
print(time.perf_counter() - start, time.process_time(), failed)
"""


def peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def long_sequence() -> None:
    """Inference on 10^6 tokens, D = 8: representation, posterior, answer to a query."""
    task = ExchangeableLatent()
    rng = generator(jax.random.key(0))
    before = peak_megabytes()
    keys, values = np.empty((10**6, 3)), np.empty((10**6, 1))
    latent = task.latent(rng, 1)
    for start in range(0, 10**6, 50_000):
        piece = task.tokens(rng, latent, 50_000)
        keys[start : start + 50_000], values[start : start + 50_000] = (
            piece.keys[0],
            piece.values[0],
        )
    query = task.key_law.draw(rng)

    def infer() -> np.ndarray:
        return task.infer(task.represent(KeyValues(keys, values))).mean @ task.features(query)

    seconds = best_of(3, infer)
    grown = peak_megabytes() - before

    def plain() -> np.ndarray:
        phi = task.features(keys)
        return np.linalg.solve(
            phi.T @ phi + task.ridge * np.eye(8), phi.T @ values
        ).T @ task.features(query)

    bar("inference on 10^6 tokens, D = 8, CPU time (plain: all features at once)", seconds, 1.0,
        "s", plain=best_of(3, plain))  # fmt: skip
    bar("the same, growth of peak memory with the tokens themselves", grown, 200, "MB")


def woodbury() -> None:
    """CME with few features against the L x L matrix."""
    task = ExchangeableLatent()
    keys, _, query, *_ = replace(task, L=2000).sample((), jax.random.key(1), 1)
    fast = best_of(
        5, lambda: KernelMeanAttention(FeatureKernel(Harmonics()), 0.25).weights(keys, query)
    )

    def plain() -> np.ndarray:
        phi = task.features(keys[0])
        return np.linalg.solve(phi @ phi.T + 0.25 * np.eye(len(phi)), phi @ task.features(query[0]))

    ratio = best_of(2, plain) / fast
    bar("CME of 2000 tokens against an L x L solve", ratio, 10, "times", at_least=True)


def wishart() -> None:
    """Moments from their own law against moments of drawn tokens."""
    law = weakly_spread(10)
    rng = np.random.default_rng(0)
    fast = best_of(5, lambda: gaussian_moments(rng, law, 400, 256, 4, 0.5))

    def plain() -> np.ndarray:
        keys, latent = law.draw(rng, 400, 256), rng.standard_normal((400, 4, 6))
        values = keys @ latent.transpose(0, 2, 1) + 0.5 * rng.standard_normal((400, 256, 4))
        return values.transpose(0, 2, 1) @ keys / 256

    ratio = best_of(3, plain) / fast
    bar("moments of 400 sequences of 256 against drawn tokens", ratio, 10, "times", at_least=True)


def whole() -> None:
    """All latent experiments one after another in a fresh process, imports and compilation
    included.
    """
    for settings, limit in (("full", 45.0), ("quick", 8.0)):
        done = subprocess.run(
            [sys.executable, "-c", ALL, settings], capture_output=True, text=True, check=True
        )
        wall, cpu, failed = map(float, done.stdout.split()[-3:])
        bar(f"all latent experiments, {settings}, CPU time of one process", cpu, limit, "s")
        print(f"      wall time {wall:.1f} s on this machine now; claims that failed: {failed:.0f}")
        results.append(failed == 0)


if __name__ == "__main__":
    with threadpool_limits(limits=1):
        long_sequence()
        woodbury()
        wishart()
    whole()
    sys.exit(0 if all(results) else 1)
