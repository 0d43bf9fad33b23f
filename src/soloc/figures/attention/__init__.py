"""Figures of the chapter on attention."""
