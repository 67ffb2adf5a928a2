"""Exercise 7.3: two wheels coupled on an arm with a torsion spring."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close

I1, I2, M1, M2, L, RATIO, K = 0.3, 0.5, 1.2, 2.0, 0.8, 0.625, 4.0
C, F, R1, G = 0.9, 0.2, 0.5, 9.81
R2 = R1 / RATIO


@cache
def wheels(
    transmission: str = "belt", couple: str = "external"
) -> ph.results.Equations:
    return ph.recursive(ph.models.gears_on_arm(transmission, couple))


def state_at(form: ph.results.Equations, th: float, turned: float, rate=0.7, spin=-1.1):
    """The arm at th, wheel 1 turned on it, wheel 2 as the transmission wants."""
    r = -RATIO if "gear" in form.system.name else RATIO
    where = {"arm": th, "wheel 1": turned, "wheel 2": r * turned}
    speeds = {"arm": rate, "wheel 1": spin, "wheel 2": r * spin}
    return form.system.state(where, speeds=speeds)


def expected(th: float, r: float, couple: str) -> np.ndarray:
    """(th'', ph1'') from the two equations in relative angles."""
    matrix = [[I1 + I2 + M1 * L**2, I1 + I2 * r], [I1 + I2 * r, I1 + I2 * r**2]]
    hold = C if couple == "external" else 0.0
    right = [hold - K * th - M1 * G * L * np.cos(th), C - R1 * F]
    return np.linalg.solve(matrix, right)


@pytest.mark.row("X-12")
@pytest.mark.parametrize("transmission", ["belt", "gear"])
@pytest.mark.parametrize("couple", ["external", "internal motor"])
def test_wheels_on_an_arm(transmission, couple):
    """Two equations in arm-relative angles; teeth turn the wheels against each other.

    Wheel 2 turns by r ph1 on a belt, by -r ph1 in mesh; a motor on the arm has no part
    in the arm's equation.
    """
    form, r = wheels(transmission, couple), RATIO if transmission == "belt" else -RATIO
    for th, turned in ((0.4, 0.0), (-1.2, 0.8)):
        found = form.accelerations(state_at(form, th, turned))
        th_ddot, ph_ddot = expected(th, r, couple)
        assert_close(found, [th_ddot, ph_ddot, r * ph_ddot], rtol=1e-12)


@pytest.mark.row("X-12")
def test_wheels_on_an_arm_are_not_as_printed():
    """The golden numbers; absolute rates with relative angles give others."""
    form = wheels()
    th_ddot, ph_ddot, _ = form.accelerations(state_at(form, 0.4, 0.0, 0.0, 0.0))
    assert_close([ph_ddot, th_ddot], [17.425147242, -12.7851318258], rtol=1e-10)
    printed_turn = (C - R1 * F) / (I1 + I2 * RATIO**2)
    printed_swing = (C - K * 0.4 - M1 * G * L * np.cos(0.4)) / (M1 * L**2)
    printed = [printed_turn, printed_swing]
    assert_close(printed, [1.6151419558, -12.2059687723], rtol=1e-10)
    # In absolute angles of both wheels the belt is ph2 = r ph1 + (1 - r) th.
    absolute = np.array([th_ddot + ph_ddot, th_ddot + RATIO * ph_ddot])
    belt = RATIO * absolute[0] + (1 - RATIO) * th_ddot
    assert_close(absolute[1], belt, rtol=1e-14)


@pytest.mark.row("X-12")
def test_wheels_in_mesh_in_absolute_angles():
    """External gears: ph2 = -r ph1 + (1 + r) th, in angles against the ground."""
    form = wheels("gear")
    state = state_at(form, 0.4, 0.9)
    w = form.system.twists(0, state.q, state.z).angular
    beam, one, two = -w[:, 1]
    assert_close(two, -RATIO * one + (1 + RATIO) * beam, rtol=1e-12)


@pytest.mark.row("X-12")
def test_wheels_on_fixed_centres():
    """An arm that is held has no influence: (I1 + I2 r^2) ph1'' = C - R1 F."""
    form = wheels("fixed centres")
    state = form.system.state({"wheel 1": 0.3, "wheel 2": 0.3 * RATIO})
    alone = (C - R1 * F) / (I1 + I2 * RATIO**2)
    assert_close(form.accelerations(state), [alone, RATIO * alone], rtol=1e-12)


def test_what_holds_wheels_and_arm():
    """Bearings carry weight and centripetal force, the belt the torque of wheel 2."""
    form, th, rate = wheels(), 0.4, 0.7
    state = state_at(form, th, 0.0, rate)
    th_ddot, ph_ddot, ph2_ddot = form.accelerations(state)
    out, round_ = (
        np.array([np.cos(th), np.sin(th)]),
        np.array([-np.sin(th), np.cos(th)]),
    )
    held = M1 * (L * th_ddot * round_ - L * rate**2 * out) + [0, M1 * G]
    found, load = form.reactions(state), np.array([0, M2 * G])
    assert_close(found["wheel 1"].force[::2], held, rtol=1e-11)
    assert_close(found["wheel 2"].force, [0, 0, M2 * G], rtol=1e-11)
    assert_close(found["arm"].force[::2], held + load, rtol=1e-11)
    # The difference of the belt's tensions times R2 turns wheel 2, times R1 holds 1.
    torque = form.multipliers(state)[0]
    assert_close(torque, I2 * (th_ddot + ph2_ddot), rtol=1e-11)
    tension = torque / R2
    assert_close(C - R1 * F - R1 * tension, I1 * (th_ddot + ph_ddot), rtol=1e-11)


def test_unknown_transmissions_are_refused():
    """A word that is none of the choices names them."""
    with pytest.raises(ValueError, match="'chain' is none of 'belt', 'gear'"):
        ph.models.gears_on_arm("chain")
