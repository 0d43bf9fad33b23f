"""Generated data obey their laws: moments, locations, lengths, disjoint images."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from soloc.datasets import digit_bags, make_peptides, make_single_location, single_location_law


def test_the_decisive_instance_follows_its_law_and_sets_the_label():
    law = single_location_law(5, 3.0, noise=0.2, gamma=0.5, background=2.0, random_state=1)
    data = law.sample(20_000, (2, 6), random_state=1)
    rows = data.bags.offsets[:-1] + data.locations
    others = np.delete(data.bags.values, rows, axis=0)
    for values, mean, deviation in (
        (data.bags.values[rows], law.background + 3.0 * law.key, 0.5),
        (others, law.background, 1.0),
    ):
        z = (values.mean(axis=0) - mean) / (deviation / np.sqrt(len(values)))
        assert np.abs(z).max() < 4
    error = data.labels - (data.bags.values[rows] - law.background) @ law.value
    assert np.std(error) == pytest.approx(0.2, rel=0.03)
    counts = np.bincount(data.bags.lengths, minlength=7)
    assert counts[:2].sum() == 0 and (counts[2:7] > 3500).all()
    assert law.key @ law.value == pytest.approx(0, abs=1e-12)


def test_the_bayes_rule_beats_a_wrong_key_and_is_calibrated():
    law = single_location_law(5, 2.0, gamma=0.7, random_state=2)
    data = law.sample(5000, 6, random_state=2)
    prediction, where = law.bayes(data.bags)
    wrong, _ = law._replace(key=law.value).bayes(data.bags)
    assert np.mean((data.labels - prediction) ** 2) < np.mean((data.labels - wrong) ** 2)
    slope = np.polyfit(prediction, data.labels, 1)[0]
    assert slope == pytest.approx(1.0, abs=0.06)
    assert np.mean(where == data.locations) > 0.7


def test_several_locations_share_the_label():
    data = make_single_location(
        500, width=4, lengths=(3, 5), n_locations=2, noise=0.0, random_state=3
    )
    law = single_location_law(4, noise=0.0, random_state=3)
    assert data.locations.shape == (500, 2) and (np.diff(data.locations) > 0).all()
    assert (data.locations < data.bags.lengths[:, None]).all()
    rows = data.bags.offsets[:-1, None] + data.locations
    values = (data.bags.values[rows] - law.background) @ law.value
    np.testing.assert_allclose(values.mean(axis=1), data.labels, atol=1e-12)


def test_equal_seeds_give_equal_data_and_parts_keep_their_labels():
    first, second = (
        make_single_location(20, random_state=5),
        make_single_location(20, random_state=5),
    )
    np.testing.assert_array_equal(first.bags.values, second.bags.values)
    part = first.part([3, 1])
    assert part.labels.tolist() == first.labels[[3, 1]].tolist() and len(part.bags) == 2


def test_digit_bags_hold_one_image_of_the_key_class_whose_label_is_linear():
    data = digit_bags(300, key_class=3, random_state=1)
    digits = np.array([int(name[-1]) for name in data.bags.names]).reshape(300, 10)
    assert ((digits == 3).sum(axis=1) == 1).all()
    np.testing.assert_array_equal(
        digits.argmax(axis=1) * 0 + (digits == 3).argmax(axis=1), data.locations
    )
    decisive = data.bags.values.reshape(300, 10, 64)[np.arange(300), data.locations]
    assert LinearRegression().fit(decisive, data.labels).score(decisive, data.labels) > 1 - 1e-9


def test_train_and_test_images_differ_but_the_function_does_not():
    train, test = (digit_bags(400, 0, split=split, random_state=2) for split in ("train", "test"))
    seen = {image.tobytes() for image in train.bags.values}
    assert not any(image.tobytes() in seen for image in test.bags.values)
    decisive = [
        d.bags.values.reshape(400, 10, 64)[np.arange(400), d.locations] for d in (train, test)
    ]
    joint = LinearRegression().fit(np.vstack(decisive), np.concatenate([train.labels, test.labels]))
    assert joint.score(decisive[1], test.labels) > 1 - 1e-9


def test_one_window_of_each_peptide_binds_and_sets_the_affinity():
    table = make_peptides(50, noise=0.0)
    assert (table.groupby("peptide")["binds"].sum() == 1).all()
    binding = table[table["binds"]]
    features = [column for column in table.columns if column.startswith("p") and "_" in column]
    assert len(features) == 27 and binding["window"].str[1].isin(list("LIMV")).all()
    assert (
        LinearRegression()
        .fit(binding[features], binding["affinity"])
        .score(binding[features], binding["affinity"])
        > 0.999
    )


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: make_single_location(0),
        lambda: make_single_location(5, lengths=2, n_locations=3),
        lambda: single_location_law(1),
        lambda: digit_bags(5, key_class=11),
        lambda: digit_bags(5, split="no"),
        lambda: make_peptides(0),
    ],
)
def test_impossible_requests_are_refused_by_name(wrong):
    with pytest.raises(ValueError, match="`"):
        wrong()
