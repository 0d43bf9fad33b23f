"""Calls that wait, and how many travel together: short ones in batches, long ones alone."""

from collections import defaultdict, deque
from collections.abc import Iterable, Sequence

from soloc.runs.engines.calls import Call
from soloc.runs.worker import pack

_MOST = 500  # calls of one batch: what a death may send back


class Batch:
    """Calls of one function on their way to a worker."""

    def __init__(self, places: Iterable[int], function: bytes, kind: int) -> None:
        self.places = deque(places)
        self.function = function
        self.kind = kind


class Waiting:
    """The calls that nobody has taken yet, by function, each longest first."""

    def __init__(self, calls: Sequence[Call], hands: int, batch_seconds: float) -> None:
        self._calls, self.hands, self._batch_seconds = calls, hands, batch_seconds
        self._packed: dict[int, bytes] = {}
        self._queues: dict[int, deque[int]] = {}
        self._spent: dict[int, tuple[int, float]] = {}
        self._left: dict[int, float] = defaultdict(float)  # seconds that a queue takes, about
        self._begun: set[int] = set()
        for place in sorted(range(len(calls)), key=lambda i: -calls[i].seconds):
            function = calls[place].function
            if id(function) not in self._queues:
                self._queues[id(function)] = deque()
                self._packed[id(function)] = pack(function)
            self._queues[id(function)].append(place)
            self._left[id(function)] += calls[place].seconds

    def take(self, kind: int | None = None) -> Batch | None:
        """The next batch, of the function `kind` if it has any left: a worker has compiled it.

        Else of one that nobody has begun, that only one worker need compile it; when all are begun,
        of the one with most left.
        """
        if kind is None or not self._queues[kind]:
            kind = max(
                (each for each, queue in self._queues.items() if queue),
                key=lambda each: (each not in self._begun, self._left[each]),
                default=None,
            )
            if kind is None:
                return None
        self._begun.add(kind)
        places = [self._queues[kind].popleft() for _ in range(self._size(kind))]
        self._left[kind] -= sum(self._calls[place].seconds for place in places)
        return Batch(places, self._packed[kind], kind)

    def alone(self, place: int) -> Batch:
        """A call by itself."""
        kind = id(self._calls[place].function)
        return Batch([place], self._packed[kind], kind)

    def give_back(self, places: Iterable[int]) -> None:
        """Calls that were taken and not computed are next."""
        for place in reversed([*places]):
            self._queues[id(self._calls[place].function)].appendleft(place)
            self._left[id(self._calls[place].function)] += self._calls[place].seconds

    def put_last(self, place: int) -> None:
        """A call that may have killed its worker waits until the others are done."""
        self._queues[id(self._calls[place].function)].append(place)
        self._left[id(self._calls[place].function)] += self._calls[place].seconds

    def took(self, place: int, seconds: float) -> None:
        """A call has taken so long: how many travel together follows."""
        kind = id(self._calls[place].function)
        count, spent = self._spent.get(kind, (0, 0.0))
        self._spent[kind] = (count + 1, spent + seconds)

    def arguments(self, batch: Batch) -> list[tuple[int, tuple[object, ...]]]:
        """What a batch calls its function with, by place."""
        return [(place, self._calls[place].arguments) for place in batch.places]

    def _size(self, kind: int) -> int:
        count, spent = self._spent.get(kind, (0, 0.0))
        left = len(self._queues[kind])
        if count == 0:
            return 1
        wanted = int(self._batch_seconds * count / max(spent, 1e-9))
        fair = -(-left // (2 * max(self.hands, 1)))  # so that nobody waits long for the last batch
        return max(1, min(wanted, fair, _MOST))
