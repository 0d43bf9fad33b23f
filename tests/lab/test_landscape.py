"""The landscape shows the library's own risks."""

import numpy as np

from soloc import Erf, Overlaps, SingleLocation, population_risk


def test_the_exported_table_is_the_population_risk(client):
    answer = client.post("/api/landscape", json={"setting": {"d": 80, "lam": 0.3, "eps": 0.2}}, headers={"Accept": "text/csv"})
    kappa, nu, risk = np.loadtxt(answer.text.splitlines()[1:], delimiter=",").T
    expected = population_risk(SingleLocation(d=80, L=10, eps=0.2), Erf(0.3), Overlaps(kappa, nu))
    np.testing.assert_allclose(risk, np.asarray(expected), rtol=1e-12)
