"""Experiments as values of the controls: those of the paper, and one that goes beyond it."""

from typing import Any, NamedTuple

from soloc.experiments.heads.sharing import EXPERIMENT as SHARING
from soloc.experiments.training.paths import PAPER, QUESTIONS, Config
from soloc.lab.controls import Controls

_LABELS = {
    "training_manifold": "It finds the token (λ = 0.1)",
    "training_sphere_hot": "It gets stuck (λ = 0.9)",
    "training_sphere_schedule": "A falling λ rescues it",
    "training_sphere_cool": "Half of the starts end swapped",
    "training_sgd": "From samples (SGD)",
}


class Preset(NamedTuple):
    """Values of the controls for one experiment."""

    name: str
    label: str
    question: str
    values: dict[str, float | int | str]


def presets() -> list[dict[str, Any]]:
    """One preset per training experiment of the paper, and two heads for two kinds."""
    made = [
        Preset(name, _LABELS[name], QUESTIONS[name], _values(config))
        for name, config in ((name, PAPER[name]) for name in _LABELS)
    ]
    two = _values(PAPER["training_manifold"]) | {"heads": 2, "kinds": 2, "steps": 20_000}
    made.append(Preset("heads_share", "Two heads do not specialise", SHARING.question, two))
    return [preset._asdict() for preset in made]


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
        "heads": 1,
        "kinds": 1,
        "starts": "",
        "t": 1.0,
    }
