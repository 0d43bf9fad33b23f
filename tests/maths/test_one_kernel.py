"""A loop in one function of machine code gives the numbers of a plain one."""

import jax
import jax.numpy as jnp
import numpy as np

from soloc.maths.one_kernel import apart, repeated


def step(i, state, given):
    slope, table = given
    x, y = state
    turned = apart(lambda x, y: (x * slope - y, jnp.tanh(y + x * x)), x, y)
    return turned[0] * 0.1 + table[i], turned[1] - 0.01 * jnp.sum(turned[0], axis=0)


def test_a_loop_in_one_function_has_the_numbers_of_a_plain_one():
    rng = np.random.default_rng(0)
    state, given = (
        (rng.normal(size=(5, 32)), rng.normal(size=(5, 32))),
        (0.7, rng.normal(size=(50, 32))),
    )
    with jax.enable_x64(True):
        programs = [
            jax.jit(lambda n, x, y, on=on: repeated(step, n, x, y, arithmetic=on))
            for on in (True, False)
        ]
        for times in (0, 1, 50):
            ours, plain = (program(times, state, given) for program in programs)
            for a, b in zip(ours, plain, strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


def test_the_loop_is_one_call_of_the_compiled_program():
    state, given = (jnp.zeros((5, 32)), jnp.zeros((5, 32))), (0.7, jnp.zeros((50, 32)))
    program = jax.jit(lambda n, x, y: repeated(step, n, x, y)).lower(7, state, given).compile()
    calls = [line for line in program.as_text().splitlines() if "xla_cpu_small_call" in line]
    assert len(calls) == 1 and " call(" in calls[0]
