"""Laws of every task, without knowing any: each takes the task alone, and fails by assertion."""

import jax
import numpy as np
import pytest

from soloc.risk.monte_carlo import monte_carlo_bayes_risk

N = 4000


def truth_of(task):
    """A truth of NumPy arrays."""
    with jax.enable_x64(True):
        return jax.tree.map(np.asarray, task.truth(jax.random.key(100)))


def drawn(task, seed, n=N):
    """n sequences of that truth, as NumPy arrays."""
    with jax.enable_x64(True):
        sample = task.sample(truth_of(task), jax.random.key(seed), n)
        return jax.tree.map(np.asarray, sample)


def bayes_of(task, sample):
    with jax.enable_x64(True):
        return np.asarray(task.bayes(truth_of(task), sample.tokens, sample.lengths))


def rows(x):
    """One row for each sequence."""
    return np.asarray(x, float).reshape(len(x), -1)


def tokens_in_rows(sample):
    return np.hstack([rows(part) for part in jax.tree.leaves(sample.tokens)])


def z_score(draws):
    return float(np.mean(draws) / (np.std(draws, ddof=1) / np.sqrt(len(draws))))


def a_sample_is_a_function_of_its_key(task):
    first, same, other = (jax.tree.leaves(drawn(task, seed, 3)) for seed in (7, 7, 8))
    assert all(np.array_equal(a, b) for a, b in zip(first, same, strict=True))
    assert not np.array_equal(first[0], other[0])
    assert first[0].dtype == np.float64


def a_sample_of_nothing_is_refused(task):
    for n, kind in ((0, ValueError), (2.5, TypeError)):
        with pytest.raises(kind, match="`n` must be an integer >= 1"):
            drawn(task, 0, n)


def risk_or_refusal(risk):
    """The risk, or None where it is refused in a sentence that begins with a parameter."""
    try:
        return float(risk())
    except ValueError as refusal:
        assert str(refusal).startswith("`") and str(refusal).endswith(".")
        return None


def the_null_risk_is_the_mean_square_of_the_answers_or_refused(task):
    risk = risk_or_refusal(task.null_risk)
    squares = np.mean(rows(drawn(task, 1).answers) ** 2, -1)
    assert risk is None or abs(z_score(squares - risk)) < 4


def the_linear_risk_is_that_of_least_squares_or_refused(task):
    risk = risk_or_refusal(task.linear_risk)
    if risk is None:
        return
    n = 20_000
    sample = drawn(task, 2, n)
    design = np.hstack([tokens_in_rows(sample), np.ones((n, 1))])
    answers = rows(sample.answers)
    residual = answers - design @ np.linalg.lstsq(design, answers, rcond=None)[0]
    squares = np.mean(residual**2, -1) * n / (n - design.shape[1])
    assert abs(z_score(squares - risk)) < 4


def bayes_residuals_are_orthogonal_to_what_tokens_say(task):
    sample = drawn(task, 3)
    bayes = rows(bayes_of(task, sample))
    residual = rows(sample.answers) - bayes
    seen = tokens_in_rows(sample)
    direction = np.random.default_rng(0).standard_normal(seen.shape[1]) / np.sqrt(seen.shape[1])
    line = (seen @ direction)[:, None]
    for function in (np.ones_like(line), bayes, line, line**2, np.sign(line), line * bayes):
        product = np.mean(residual * function, -1)
        assert np.max(np.abs(product)) < 1e-12 or abs(z_score(product)) < 4.2


def bayes_is_not_beaten_by_linear_regression_nor_by_silence(task):
    sample = drawn(task, 4)
    answers = rows(sample.answers)
    squares = np.mean((answers - rows(bayes_of(task, sample))) ** 2, -1)
    assert z_score(np.mean(answers**2, -1) - squares) > -3.5
    risk = risk_or_refusal(task.linear_risk)
    assert risk is None or z_score(risk - squares) > -3.5


def simulation_finds_the_bayes_risk_with_its_error(task):
    sample = drawn(task, 5)
    squares = np.mean((rows(sample.answers) - rows(bayes_of(task, sample))) ** 2, -1)
    estimate = monte_carlo_bayes_risk(task, jax.random.key(6), N)
    error = np.hypot(estimate.error, squares.std() / np.sqrt(N))
    assert estimate.error > 0 and abs(estimate.value - squares.mean()) < 4.2 * error


def absent_tokens_say_nothing(task):
    sample = drawn(task, 9, 50)
    whole = [part for part in jax.tree.leaves(sample.tokens) if part.ndim == 3]
    absent = np.arange(whole[0].shape[1]) >= sample.lengths[:, None]
    loud = jax.tree.map(
        lambda part: np.where(absent[..., None], 7.0, part) if part.ndim == 3 else part,
        sample.tokens,
    )
    with jax.enable_x64(True):
        answer = task.bayes(truth_of(task), loud, sample.lengths)
    np.testing.assert_allclose(answer, bayes_of(task, sample), atol=1e-12)


def the_posterior_of_a_place_is_on_average_as_sure_as_it_is_right(task):
    if not hasattr(task, "posterior"):
        return
    sample = drawn(task, 10)
    try:
        with jax.enable_x64(True):
            p = np.asarray(task.posterior(truth_of(task), sample.tokens, sample.lengths))
    except ValueError as refusal:  # no place is latent
        assert str(refusal).startswith("`")
        return
    np.testing.assert_allclose(p.sum(-1), 1.0, atol=1e-12)
    right = p[np.arange(N), sample.latent] - np.sum(p**2, -1)
    assert np.max(np.abs(right)) < 1e-12 or abs(z_score(right)) < 4


LAWS = {
    law.__name__.replace("_", " "): law
    for law in (
        a_sample_is_a_function_of_its_key,
        a_sample_of_nothing_is_refused,
        the_null_risk_is_the_mean_square_of_the_answers_or_refused,
        the_linear_risk_is_that_of_least_squares_or_refused,
        bayes_residuals_are_orthogonal_to_what_tokens_say,
        bayes_is_not_beaten_by_linear_regression_nor_by_silence,
        simulation_finds_the_bayes_risk_with_its_error,
        absent_tokens_say_nothing,
        the_posterior_of_a_place_is_on_average_as_sure_as_it_is_right,
    )
}
