"""Figures of the chapter on training."""
