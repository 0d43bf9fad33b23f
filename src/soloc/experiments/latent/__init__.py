"""Attention as inference of a latent variable."""
