"""The decisive word of real sentences."""
