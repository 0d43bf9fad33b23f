"""All experiments by name, in the order in which a reader meets them."""

from soloc.closest import did_you_mean
from soloc.experiments.attention import bayes_optimality, problem, temperature, which_attention
from soloc.experiments.experiment import Experiment
from soloc.experiments.heads import counting, importance, largest, sharing, soft_labels
from soloc.experiments.latent import (
    degrees,
    inference,
    order,
    pretraining,
    representation,
    supervised,
    tasks,
)
from soloc.experiments.learning import (
    concentration,
    hardness,
    moment_start,
    samples,
    weights,
)
from soloc.experiments.practice import layer, lengths, needed, optimisers, retrieval
from soloc.experiments.text import decisive, heads, probing
from soloc.experiments.training import (
    failures,
    foundations,
    initialisation,
    localisation,
    paths,
    robustness,
)

EXPERIMENTS: dict[str, Experiment] = {}
#: What a report calls the folders; those of one name are one chapter.
CHAPTERS = {
    "attention": "One token decides",
    "training": "One token decides",
    "learning": "How much data",
    "heads": "Several heads",
    "latent": "Attention infers a latent",
    "practice": "In practice",
    "text": "Words",
}


def register(experiment: Experiment) -> Experiment:
    """Add an experiment: list, run, figure and reproduce know it from then on."""
    if experiment.name in EXPERIMENTS:
        raise ValueError(
            f"`name` must be new among the experiments, got {experiment.name!r}, which asks"
            f" {EXPERIMENTS[experiment.name].question!r}."
        )
    EXPERIMENTS[experiment.name] = experiment
    return experiment


def find(name: str) -> Experiment:
    """The experiment of that name; a wrong one is answered with the closest and the list."""
    if name in EXPERIMENTS:
        return EXPERIMENTS[name]
    hint = did_you_mean(name, EXPERIMENTS)
    raise ValueError(f"`NAME` must be one of {', '.join(EXPERIMENTS)}; got {name!r}.{hint}")


def chapter(name: str) -> list[Experiment]:
    """The experiments of one chapter."""
    return [experiment for experiment in EXPERIMENTS.values() if experiment.chapter == name]


for _experiment in (
    problem.EXPERIMENT,
    *paths.EXPERIMENTS,
    bayes_optimality.EXPERIMENT,
    temperature.EXPERIMENT,
    which_attention.EXPERIMENT,
    localisation.EXPERIMENT,
    robustness.EXPERIMENT,
    initialisation.EXPERIMENT,
    failures.EXPERIMENT,
    foundations.EXPERIMENT,
    samples.EXPERIMENT,
    concentration.EXPERIMENT,
    hardness.EXPERIMENT,
    moment_start.EXPERIMENT,
    weights.EXPERIMENT,
    sharing.EXPERIMENT,
    counting.EXPERIMENT,
    importance.EXPERIMENT,
    largest.EXPERIMENT,
    soft_labels.EXPERIMENT,
    tasks.EXPERIMENT,
    representation.EXPERIMENT,
    inference.EXPERIMENT,
    degrees.EXPERIMENT,
    supervised.EXPERIMENT,
    pretraining.EXPERIMENT,
    order.EXPERIMENT,
    layer.EXPERIMENT,
    optimisers.EXPERIMENT,
    needed.EXPERIMENT,
    lengths.EXPERIMENT,
    retrieval.EXPERIMENT,
    *decisive.EXPERIMENTS,
    probing.EXPERIMENT,
    heads.EXPERIMENT,
):
    register(_experiment)
