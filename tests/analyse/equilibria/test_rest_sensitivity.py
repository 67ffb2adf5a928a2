"""How equilibria and frequencies move with parameters."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import polhode as ph
from polhode.errors import AnalysisError

NAMES = ("k", "l", "m")
VALUES = np.array([14.0, 0.8, 1.2])


@cache
def leaning() -> ph.System:
    """Two rods that a spring on the first hinge holds aside: no symmetric rest."""
    world, l = ph.World(), ph.Parameter("l", 0.8)
    one = ph.Body("one", ph.solids.rod(mass=ph.Parameter("m", 1.2), length=l))
    two = ph.Body("two", ph.solids.rod(mass=0.7, length=0.5))
    first = ph.Revolute("first", world.origin, one.point(0, 0, l / 2), axis=-ph.Y)
    second = ph.Revolute(
        "second", one.point(0, 0, -l / 2), two.point(0, 0, 0.25), axis=-ph.Y
    )
    spring = ph.Spring(first, ph.Parameter("k", 14.0), 0.6)
    drag = ph.Damper(second, 0.05)
    return ph.System([first, second], [ph.Weight(9.81), spring, drag], name="leaning")


@cache
def equations() -> ph.results.Equations:
    """Those of the rods, whose accelerations vanish at rest."""
    return ph.gauss(leaning())


def at_rest(guess: np.ndarray, table: dict[str, float]) -> ph.State:
    """Newton's iteration on the accelerations."""

    def a(q):
        return equations().accelerations(at(q), table)

    q, h = np.array(guess), 1e-6
    for _ in range(20):
        J = np.stack([(a(q + h * u) - a(q - h * u)) / (2 * h) for u in np.eye(2)], -1)
        q = q - np.linalg.solve(J, a(q))
    return at(q)


def at(q: np.ndarray) -> ph.State:
    """The rods at rest."""
    return ph.State(leaning(), 0.0, q, np.zeros(2))


@pytest.mark.row("E-14")
def test_places_and_frequencies_move_as_found():
    """d(equilibrium, frequencies)/dp is that of central differences to 1e-6."""
    nominal = dict(zip(NAMES, VALUES, strict=True))
    rest = at_rest(np.array([0.2, -0.2]), nominal)
    found = ph.questions.rest_sensitivity(rest, NAMES)
    assert len(found.frequencies) == 2
    assert np.max(np.abs(found.places)) > 0.01
    for k, (name, value) in enumerate(nominal.items()):
        ends = []
        for share in (1 + 1e-4, 1 - 1e-4):
            table = {**nominal, name: value * share}
            state = at_rest(rest.q, table)
            other = ph.questions.rest_sensitivity(state, NAMES, values=table)
            ends.append((state.q, other.frequencies))
        step = 2e-4 * value
        by_place = (ends[0][0] - ends[1][0]) / step
        by_frequency = (ends[0][1] - ends[1][1]) / step
        assert np.allclose(found.places[:, k], by_place, rtol=0, atol=1e-6)
        assert np.allclose(
            found.frequency_slopes[:, k], by_frequency, rtol=0, atol=1e-6
        )


@pytest.mark.long
def test_what_has_no_such_slopes_is_refused():
    """Constraints on velocities, and states that do not rest."""
    rest = at_rest(np.array([0.2, -0.2]), dict(zip(NAMES, VALUES, strict=True)))
    with pytest.raises(AnalysisError, match="is no equilibrium"):
        ph.questions.rest_sensitivity(leaning().state(first=1.0), NAMES)
    sleigh = ph.models.chaplygin_sleigh()
    with pytest.raises(AnalysisError, match="rests in families of places"):
        ph.questions.rest_sensitivity(sleigh.rest(), ())
    text = repr(ph.questions.rest_sensitivity(rest, NAMES))
    assert text.splitlines()[1].split() == [
        w for n in NAMES for w in ("d", "/", "d", n)
    ]
    assert "rad/s" in text


@pytest.mark.long
@pytest.mark.row("E-14")
def test_a_lamp_on_two_strings_moves_with_their_length():
    """h = sqrt(l^2 - b^2): dz/dl = -l/h, w = sqrt(g/h), dw/dl = -w l/(2 h^2)."""
    l, b, g, m = 1.3, 0.5, 9.81, 0.7
    lamp, world = ph.Particle("lamp", ph.Parameter("m", m)), ph.World()
    length = ph.Parameter("l", l)
    strings = [
        ph.Distance(world.point(x, 0, 0), lamp.mass_centre, length, name=name)
        for x, name in ((-b, "left"), (b, "right"))
    ]
    weight = ph.Weight(ph.Parameter("g", g))
    system = ph.System([lamp], [weight], strings, name="lamp")
    h = np.sqrt(l**2 - b**2)
    rest = system.state({system.joints[0].name: [0.0, 0.0, -h]})
    found = ph.questions.rest_sensitivity(rest, ["l", "m", "g"])
    w = np.sqrt(g / h)
    np.testing.assert_allclose(found.frequencies, [w], rtol=1e-12)
    expected = [-w * l / (2 * h**2), 0.0, w / (2 * g)]
    np.testing.assert_allclose(found.frequency_slopes[0], expected, atol=1e-12)
    moved = np.zeros((3, 3))
    moved[2, 0] = -l / h
    np.testing.assert_allclose(found.places, moved, atol=1e-12)
    # Loads go with m g, and each string carries half of it.
    loads = ph.equilibria(system, rest, starts=1)[0].multipliers
    np.testing.assert_allclose(found.loads[:, 1], loads / m, rtol=1e-10)
    np.testing.assert_allclose(found.loads[:, 2], loads / g, rtol=1e-10)
    ends = [
        ph.equilibria(system.with_({"l": l + s}), rest, starts=1)[0].multipliers
        for s in (-1e-4, 1e-4)
    ]
    numeric = (ends[1] - ends[0]) / 2e-4
    np.testing.assert_allclose(found.loads[:, 0], numeric, rtol=1e-6)
