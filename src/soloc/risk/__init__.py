"""How wrong: exact population risks of a (task, predictor) pair, and Monte Carlo beside them."""
