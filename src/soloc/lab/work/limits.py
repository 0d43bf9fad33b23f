"""What is said when there is more work than the lab takes on."""


class Busy(Exception):
    """Too many computations wait already; the same question can be asked again."""


class StillComputing(Exception):
    """The answer is on its way; the same question can be asked again."""


class TooLong(Exception):
    """A computation takes longer than its limit, whoever waits."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds

    def __str__(self) -> str:
        return f"This takes more than {self.seconds:g} s to compute; take a smaller setting."
