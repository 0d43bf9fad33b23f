"""What is said when there is more work than the lab takes on."""


class Busy(Exception):
    """Too many computations wait already."""


class TooSlow(Exception):
    """A computation took longer than its limit."""
