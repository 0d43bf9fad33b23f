"""Bags to start with: generated, and made from what scikit-learn ships."""
