"""The experiments on attention as inference of a latent variable, in the order of the story."""

from soloc.experiments import (
    latent_degrees,
    latent_inference,
    latent_order,
    latent_pretraining,
    latent_representation,
    latent_supervised,
    latent_tasks,
)

LATENT_EXPERIMENTS = (
    latent_tasks.EXPERIMENT,
    latent_representation.EXPERIMENT,
    latent_inference.EXPERIMENT,
    latent_degrees.EXPERIMENT,
    latent_supervised.EXPERIMENT,
    latent_pretraining.EXPERIMENT,
    latent_order.EXPERIMENT,
)
