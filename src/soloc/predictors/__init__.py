"""What guesses: attention layers, their weights, and baselines."""
