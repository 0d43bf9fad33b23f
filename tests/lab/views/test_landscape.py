"""The landscape shows the library's own risks."""

import base64

import numpy as np

from soloc import Erf, Overlaps, SingleLocation, population_risk


def test_the_exported_table_is_the_population_risk(client):
    answer = client.post(
        "/api/landscape",
        json={"setting": {"d": 80, "lam": 0.3, "eps": 0.2}},
        headers={"Accept": "text/csv"},
    )
    kappa, nu, risk = np.loadtxt(answer.text.splitlines()[1:], delimiter=",").T
    expected = population_risk(SingleLocation(d=80, L=10, eps=0.2), Erf(0.3), Overlaps(kappa, nu))
    np.testing.assert_allclose(risk, np.asarray(expected), rtol=1e-12)


def test_the_map_that_is_drawn_holds_the_same_risks_and_gaps_where_there_are_none(client):
    answer = client.post(
        "/api/landscape", json={"setting": {"d": 80, "lam": 0.3}, "theta": 0.61}
    ).json()
    colours, lines = answer["figure"]["data"]
    risk, height = (unpacked(colours[name]) for name in ("customdata", "z"))
    kappa, nu = np.meshgrid(np.linspace(-1, 1, 61), np.linspace(-1, 1, 61))
    gram = np.zeros((61, 61, 4, 4)) + np.eye(4)  # of k*, v*, k, v
    gram[..., 0, 2], gram[..., 1, 3], gram[..., 0, 3] = kappa, nu, 0.61
    there = np.linalg.eigvalsh(gram, UPLO="U")[..., 0] >= -1e-12
    assert np.array_equal(~np.isnan(risk), there)
    expected = population_risk(
        SingleLocation(d=80, L=10), Erf(0.3), Overlaps(kappa[there], nu[there], theta=0.61)
    )
    np.testing.assert_allclose(risk[there], np.asarray(expected), rtol=1e-12)
    np.testing.assert_allclose(height[there], np.log10(risk[there]), rtol=1e-12)
    np.testing.assert_array_equal(unpacked(lines["z"]), height[::2, ::2])


def unpacked(array: dict) -> np.ndarray:
    shape = [int(size) for size in array["shape"].split(",")]
    return np.frombuffer(base64.b64decode(array["bdata"]), "<f8").reshape(shape)
