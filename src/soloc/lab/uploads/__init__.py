"""Files from strangers: read in a process of its own, kept for a while, fitted, forgotten."""
