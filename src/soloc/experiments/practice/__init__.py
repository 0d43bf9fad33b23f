"""In practice: standard layers, real optimisers, other networks and other lengths."""
