"""All experiments, in the order in which a reader meets them."""

from soloc.experiments import (
    attentions,
    bayes_optimality,
    failures,
    foundations,
    initialisation,
    localisation,
    robustness,
    temperature,
    training,
)
from soloc.experiments.experiment import Experiment
from soloc.experiments.latent import LATENT_EXPERIMENTS
from soloc.experiments.text import TEXT_EXPERIMENTS

EXPERIMENTS: tuple[Experiment, ...] = (
    *training.EXPERIMENTS,
    bayes_optimality.EXPERIMENT,
    temperature.EXPERIMENT,
    attentions.EXPERIMENT,
    localisation.EXPERIMENT,
    robustness.EXPERIMENT,
    initialisation.EXPERIMENT,
    failures.EXPERIMENT,
    foundations.EXPERIMENT,
    *LATENT_EXPERIMENTS,
    *TEXT_EXPERIMENTS,
)
