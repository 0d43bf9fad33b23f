"""Plumbing, no science: cells, the store of their results, and the engines that compute them."""
