"""Descent in overlaps against descent on vectors, and what the path promises."""

import jax
import numpy as np
import pytest

from soloc.dynamics.full_dimension import Pair, vectors_path
from soloc.dynamics.pieces import Diverged
from soloc.dynamics.population_path import population_path
from soloc.dynamics.schedules import InverseDecay
from soloc.dynamics.starts import from_vectors, uniform_on_manifold, uniform_on_sphere
from soloc.predictors.normalised import Sparsemax
from soloc.predictors.pointwise import Erf, Tanh
from soloc.risk.overlaps import NAMES, Overlaps
from soloc.tasks.single_location import SingleLocation, Truth

TASK = SingleLocation(d=400)
SPHERE = uniform_on_sphere(400, 3, jax.random.key(0))


def unit_vectors(d, runs, seed=0):
    rng = np.random.default_rng(seed)
    k, v = rng.normal(size=(2, runs, d))
    truth = Truth(*np.linalg.qr(rng.normal(size=(d, 2)))[0].T)
    return (
        k / np.linalg.norm(k, axis=1, keepdims=True),
        v / np.linalg.norm(v, axis=1, keepdims=True),
        truth,
    )


@pytest.mark.parametrize(
    ("lam", "step_size"),
    [(0.1, 4e-3), (0.9, 1e-3), (InverseDecay(0.4, 1e-3), InverseDecay(4e-3, 1e-3))],
    ids=str,
)
def test_overlaps_are_those_of_descent_on_vectors(lam, step_size):
    k, v, truth = unit_vectors(400, 3)
    options = {"steps": 1000, "step_size": step_size, "lam": lam, "every": 300}
    short = population_path(TASK, Erf(1.0), from_vectors(k, v, truth), **options)
    long = vectors_path(TASK, truth, Erf(1.0), Pair(k, v), **options)
    assert list(short.steps) == list(long.steps) == [0, 300, 600, 900, 1000]
    for name in (*NAMES, "risk", "distance", "lam"):
        np.testing.assert_allclose(
            short.columns[name], long.columns[name], atol=1e-11, err_msg=name
        )


@pytest.mark.parametrize(
    "weight", [Tanh(0.5), Erf(0.5, per_length=True)], ids=lambda weight: type(weight).__name__
)
def test_other_weights_descend_their_exact_risk_as_on_vectors(weight):
    k, v, truth = unit_vectors(20, 2)
    task, options = SingleLocation(d=20, L=4), {"steps": 40, "step_size": 0.02, "every": 20}
    short = population_path(task, weight, from_vectors(k, v, truth), **options)
    long = vectors_path(task, truth, weight, Pair(k, v), **options)
    for name in (*NAMES, "risk"):
        np.testing.assert_allclose(
            short.columns[name], long.columns[name], atol=1e-12, err_msg=name
        )


def test_the_paper_on_the_manifold_is_at_kappa_983_after_20000_steps():
    end = population_path(
        TASK, Erf(0.1), uniform_on_manifold(400, 4, jax.random.key(1)), steps=20_000, step_size=4e-3
    ).last()
    assert np.all(np.abs(end.kappa.abs() - 0.983) < 3e-3)
    np.testing.assert_allclose(end.nu.abs(), 1.0, atol=1e-9)
    assert np.all(end.distance == 0.0)
    np.testing.assert_allclose(end.risk, 0.1137, atol=1e-4)


def test_what_is_recorded_does_not_change_the_path():
    often = population_path(TASK, Erf(0.1), SPHERE, steps=1000, step_size=4e-3, every=1)
    seldom = population_path(TASK, Erf(0.1), SPHERE, steps=1000, step_size=4e-3, every=7000)
    assert list(seldom.steps) == [0, 1000] and len(often.steps) == 1001
    for name in often.columns:
        np.testing.assert_array_equal(often.columns[name][[0, -1]], seldom.columns[name])


def test_runs_continue_from_the_final_overlaps():
    whole = population_path(TASK, Erf(0.1), SPHERE, steps=600, step_size=4e-3)
    half = population_path(TASK, Erf(0.1), SPHERE, steps=300, step_size=4e-3)
    rest = population_path(TASK, Erf(0.1), half.final, steps=300, step_size=4e-3)
    np.testing.assert_array_equal(whole.final.kappa, rest.final.kappa)


def test_tasks_lam_and_step_sizes_broadcast_with_starts():
    tasks = SingleLocation(d=np.asarray([[100], [400]]), L=np.asarray([[3], [10]]))
    lam, alpha = np.asarray([0.1, 0.2, 0.3]), np.asarray([1e-3, 2e-3, 3e-3])
    together = population_path(tasks, Erf(lam), SPHERE, steps=200, step_size=alpha, every=100)
    assert together.shape == (2, 3) and together.runs == 6
    alone = population_path(
        SingleLocation(d=400, L=10),
        Erf(0.2),
        Overlaps(*(getattr(SPHERE, name)[1] for name in NAMES)),
        steps=200,
        step_size=2e-3,
        every=100,
    )
    assert alone.shape == ()
    for name in alone.columns:
        np.testing.assert_allclose(
            together.columns[name][:, 4], alone.columns[name][:, 0], rtol=1e-12, err_msg=name
        )


@pytest.mark.parametrize("runs", [16, 30, 33, 129])
@pytest.mark.parametrize("apart", [False, True], ids=["shared numbers", "numbers of their own"])
def test_a_run_beside_many_others_has_the_numbers_of_its_place(runs, apart):
    """Also with more runs than one function of machine code takes."""
    starts = uniform_on_sphere(400, runs, jax.random.key(1))
    gamma, lam = (
        (np.linspace(0.3, 1.0, runs), np.linspace(0.05, 0.3, runs)) if apart else (0.7, 0.1)
    )
    options = {"steps": 300, "every": 37, "step_size": 1e-3}
    together = population_path(SingleLocation(400, gamma=gamma), Erf(lam), starts, **options)
    for place in (0, runs // 2, runs - 1):
        g, x = (gamma[place], lam[place]) if apart else (gamma, lam)
        start = Overlaps(*(getattr(starts, name)[place] for name in NAMES))
        alone = population_path(SingleLocation(400, gamma=g), Erf(x), start, **options)
        for name in NAMES:
            np.testing.assert_allclose(
                together.columns[name][:, place], alone.columns[name][:, 0], atol=1e-14
            )


def test_any_function_of_the_step_is_a_schedule():
    decay = population_path(
        TASK, Erf(1.0), SPHERE, steps=50, step_size=1e-3, lam=InverseDecay(0.5, 0.1)
    )
    mine = population_path(
        TASK,
        Erf(1.0),
        SPHERE,
        steps=50,
        step_size=lambda t: 1e-3 + 0 * t,
        lam=lambda t: 0.5 / (1 + 0.1 * t),
    )
    np.testing.assert_allclose(decay.kappa, mine.kappa, rtol=1e-13)
    np.testing.assert_allclose(decay.lam[:, 0], 0.5 / (1 + 0.1 * decay.steps))


def test_the_table_has_one_row_per_run_and_record():
    path = population_path(TASK, Erf(0.1), SPHERE, steps=10, step_size=1e-3, every=5)
    table = path.table()
    assert list(table.columns[:7]) == ["run", "step", *NAMES]
    assert len(table) == 3 * 3 and list(table.step[:3]) == [0, 5, 10]
    np.testing.assert_array_equal(table[table.run == 1].kappa, path.kappa[:, 1])
    assert "3 runs" in repr(path) and "<table" in path._repr_html_()
    with pytest.raises(AttributeError, match="has no `kapa`; it has kappa"):
        _ = path.kapa


def test_ctrl_c_keeps_what_was_computed_and_progress_says_what_is_left():
    seen = []

    def stop_soon(progress):
        seen.append(progress)
        if progress.step >= 8000:
            raise KeyboardInterrupt

    path = population_path(
        TASK, Erf(0.1), SPHERE, steps=100_000, step_size=4e-3, every=1000, progress=stop_soon
    )
    assert path.interrupted and "interrupted" in repr(path)
    assert path.steps[-1] == seen[-1].step == 8000 and seen[0].seconds_left > 0.0
    whole = population_path(TASK, Erf(0.1), SPHERE, steps=8000, step_size=4e-3, every=1000)
    np.testing.assert_array_equal(path.kappa, whole.kappa)


def test_progress_is_printed_when_asked(capsys):
    population_path(TASK, Erf(0.1), SPHERE, steps=100, step_size=4e-3, progress=True)
    assert "100 of 100" in capsys.readouterr().err


def test_divergence_is_reported_at_its_step():
    with pytest.raises(
        Diverged, match=r"diverged in run \d: at step \d+ the risk rose .* smaller `step_size`"
    ) as caught:
        population_path(TASK, Erf(0.9), SPHERE, steps=3000, step_size=0.5)
    assert 1 <= caught.value.step < 3000
    with pytest.raises(Diverged, match="no longer finite") as caught:
        population_path(
            TASK, Erf(0.9), SPHERE, steps=3000, step_size=lambda t: np.where(t < 123, 1e-3, 1e300)
        )
    assert caught.value.step == 124 and caught.value.runs == (0, 1, 2)


def test_divergence_names_all_runs_that_diverge_and_no_other():
    sizes = np.array([4e-3, 1.0, 1e-3, 3.0])
    start = Overlaps(0.03, 0.02, 0.05, -0.04, 0.02)
    with pytest.raises(Diverged) as caught:
        population_path(TASK, Erf(0.3), start, steps=10, step_size=sizes)
    assert caught.value.runs == (1, 3)
    for run, size in enumerate(sizes):
        if run in caught.value.runs:
            with pytest.raises(Diverged):
                population_path(TASK, Erf(0.3), start, steps=10, step_size=size)
        else:
            population_path(TASK, Erf(0.3), start, steps=10, step_size=size)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"steps": 0}, "`steps` must be an integer >= 1, got 0"),
        ({"steps": 2.5}, "`steps` must be an integer >= 1, got 2.5"),
        ({"every": 0}, "`every` must be an integer >= 1"),
        ({"step_size": -1e-3}, "`step_size` must be a number >= 0"),
        ({"step_size": float("nan")}, "`step_size` must be a number >= 0"),
        (
            {"lam": lambda t: 1.0 - 0.1 * t},
            "`lam` must stay finite and >= 0 at every step, got -0.1.* at step 11",
        ),
        (
            {"lam": lambda t: np.sqrt(np.where(t < 5, t, np.nan))},
            "`lam` must stay finite .*got nan at step 5",
        ),
        ({"lam": lambda t: np.ones(3)}, "`lam` must give one value per step"),
        ({"step_size": np.ones(7)}, "must broadcast"),
        (
            {"start": (0.0, 0.0)},
            "`state` must be `Overlaps` for SingleLocation with Erf, got tuple",
        ),
        ({"weight": Sparsemax(1.0)}, "`weight` must have an exact population risk, got Sparsemax"),
        ({"weight": "erf"}, "`weight` must be one of soloc's weights"),
        (
            {"task": SingleLocation(d=4, background=np.ones(4))},
            "`background` must be left out of a task whose exact risk is asked for",
        ),
    ],
)
def test_bad_input_gets_a_sentence(options, sentence):
    arguments = {
        "task": TASK,
        "weight": Erf(0.1),
        "start": SPHERE,
        "steps": 20,
        "step_size": 1e-3,
    } | options
    with pytest.raises((ValueError, TypeError), match=sentence):
        population_path(
            arguments.pop("task"), arguments.pop("weight"), arguments.pop("start"), **arguments
        )
