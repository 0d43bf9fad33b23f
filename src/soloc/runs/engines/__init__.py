"""Engines: who computes the calls of a driver, here or on a cluster."""
