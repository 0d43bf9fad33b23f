"""The paper's experiments as values of the controls."""

from typing import Any, NamedTuple

from soloc.experiments.training.paths import PAPER, QUESTIONS, Config
from soloc.lab.controls import Controls

_LABELS = {
    "training_manifold": "On the manifold, λ = 0.1",
    "training_sphere_hot": "From the sphere, λ = 0.9",
    "training_sphere_cool": "From the sphere, λ = 0.1",
    "training_sphere_schedule": "From the sphere, λ falling",
    "training_sgd": "Stochastic gradients",
}


class Preset(NamedTuple):
    """Values of the controls for one experiment of the paper."""

    name: str
    label: str
    question: str
    values: dict[str, float | int | str]


def presets() -> list[dict[str, Any]]:
    """One preset per training experiment of the paper."""
    return [
        Preset(name, _LABELS[name], QUESTIONS[name], _values(config))._asdict()
        for name, config in PAPER.items()
    ]


def _values(config: Config) -> dict[str, float | int | str]:
    return {
        "d": config.d,
        "L": config.L,
        "gamma": config.gamma,
        "eps": config.eps,
        "weight": Controls.model_fields["weight"].default,
        "lam": config.lam,
        "where": config.start,
        "step_size": config.step_size,
        "steps": config.steps,
        "decay": config.lam_decay,
        "batch": config.batch,
        "starts": "",
        "t": 1.0,
    }
