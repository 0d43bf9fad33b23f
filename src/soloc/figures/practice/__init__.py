"""Figures of the chapter "In practice"."""
