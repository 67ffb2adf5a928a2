"""A law with constants by name is the same law as with numbers written into it."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.errors import ForceError, ModelError
from written_again import again

K = ph.Parameter("k", 3.0)
WORLD = ph.World()


def ball():
    """A particle that moves along X and Z."""
    return ph.Particle("ball", 0.5)


def pushed(constants):
    """ForceLaw"""
    body = ball()
    law = (lambda x, v, t, k: -k * x) if constants else (lambda x, v, t: -3.0 * x)
    given = {"constants": constants} if constants else {}
    return [body], [ph.ForceLaw(body.mass_centre, WORLD.frame, law, **given)], []


def motored(constants):
    """Motor"""
    rod = ph.Body("rod", ph.solids.rod(mass=1.2, length=0.8))
    hinge = ph.Revolute("hinge", WORLD.origin, rod.point(0, 0, 0.4), axis=ph.Y)
    law = (lambda t, q, z, k: -k * q) if constants else (lambda t, q, z: -3.0 * q)
    given = {"constants": constants} if constants else {}
    return [hinge], [ph.Motor(hinge, law, **given)], []


def by_formula(constants):
    """Motor by a Formula"""
    rod = ph.Body("rod", ph.solids.rod(mass=1.2, length=0.8))
    hinge = ph.Revolute("hinge", WORLD.origin, rod.point(0, 0, 0.4), axis=ph.Y)
    of = ("t", "q", "z")
    law = ph.Formula("-k * q", of, constants) if constants else None
    return [hinge], [ph.Motor(hinge, law or ph.Formula("-3.0 * q", of))], []


def sprung(constants):
    """NonlinearSpring"""
    body = ball()
    law = (lambda x, k: k * x**4 / 4) if constants else (lambda x: 3.0 * x**4 / 4)
    given = {"constants": constants} if constants else {}
    spring = ph.machines.NonlinearSpring(body.mass_centre, WORLD.origin, law, **given)
    return [body], [spring], []


def central(constants):
    """CentralForce"""
    body = ball()
    law = (lambda x, r, t, k: -k * x) if constants else (lambda x, r, t: -3.0 * x)
    given = {"constants": constants} if constants else {}
    return [body], [ph.CentralForce(body.mass_centre, WORLD.origin, law, **given)], []


def led(constants):
    """VelocityRows: vx = k z"""
    body = ball()
    path = ph.Translation("ball", WORLD.origin, body.mass_centre)
    slopes, zero = np.array([1.0, 0.0, 0.0]), 0.0
    if constants:
        law = lambda q, t, k: (slopes, k * q[2])  # noqa: E731
    else:
        law = lambda q, t: (slopes, 3.0 * q[2] + zero)  # noqa: E731
    given = {"constants": constants} if constants else {}
    return [path], [ph.Weight(9.81)], [ph.VelocityRows([path], law, **given)]


def guided(constants):
    """PointOn: a parabola z = k x^2"""
    body = ball()
    if constants:
        law = lambda x, k: x[2] - k * x[0] ** 2  # noqa: E731
    else:
        law = lambda x: x[2] - 3.0 * x[0] ** 2  # noqa: E731
    given = {"constants": constants} if constants else {}
    on = ph.PointOn(body.mass_centre, WORLD.frame, law, **given)
    return [body], [ph.Weight(9.81)], [on]


def turned(constants):
    """PrescribedMotion by a Formula, a bob on it"""
    arm = ph.Body("arm", ph.solids.rod(mass=1.2, length=0.8))
    bob = ph.Body("bob", ph.solids.rod(mass=0.7, length=0.5))
    crank = ph.Revolute("crank", WORLD.origin, arm.point(0, 0, 0.4), axis=ph.Y)
    hinge = ph.Revolute("hinge", arm.point(0, 0, -0.4), bob.point(0, 0, 0.25), ph.Y)
    text = "0.2 + sin(k * t)" if constants else "0.2 + sin(3.0 * t)"
    driver = ph.PrescribedMotion(crank, ph.Formula(text, constants=constants or {}))
    return [crank, hinge], [ph.Weight(9.81)], [driver]


KINDS = [pushed, motored, by_formula, sprung, central, led, guided, turned]
START = {
    pushed: ({"ball": (1.0, 0.0, 0.5)}, {"ball": (0.2, 0.0, 0.1)}),
    sprung: ({"ball": (1.0, 0.0, 0.5)}, {"ball": (0.2, 0.0, 0.1)}),
    central: ({"ball": (1.0, 0.0, 0.5)}, {"ball": (0.2, 0.0, 0.1)}),
    motored: ({"hinge": 0.4}, {"hinge": 0.3}),
    by_formula: ({"hinge": 0.4}, {"hinge": 0.3}),
    led: ({"ball": (1.0, 0.0, 0.5)}, {"ball": (1.5, 0.0, 0.1)}),
    guided: ({"ball": (0.5, 0.0, 0.75)}, {}),
    turned: ({"crank": 0.2, "hinge": 0.4}, {"crank": 3.0}),
}


def pair(kind):
    """The system with a parameter, the one with a number, and a state of each."""
    systems = [ph.System(*kind(c), name=kind.__name__) for c in ({"k": K}, None)]
    q, z = START[kind]
    return [(system, system.state(q, speeds=z)) for system in systems]


@pytest.fixture(scope="module", params=KINDS, ids=lambda kind: kind.__name__)
def both(request):
    """One pair a kind of law."""
    return pair(request.param)


def test_motion_is_that_of_the_number(both):
    """The same bits or nearly: a constant at its nominal value is a number."""
    motions = [ph.simulate(system, state, until=0.4) for system, state in both]
    assert "k" in both[0][0].parameters
    assert_close(motions[0].q[-1], motions[1].q[-1], rtol=1e-13)
    assert_close(motions[0].z[-1], motions[1].z[-1], rtol=1e-12, atol=1e-13)


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS[:5], ids=lambda kind: kind.__name__)
def test_sweeps_and_gradients_know_the_constant(kind):
    """A sweep at 3 is the motion; differences of a sweep are the sensitivity."""
    (system, state), (plain, first) = pair(kind)
    fine = {"rtol": 1e-11, "atol": 1e-12}
    motion = ph.simulate(plain, first, until=0.4, **fine)
    small = 1e-4
    values = [3.0, 3.0 + small, 3.0 - small]
    found = ph.sweep(system, state, until=0.4, parameters={"k": values}, **fine)
    assert_close(found.final_q[0], motion.q[-1], rtol=1e-9)
    slope = (found.final_q[1] - found.final_q[2]) / (2 * small)
    own = ph.simulate(system, state, until=0.4, **fine)
    by_k = ph.sensitivity(own, ["k"], initial=False)["k"][-1]
    assert_close(by_k[: system.coordinates], slope, rtol=1e-5, atol=1e-7)
    adjoint = ph.gradient(own, lambda t, s: s.q[0], ["k"])["k"]
    assert_close(adjoint, by_k[0], rtol=1e-8, atol=1e-10)


def test_other_values_are_those_of_another_number():
    """`with_` and `parameters=` of a constrained law, against the law written anew."""
    system, state = pair(led)[0]
    moved = ph.simulate(system, _led_state(system, 2.0), until=0.3, parameters={"k": 2})
    own = system.with_({"k": 2.0})
    again_ = ph.simulate(own, _led_state(own, 2.0), until=0.3)
    assert_close(moved.q[-1], again_.q[-1], rtol=1e-12)
    x, z = moved.q[:, 0], moved.q[:, 2]
    assert_close(moved.z[:, 0], 2.0 * z, rtol=1e-9, atol=1e-12)
    assert x[-1] != state.q[0]


def _led_state(system, k):
    q = np.array([1.0, 0.0, 0.5])
    return ph.State(system, 0.0, q, [k * 0.5, 0.0, 0.1])


def test_printed_equations_name_the_constant():
    """k stands in the equations, and 3 does not."""
    for kind in (motored, by_formula, central):
        system = pair(kind)[0][0]
        text = str(ph.lagrange(system).read())
        assert "k" in text, kind
        assert "3.0" not in text, kind


def test_files_keep_constants_as_parameters(tmp_path):
    """Names of parameters, bare numbers and derived ones, written and read again."""
    rod = ph.Body("rod", ph.solids.rod(mass=1.2, length=0.8))
    hinge = ph.Revolute("hinge", WORLD.origin, rod.point(0, 0, 0.4), axis=ph.Y)
    constants = {"a": K, "b": 2.0, "c": K * K + 1.0}
    law = ph.Formula("-a * q - b * z + c * sin(t)", ("t", "q", "z"), constants)
    end = rod.point(0, 0, -0.4)
    stiff = ph.Formula("s * x ** 2 / 2", ("x",), {"s": ph.Parameter("s", 5.0)})
    anchor = WORLD.point(1.0, 0, 0)
    spring = ph.machines.NonlinearSpring(end, anchor, stiff, name="cord")
    system = ph.System([hinge], [ph.Motor(hinge, law), spring], name="driven")
    found = again(tmp_path, system).system
    assert found.parameters["k"] == 3.0
    assert found.parameters["motor of hinge.b"] == 2.0
    assert set(found.parameters) == set(system.parameters)
    z = {"hinge": 0.3}
    for value in (3.0, 1.5):
        rates = []
        for one in (system, found):
            other = one.with_({"k": value, "motor of hinge.b": 0.7, "s": 4.0})
            state = other.state(hinge=0.4, speeds=z, t=0.2)
            rates.append(ph.gauss(other).accelerations(state))
        assert_close(*rates, rtol=1e-14)


def test_wrong_constants_are_refused():
    """Constants that are missing, that are no mapping, that are variables as well."""
    body = ball()
    with pytest.raises(ForceError, match="'force law' fails: TypeError"):
        ph.ForceLaw(body.mass_centre, WORLD.frame, lambda x, v, t, k: -k * x)
    with pytest.raises(ModelError, match="constants of 'force law'"):
        ph.ForceLaw(
            body.mass_centre, WORLD.frame, lambda x, v, t, k: -k * x, constants=[3.0]
        )
    with pytest.raises(ModelError, match="no variable here"):
        ph.Formula("k * t")
    with pytest.raises(ModelError, match="as a variable and as a constant"):
        ph.Formula("t", constants={"t": 1.0})
