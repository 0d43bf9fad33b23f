"""Figures of the chapter on latent."""
