"""Figures of the chapter on text."""
