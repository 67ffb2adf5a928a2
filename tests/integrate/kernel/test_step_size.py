"""The size of steps: it follows what is asked, foresees what grows hard, retreats."""

from __future__ import annotations

from functools import cache

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from polhode.integrate.kernel import step_size
from polhode.integrate.kernel.step_size import FIRST_MEMORY, SAFETY, Size, Tried


@cache
def control(order):
    """(h, |e|^2, accepted, may grow, memory) -> the next h, the memory."""

    def chosen(h, square, accepted, may_grow, memory):
        size = Size(square, 1.0 + 0.0 * h)
        tried = Tried(h, size, size.is_finite, accepted, may_grow)
        return step_size.chosen(order, tried, memory)

    return ph.compile(chosen, 0.1, 0.5, True, True, 0.1)


def attempts(order, hard, h, until):
    """Steps of sizes |e| = (hard(t) h)^order: those accepted, those refused."""
    t, memory, refused, accepted, tried = 0.0, FIRST_MEMORY, 0, [], 0.0
    while t < until:
        error = (hard(t) * h) ** order
        good = bool(error <= 1)
        after, memory = control(order)(h, error**2, good, tried == 0, memory)
        if good:
            t, tried = t + h, 0.0
            accepted.append(h)
        else:
            refused, tried = refused + 1, after
        h = float(after)
    return np.array(accepted), refused


@pytest.mark.parametrize("order", [3, 5, 8])
def test_a_constant_task_has_constant_steps_of_nine_tenths(order):
    """Where nothing changes the error is that of 0.9 of the longest step allowed."""
    steps, refused = attempts(order, lambda t: 4.0, 0.01, 20.0)
    assert refused <= 1
    np.testing.assert_allclose(steps[10:-1], SAFETY / 4.0, rtol=0.02)


@pytest.mark.parametrize("order", [5, 8])
def test_steps_shorten_in_time_where_a_task_grows_harder(order):
    """By a factor of two over ten steps, again and again: next to none is refused."""
    steps, refused = attempts(order, lambda t: 10 / (100.0 - t), 0.1, 99.9)
    assert refused <= 0.05 * len(steps)
    assert steps[-2] < 0.02 * steps.max()


@pytest.mark.parametrize("square", [np.nan, np.inf])
def test_without_numbers_it_goes_back_far_and_forgets_nothing(square):
    """Such a state says nothing of how hard the task is, but that it is too far."""
    after, memory = control(5)(0.1, square, False, False, 2.0)
    assert after == pytest.approx(0.1 * step_size.RETREAT)
    assert memory == 2.0


def test_after_a_refusal_no_step_is_longer():
    """It was refused for a reason that one good step does not remove."""
    after, _ = control(5)(0.1, 1e-9, True, False, FIRST_MEMORY)
    assert after == pytest.approx(0.1, rel=1e-14)
    after, _ = control(5)(0.1, 1.0001, False, False, FIRST_MEMORY)
    assert after <= SAFETY * 0.1


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_time_may_run_backwards(sign):
    """Sizes are the same, with the sign of the step."""
    forth, _ = control(8)(0.1, 1e-6, True, True, 3.0)
    back, _ = control(8)(sign * 0.1, 1e-6, True, True, 3.0)
    assert back == sign * forth


def test_steps_grow_from_far_too_short_ones():
    """Twelve decades in a few dozen steps."""
    steps, _ = attempts(5, lambda t: 1.0, 1e-12, 5.0)
    assert len(steps) < 40


def measured(errors, allowed):
    """|e|^2 of one estimate or of two, for what is allowed entry by entry."""

    def size(errors, allowed):
        nothing = jnp.zeros_like(allowed)
        found = step_size.size_of(
            tuple(errors), step_size.shares(nothing, nothing, 0.0, allowed)
        )
        return found.above / found.below, found.is_allowed, found.log2

    given = [np.asarray(error, float) for error in errors]
    return ph.compile(size, given, allowed)(given, allowed)


def test_the_size_of_errors_is_their_mean_square():
    """Each over what is allowed for it; the logarithm is read to 0.09."""
    allowed = np.array([1.0, 0.1, 2.0])
    square, fits, log = measured([[0.5, 0.2, 0.0]], allowed)
    assert square == pytest.approx((0.5**2 + 2.0**2) / 3, rel=1e-14)
    assert not fits
    assert abs(log - np.log2(square)) < 0.09
    fine, coarse = np.array([0.3, 0.01, 0.4]), np.array([3.0, 0.5, 1.0])
    square, fits, log = measured([fine, coarse], allowed)
    e1, e2 = (np.mean((e / allowed) ** 2) for e in (fine, coarse))
    assert square == pytest.approx(e1**2 / (e1 + 0.01 * e2), rel=1e-14)
    assert fits
    assert abs(log - np.log2(square)) < 0.09


def test_where_nothing_is_allowed_nothing_may_be_missed():
    """No error is then none of it, and the least one is refused."""
    allowed = np.array([0.0, 1.0])
    for errors in ([[0.0, 0.5]], [[0.0, 0.5], [0.0, 0.5]], [[0.0, 0.0], [0.0, 0.0]]):
        square, fits, _ = measured(errors, allowed)
        assert fits
        assert square < 1
    for errors in ([[1e-12, 0.0]], [[1e-12, 0.0], [1e-9, 0.0]]):
        assert not measured(errors, allowed)[1]


def test_a_step_without_any_error_is_followed_by_the_longest():
    """As in free flight: nothing holds it back but the bound of one change."""
    _, _, log = measured([[0.0, 0.0], [0.0, 0.0]], np.ones(2))
    after, _ = control(8)(0.1, 2.0 ** float(log), True, True, FIRST_MEMORY)
    assert after == pytest.approx(0.1 * step_size.GROW)
