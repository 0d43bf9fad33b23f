"""Figures of the learning curves."""
