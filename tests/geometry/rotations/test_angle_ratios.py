"""The ratios of angles, across their two branches and with their derivatives."""

from __future__ import annotations

import jax
import mpmath as mp
import numpy as np
import pytest

from polhode.geometry.rotations import angle_ratios

# x = θ², on both sides of the change of branch at 1 and as far as a whole turn.
SQUARES = np.array([0.0, 1e-300, 1e-12, 1e-4, 0.1, 0.9999999, 1.0, 1.1, 4.0, 9.8, 30.0])


def sine(x):
    return mp.sin(mp.sqrt(x)) / mp.sqrt(x)


def versine(x):
    return (1 - mp.cos(mp.sqrt(x))) / x


def sine_defect(x):
    return (mp.sqrt(x) - mp.sin(mp.sqrt(x))) / mp.sqrt(x) ** 3


def cotangent_defect(x):
    half = mp.sqrt(x) / 2
    return (1 - half * mp.cot(half)) / x


LAWS = {
    "sine_ratio": (sine, [1.0, -1 / 6, 1 / 60]),
    "versine_ratio": (versine, [1 / 2, -1 / 24, 1 / 360]),
    "sine_defect_ratio": (sine_defect, [1 / 6, -1 / 120, 1 / 2520]),
    "cotangent_defect_ratio": (cotangent_defect, [1 / 12, 1 / 720, 1 / 15120]),
}


def exact(name: str, x: float, order: int) -> float:
    """The `order`-th derivative in x, by mpmath; its limit at zero."""
    function, limits = LAWS[name]
    if x < 1e-100:
        return limits[order]
    with mp.workdps(60):
        return float(mp.taylor(function, mp.mpf(float(x)), order)[order]) * (
            2 if order == 2 else 1
        )


@pytest.mark.parametrize("name", LAWS)
def test_value_and_derivatives_hold_on_both_branches(name):
    """Value to 8 ulp of that at zero, derivatives to some hundred, for every θ."""
    function = getattr(angle_ratios, name)
    with jax.enable_x64(True):

        def jet(x):
            first = jax.grad(function)
            return function(x), first(x), jax.grad(first)(x)

        jets = np.array(jax.jit(jax.vmap(jet))(SQUARES))
    for order, bound in enumerate([8, 200, 2000]):
        wanted = np.array([exact(name, x, order) for x in SQUARES])
        error = np.abs(jets[order] - wanted) / np.maximum(
            np.abs(wanted), abs(LAWS[name][1][order])
        )
        assert np.all(error <= bound * 2.0**-52), (order, error * 2.0**52)


@pytest.mark.parametrize("sine", [0.0, 1e-301, 1e-3, 0.2, 0.3, 0.9, 1.0])
def test_arctangent_ratio_is_the_angle_over_its_sine(sine):
    """atan2(s, c)/s to 4 ulp of the exact quotient, at s = 0 too, and 1/c there."""
    cosine = float(np.sqrt((1 - sine) * (1 + sine)))
    got = angle_ratios.arctangent_ratio(np.float64(sine**2), np.float64(cosine))
    with mp.workdps(700):
        s, c = mp.sqrt(mp.mpf(sine**2)), mp.mpf(cosine)
        wanted = float(mp.atan2(s, c) / s) if sine**2 else 1 / cosine
    assert abs(got - wanted) <= 4 * 2.0**-52 * wanted
