"""Thinned bags: sums over instances stay right on average, and nobody a key points at is lost."""

import numpy as np

from soloc.datasets import single_location_law
from soloc.estimators import Bags, SingleLocationRegressor
from soloc.estimators.instances import Instances
from soloc.estimators.objectives.data import Data
from soloc.estimators.objectives.likelihood import Likelihood
from soloc.estimators.thinning import FEWEST, thinned

RNG = np.random.default_rng(0)
N, LENGTH, WIDTH = 60, 3000, 5


def long_bags():
    x = RNG.standard_normal((N * LENGTH, WIDTH))
    decisive = np.arange(N) * LENGTH + RNG.integers(LENGTH, size=N)
    x[decisive, 0] += 7
    return Bags(x, np.arange(N + 1) * LENGTH), decisive


def data_of(bags, y):
    instances = Instances(bags, np.zeros(WIDTH), np.ones(WIDTH))
    return Data(instances, y, None, True, np.ones(len(bags)), 1.0)


BAGS, DECISIVE = long_bags()
LABELS = BAGS.values[DECISIVE, 1]
DATA = data_of(BAGS, LABELS)
KEYS = [3.0 * np.eye(WIDTH)[0], -3.0 * np.eye(WIDTH)[2]]
FEW = thinned(DATA, KEYS, 0)


def test_few_are_kept_and_whoever_a_key_points_at_counts_once():
    instances = FEW.instances
    assert 0.5 * N < instances.count / FEWEST < 1.25 * N and instances.stands_for == N * LENGTH
    kept = {tuple(row): count for row, count in zip(instances.x, instances.log_counts, strict=True)}
    for row in BAGS.values[DECISIVE]:
        assert kept[tuple(row)] == 0.0


def test_sums_over_instances_are_right_on_average():
    for key in (np.zeros(WIDTH), 0.5 * KEYS[0] + 0.5, KEYS[1], RNG.standard_normal(WIDTH)):
        full = DATA.instances.total(np.exp(DATA.instances.scores(key)))
        ratio = FEW.instances.total(np.exp(FEW.instances.scores(key))) / full
        assert abs(ratio.mean() - 1) < 4 * ratio.std() / np.sqrt(N)


def test_the_likelihood_of_thinned_bags_is_nearly_that_of_all():
    point = np.concatenate([KEYS[0], np.eye(WIDTH)[1], [0.0, np.log(0.3)]])
    assert abs(Likelihood(FEW)(point)[0] - Likelihood(DATA)(point)[0]) < 0.01


def test_the_draw_does_not_depend_on_the_order():
    order, shuffled = RNG.permutation(N), np.arange(N * LENGTH)
    shuffled = RNG.permuted(shuffled.reshape(N, LENGTH), axis=1)[order].ravel()
    other = thinned(data_of(Bags(BAGS.values[shuffled], BAGS.offsets), LABELS[order]), KEYS, 0)
    ours, theirs = ({tuple(row) for row in found.instances.x} for found in (FEW, other))
    assert ours == theirs


def test_short_bags_are_left_alone_and_bags_of_one_instance_many_times_are_not_emptied():
    short = data_of(BAGS[:2].with_values(BAGS[:2].values), LABELS[:2])
    assert thinned(short, KEYS, 6000) is short
    assert thinned(DATA, [], 0) is DATA
    same = np.repeat(RNG.standard_normal((N, WIDTH)), LENGTH, axis=0)
    found = thinned(data_of(Bags(same, BAGS.offsets), LABELS), KEYS, 0)
    assert (found.instances.lengths > 0).all()


def test_a_fit_to_long_bags_names_the_decisive_instances():
    law = single_location_law(6, 8.0, random_state=1)
    train = law.sample(60, 600, random_state=1)
    test = law.sample(40, 600, random_state=2)
    model = SingleLocationRegressor().fit(train.bags, train.labels)
    assert np.mean(model.locate(test.bags) == test.locations) > 0.95
    assert np.corrcoef(model.predict(test.bags), test.labels)[0, 1] > 0.9


def test_verbose_tells_stages_and_iterations(capsys):
    data = single_location_law(4, 5.0).sample(60, 4)
    SingleLocationRegressor(alpha=1.0).fit(data.bags, data.labels)
    assert capsys.readouterr().err == ""
    SingleLocationRegressor(alpha=1.0).fit(data.bags, data.labels, verbose=True)
    said = capsys.readouterr().err
    for words in ("comparing 32 starts", "choosing loss", "fitting all bags", "iteration "):
        assert words in said
