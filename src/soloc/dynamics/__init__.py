"""How it moves: descent on the population risk and on samples."""
