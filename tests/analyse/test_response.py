"""Forced oscillations: frequency response, resonance, base motion, absorbers."""

from __future__ import annotations

import itertools
from functools import cache

import jax.numpy as jnp
import numpy as np
import pytest
from scipy import signal

import polhode as ph
from closeness import assert_close

m, k, c = 2.0, 50.0, 3.0
W0, ZETA = np.sqrt(k / m), c / (2 * np.sqrt(k * m))


def block(name: str, mass: float) -> ph.Body:
    return ph.Body(name, ph.solids.box(mass=mass, x=0.1, y=0.1, z=0.1))


@cache
def oscillator(damping: float = c) -> ph.System:
    """A mass on a spring and a damper, pushed."""
    body = block("block", m)
    rail = ph.Prismatic("rail", ph.World().origin, body.origin, axis=ph.X)
    actions = [
        ph.JointSpring(rail, k),
        ph.JointDamper(rail, damping),
        ph.Motor(rail, 0.0, name="push"),
    ]
    return ph.System([rail], actions, name="oscillator")


@cache
def stack(springs: tuple, dampers: tuple, masses: tuple) -> ph.System:
    """Blocks one on another along a rail, joint by joint; the first is pushed."""
    before, joints, actions = ph.World().origin, [], []
    rows = zip(masses, springs, dampers, strict=True)
    for n, (mass, stiffness, damping) in enumerate(rows):
        body = block(f"block {n}", mass)
        joint = ph.Prismatic(f"x{n}", before, body.origin, axis=ph.X)
        joints.append(joint)
        if stiffness:
            actions.append(ph.JointSpring(joint, stiffness))
        if damping:
            actions.append(ph.JointDamper(joint, damping))
        before = body.origin
    actions.append(ph.Motor(joints[0], 0.0, name="push"))
    return ph.System(joints, actions, name="stack")


def absolute(n: int):
    """Where block n is: the joints up to it, added up."""
    return lambda t, state: sum(state[f"x{j}"] for j in range(n + 1))


PLACES = {f"block {n}": absolute(n) for n in range(2)}


@pytest.mark.row("D-29", "E-15")
def test_the_response_of_one_oscillator():
    """X/F = 1/(k - m W^2 + i c W), and its peak at W^2 = w0^2 (1 - 2 z^2)."""
    linear = ph.linearise(oscillator(), inputs=["push"], outputs=["rail"])
    W = np.linspace(0.1, 12, 40)
    found = linear.response(W).of("rail", "push")
    expected = 1 / (k - m * W**2 + 1j * c * W)
    assert_close(found.real, expected.real, rtol=1e-13)
    assert_close(found.imag, expected.imag, rtol=1e-13)
    peak = W0 * np.sqrt(1 - 2 * ZETA**2)
    beside = np.abs(linear.response([0.99 * peak, peak, 1.01 * peak]).of("rail"))
    assert beside[1] > max(beside[0], beside[2])
    step = 1e-4 * peak
    three = np.abs(linear.response(peak + step * np.array([-1, 1])).of("rail"))
    assert abs(three[1] - three[0]) / (2 * step) < 1e-6 * beside[1]
    assert_close(linear.modes().damping, [ZETA], rtol=1e-12)
    assert "rail by push" in repr(linear.response([1.0]))


@pytest.mark.row("D-29", "E-15")
def test_a_simulation_settles_to_the_response():
    """Driven by cos(W t), amplitude and phase in time are those of the response."""
    W = 4.2
    H = ph.linearise(oscillator(), inputs=["push"]).response([W]).values[0, 0, 0]
    times = np.linspace(24.0, 26.0, 41)  # exp(-z w0 24) is 1e-8
    motion = ph.simulate(
        oscillator(),
        oscillator().state(rail=H.real, speeds={"rail": -W * H.imag}),
        until=26.0,
        samples=times,
        inputs={"push": lambda t: jnp.cos(W * t)},
        method=ph.methods.DormandPrince8(rtol=1e-11),
    )
    waves = np.stack([np.cos(W * times), -np.sin(W * times)], axis=1)
    fit, *_ = np.linalg.lstsq(waves, motion.q[:, 0], rcond=None)
    assert_close(fit, [H.real, H.imag], rtol=1e-8)


@pytest.mark.row("E-15")
def test_many_masses_answer_as_their_matrices_say():
    """X(W) = (K - W^2 M + i W D)^-1 F of two blocks, entry by entry."""
    system = stack((50.0, 20.0), (3.0, 0.4), (2.0, 0.7))
    linear = ph.linearise(system, inputs=["push"])
    parts = linear.parts
    for W in (0.3, 3.1, 7.0):
        Z = parts.stiffness - W**2 * parts.mass + 1j * W * parts.damping
        X = np.linalg.solve(Z, [1.0, 0.0])
        found = linear.response([W]).values[0, :, 0]
        assert_close(found.real, X.real, rtol=1e-12)
        assert_close(found.imag, X.imag, rtol=1e-12)


@pytest.mark.row("D-29")
def test_what_is_free_to_go_does_not_stretch_the_range():
    """Three sprung carts have a double pole at zero, which is found by rounding."""
    world, masses = ph.World(), (1.3, 0.37, 3.1)
    carts = [block(f"cart {n}", mass) for n, mass in enumerate(masses)]
    joints = [
        ph.Prismatic(f"x{n}", world.point(n, 0, 0), cart.origin, axis=ph.X)
        for n, cart in enumerate(carts)
    ]
    pairs = list(itertools.pairwise(cart.origin for cart in carts))
    actions = [ph.Spring(*pair, 5e3, 1.0, name=f"spring {pair}") for pair in pairs]
    actions += [ph.Damper(*pair, 3.0, name=f"damper {pair}") for pair in pairs]
    push = ph.Motor(joints[0], 0.0, name="push")
    linear = ph.linearise(ph.System(joints, [*actions, push]), inputs=["push"])
    sizes = np.sort(np.abs(np.linalg.eigvals(linear.matrices.A)))
    slow, fast = sizes[[2, -1]]
    W = linear.response().frequencies
    assert_close(W[0], slow / 10, rtol=0.01)
    assert_close(W[-1], 10 * fast, rtol=0.01)


def test_undamped_resonance_has_no_steady_answer():
    """At its own frequency an undamped mass swings wider as F t/(2 m w0)."""
    system = oscillator(0.0)
    linear = ph.linearise(system, inputs=["push"])
    with pytest.raises(ph.PolhodeError, match="in proportion to time"):
        linear.response([W0])
    times = np.linspace(0, 20, 9)
    motion = ph.simulate(
        system,
        system.rest(),
        until=20.0,
        samples=times,
        inputs={"push": lambda t: jnp.cos(W0 * t)},
        method=ph.methods.DormandPrince8(rtol=1e-11),
    )
    grown = times * np.sin(W0 * times) / (2 * m * W0)
    assert_close(motion.q[:, 0], grown, rtol=1e-8)


@pytest.mark.row("D-30")
@pytest.mark.parametrize("damping", [0.5, 3.0, 15.0])
def test_a_base_passes_on_the_same_at_root_two(damping):
    """Transmissibility sqrt((1 + (2zr)^2)/((1-r^2)^2 + (2zr)^2)); 1 at r = sqrt 2."""
    base = stack((0.0, k), (0.0, damping), (5.0, m))
    linear = ph.linearise(base, inputs=["push"], outputs=PLACES)
    r, z = np.array([0.3, 1.0, np.sqrt(2), 2.5]), damping / (2 * np.sqrt(k * m))
    passed = np.abs(linear.response(r * W0).ratio("block 1", "block 0"))
    expected = np.sqrt((1 + (2 * z * r) ** 2) / ((1 - r**2) ** 2 + (2 * z * r) ** 2))
    assert_close(passed, expected, rtol=1e-11)
    assert abs(passed[2] - 1) < 1e-11


@pytest.mark.row("D-30")
def test_an_absorber_holds_its_host_still():
    """At W^2 = k2/m2 an undamped absorber takes all; damped, it leaves a little."""
    W = np.sqrt(20.0 / 0.7)
    still = ph.linearise(
        stack((50.0, 20.0), (0.0, 0.0), (2.0, 0.7)), inputs=["push"], outputs=PLACES
    )
    found = still.response([W])
    assert abs(found.of("block 0")[0]) < 1e-13
    assert_close(found.of("block 1").real, [-1 / 20.0], rtol=1e-9)  # k2 x2 = -F
    damped = ph.linearise(
        stack((50.0, 20.0), (0.0, 0.4), (2.0, 0.7)), inputs=["push"], outputs=PLACES
    )
    assert abs(damped.response([W]).of("block 0")[0]) > 1e-3
    zeros = still.transfer("block 0", "push").zeros
    assert_close(np.sort(zeros.imag), [-W, W], rtol=1e-10)


def test_transfer_functions_and_objects_of_other_libraries():
    """Zeros, poles and gain give the response; scipy's object has the same matrices."""
    system = stack((50.0, 20.0), (3.0, 0.4), (2.0, 0.7))
    linear = ph.linearise(system, inputs=["push"], outputs=PLACES)
    transfer = linear.transfer("block 1", "push")
    W = np.array([0.5, 3.0, 8.0])
    found = linear.response(W).of("block 1")
    assert_close(np.abs(transfer(1j * W) - found), np.zeros(3), atol=1e-13)
    above, below = transfer.polynomials
    assert_close(np.abs(np.polyval(above, 2j) / np.polyval(below, 2j)),
                 abs(transfer(2j)), rtol=1e-10)  # fmt: skip
    other, t_grid = linear.matrices.to_scipy(), np.linspace(0, 2, 9)
    assert isinstance(other, signal.StateSpace)
    times, theirs, _ = signal.lsim(other, 0 * t_grid, t_grid, [0.1, 0.0, 0.0, 0.3])
    ours = linear.modes().superposition([0.1, 0.0], [0.0, 0.3], times)
    assert_close(theirs[:, 1], ours.sum(axis=1), rtol=1e-9)
    with pytest.raises(ph.PolhodeError, match="has no output 'block 7'"):
        linear.response([1.0]).of("block 7")


def test_python_control_gets_the_same_system_with_its_names():
    """Its response, its poles and its names are ours."""
    control = pytest.importorskip("control")
    system = stack((50.0, 20.0), (3.0, 0.4), (2.0, 0.7))
    linear = ph.linearise(system, inputs=["push"], outputs=PLACES)
    other = linear.matrices.to_control()
    assert isinstance(other, control.StateSpace)
    assert tuple(other.input_labels) == linear.matrices.inputs
    assert tuple(other.output_labels) == linear.matrices.outputs
    assert tuple(other.state_labels) == linear.matrices.states
    W = np.array([0.5, 3.0, 8.0])
    theirs = np.array([other(1j * w) for w in W]).reshape(3, -1)
    ours = linear.response(W).values.reshape(3, -1)
    assert_close(np.abs(theirs - ours), np.zeros_like(ours, float), atol=1e-13)


def test_without_python_control_it_is_said_how_to_get_it(monkeypatch):
    """The object is one of another library."""
    import sys

    monkeypatch.setitem(sys.modules, "control", None)
    system = stack((50.0, 20.0), (3.0, 0.4), (2.0, 0.7))
    with pytest.raises(ph.PolhodeError, match="pip install control"):
        ph.linearise(system, inputs=["push"]).matrices.to_control()
