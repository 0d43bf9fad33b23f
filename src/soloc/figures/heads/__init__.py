"""Figures of several heads and of the largest score."""
