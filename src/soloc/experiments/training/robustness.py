"""How robust is training? Noise, length, speed, several decisive tokens."""

import pandas as pd

from soloc.experiments.certificates import Certificate
from soloc.experiments.experiment import Experiment
from soloc.experiments.training.stresses import Config, length, noise, several, speed


def run(config: Config) -> pd.DataFrame:
    """Rows of the four parts; columns that a part does not use are empty."""
    parts = {"speed": speed, "length": length, "noise": noise, "several": several}
    unknown = [name for name in config.parts if name not in parts]
    if unknown:
        raise ValueError(f"`parts` must be among {', '.join(parts)}, got {unknown[0]!r}.")
    return pd.concat(
        [parts[name](config).assign(part=name) for name in config.parts], ignore_index=True
    )


def _ratio(table: pd.DataFrame) -> pd.Series:
    speed = table[table.part == "speed"]
    return (speed.measured / speed.hessian_key).dropna()


def findings(table: pd.DataFrame) -> str:
    """What the table shows."""
    said = []
    if (table.part == "speed").any():
        ratio = _ratio(table)
        said.append(
            "Near the truth training converges at the rate that the Hessian predicts, for every"
            f" gamma, lam and L (ratio {ratio.min():.3f} to {ratio.max():.3f})"
        )
    if (table.part == "length").any():
        ends = table[table.part == "length"].groupby("L")[["steps_needed", "excess"]].median()
        said.append(
            f"length changes the risk ({ends.excess.iloc[0]:.3f} at L = {ends.index[0]:.0f},"
            f" {ends.excess.iloc[-1]:.2f} at L = {ends.index[-1]:.0f}) but not the way on the"
            f" manifold ({ends.steps_needed.min():,.0f}-{ends.steps_needed.max():,.0f} steps)"
        )
    first = f"{'; '.join(said)}." if said else ""
    rest = []
    if (table.part == "noise").any():
        nu = table[table.part == "noise"].groupby("eps").nu.median()
        rest.append(
            f"label noise costs alignment: |nu| = {nu.iloc[0]:.3f} at eps = {nu.index[0]:g}, "
            f"{nu.iloc[-1]:.2f} at {nu.index[-1]:g}"
        )
    if (table.part == "several").any():
        ends = _several_ends(table)
        best = (
            table[(table.part == "several") & (table.kind == "risk")]
            .groupby("decisive")
            .excess.min()
        )
        listed = ", ".join(f"{r:.0f}: {value:.4f}" for r, value in best.items())
        rest.append(
            "with several decisive tokens training still ends at the truth (smallest |kappa| "
            f"{ends.kappa.min():.3f}) and the excess at the best lam is {listed}"
        )
    return f"{first} {'; '.join(rest)[:1].upper()}{'; '.join(rest)[1:]}." if rest else first


def _several_ends(table: pd.DataFrame) -> pd.DataFrame:
    paths = table[(table.part == "several") & (table.kind == "path")]
    return paths[paths.step == paths.step.max()]


def certificates(table: pd.DataFrame) -> list[Certificate]:
    """Speed against the Hessian, length, noise, several decisive tokens."""
    claims = []
    if (table.part == "speed").any():
        ratio = _ratio(table)
        speed = table[table.part == "speed"]
        claims.append(
            Certificate(
                "Near the truth training converges at the rate that the Hessian predicts",
                f"decay of 1 - |kappa| on {len(ratio)} paths against the Hessian's eigenvalue for"
                " k, over gamma, lam and L",
                "ratio 1 +- 0.02 on at least half of the settings (slow ones do not get close"
                " enough to be measured)",
                f"{ratio.min():.4f} to {ratio.max():.4f} on {len(ratio)} of {len(speed)}",
                bool(((ratio - 1.0).abs() < 0.02).all() and len(ratio) >= len(speed) / 2),
            )
        )
    if (table.part == "length").any():
        rows = table[table.part == "length"]
        claims.append(
            Certificate(
                "On the manifold training succeeds at every length",
                f"|kappa|, |nu| > .9 after training, L = {rows.L.min():.0f} to {rows.L.max():.0f}",
                "all runs",
                f"{rows.steps_needed.notna().sum()} of {len(rows)}",
                bool(rows.steps_needed.notna().all()),
                "the risk at a fixed lam still grows with L: alignment is not a small risk.",
            )
        )
    if (table.part == "noise").any():
        nu = table[table.part == "noise"].groupby("eps").nu.median()
        claims.append(
            Certificate(
                "Label noise lowers the alignment that stochastic descent reaches, gradually",
                "median |nu| at the end, over eps",
                "falls with eps; above .95 at eps <= .3",
                ", ".join(f"{value:.3f} at {eps:g}" for eps, value in nu.items()),
                bool((nu.diff().dropna() < 2e-3).all() and (nu[nu.index <= 0.3] > 0.95).all()),
            )
        )
    if (table.part == "several").any():
        ends = _several_ends(table)
        claims.append(
            Certificate(
                "With two or three decisive tokens training on the manifold still finds (k*, v*)",
                "smallest |kappa| and |nu| over the runs, at the best lam of each number",
                "above .95",
                f"|kappa| {ends.kappa.min():.4f}, |nu| {ends.nu.min():.4f}",
                bool(min(ends.kappa.min(), ends.nu.min()) > 0.95),
            )
        )
    return claims


EXPERIMENT = Experiment(
    name="robustness",
    question="How robust is training to noise, length and more than one decisive token?",
    config=Config(),
    quick=Config(
        parts=("speed", "length", "several"),
        gammas=(0.7071067811865476, 1.0),
        lengths=(2, 10, 100),
        runs=4,
    ),
    run=run,
    findings=findings,
    certificates=certificates,
    axes=("parts",),
    seconds=6.0,
)
