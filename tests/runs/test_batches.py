"""Who computes what: a function stays with its worker while there is another one to begin."""

from soloc.runs.engines.batches import Waiting
from soloc.runs.engines.calls import Call


def long(number):
    return number


def short(number):
    return -number


def taken(waiting, batch):
    assert batch is not None
    return [waiting._calls[place].function for place in batch.places]


def test_a_function_is_begun_by_one_worker_and_helped_with_at_the_end():
    calls = [Call(short, (i,), 1.0) for i in range(3)] + [Call(long, (i,), 5.0) for i in range(3)]
    waiting = Waiting(calls, 2, 0.2)
    first, second = waiting.take(), waiting.take()
    assert taken(waiting, first) == [long] and taken(waiting, second) == [short]
    for _ in range(2):
        second = waiting.take(second.kind)
        assert taken(waiting, second) == [short]
    assert taken(waiting, waiting.take(second.kind)) == [long]
    assert taken(waiting, waiting.take(first.kind)) == [long]
    assert waiting.take(first.kind) is None


def test_what_is_given_back_is_left_to_do():
    calls = [Call(long, (0,), 5.0), Call(short, (0,), 1.0), Call(short, (1,), 1.0)]
    waiting = Waiting(calls, 2, 0.2)
    batch, _ = waiting.take(), waiting.take()
    waiting.give_back(batch.places)
    assert taken(waiting, waiting.take()) == [long]  # both are begun: the one with most left
