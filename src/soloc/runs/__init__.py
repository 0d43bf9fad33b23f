"""Plumbing, no science: grids, seeds, stores and progress."""
