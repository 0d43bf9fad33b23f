"""The sequence draws at most 64 tokens, the decisive one among them, and repeats in Python."""

import numpy as np
import pytest

from tests.lab.views.test_training import run_lines


@pytest.mark.parametrize("L", [1, 64, 65, 5_000])
def test_at_most_64_tokens_are_drawn_and_the_decisive_one_is_among_them(client, L):
    answer = client.post("/api/sequence", json={"setting": {"L": L}, "draw": 7})
    table = np.loadtxt(
        client.post(
            "/api/sequence", json={"setting": {"L": L}, "draw": 7}, headers={"Accept": "text/csv"}
        ).text.splitlines()[1:],
        delimiter=",",
        ndmin=2,
    )
    assert len(table) == min(L, 64)
    assert table[table[:, 1] == 1, 0].tolist() == [answer.json()["numbers"]["decisive token"]]


def test_the_python_lines_of_the_sequence_repeat_it(client):
    at = {"kappa": 0.4, "nu": 0.3, "theta": 0.1, "eta": 0.0, "rho": 0.2}
    setting = {"d": 10**9, "L": 300, "eps": 0.5, "lam": 1e-4}
    answer = client.post("/api/sequence", json={"setting": setting, "at": at, "draw": 3}).json()
    seen = run_lines(answer["python"])
    assert answer["numbers"]["answer"] == seen.answer
    assert answer["numbers"]["attention says"] == seen.prediction
    assert answer["numbers"]["Bayes says"] == seen.bayes


def test_longer_sequences_than_are_sampled_say_so(client):
    sentence = client.post("/api/sequence", json={"setting": {"L": 10**9}}).json()["sentence"]
    assert "20,000 tokens" in sentence and "1,000,000,000" in sentence
