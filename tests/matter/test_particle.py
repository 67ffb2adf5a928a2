"""Particles at the end of massless arms."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.errors import PolhodeError


def simple_pendulum(hinge_at="arm"):
    """A point of 1 kg, 0.8 m below a hinge."""
    m, l, g = (ph.Parameter(*each) for each in (("m", 1.0), ("l", 0.8), ("g", 9.81)))
    bob = ph.Particle("bob", m)
    place = bob.point(0, 0, l) if hinge_at == "arm" else bob.origin
    hinge = ph.Revolute("theta", ph.World().origin, place, axis=ph.Y)
    return ph.System([hinge], [ph.Weight(g)], name="simple pendulum")


def test_a_particle_on_an_arm_is_a_simple_pendulum():
    """l m (g sin(theta) + l theta'') = 0: its inertia about the hinge is m l^2."""
    system = simple_pendulum()
    assert str(ph.lagrange(system).read()).splitlines()[1] == (
        "l*m*(g*sin(theta) + l*thetaddot) = 0"
    )
    state = system.state(theta=0.6)
    rate = ph.recursive(system).accelerations(state)[0]
    assert rate == pytest.approx(-9.81 / 0.8 * np.sin(0.6), rel=1e-14)


@pytest.mark.parametrize("name", ["", "hook"])
def test_arms_of_particles_are_written_and_read(tmp_path, name):
    """By numbers and parameters, or by the name of the point."""
    bob = ph.Particle("bob", 0.3)
    end = bob.point(0, 0, ph.Parameter("l", 0.8), name=name)
    hinge = ph.Revolute("theta", ph.World().origin, end, axis=ph.Y)
    system = ph.System([hinge], [ph.Weight(9.81)], name="swing")
    ph.save_model(system, tmp_path / "swing.toml")
    again = ph.load_model(tmp_path / "swing.toml").system
    for state, each in ((s.state(theta=0.6), s) for s in (system, again)):
        longer = ph.recursive(each).accelerations(state, {"l": 1.6})
        assert longer == pytest.approx(-9.81 / 1.6 * np.sin(0.6), rel=1e-14)


def test_a_hinge_at_the_particle_itself_says_where_else_it_could_be():
    """Nothing resists such a turn."""
    with pytest.raises(PolhodeError, match=r"bob\.point\(x, y, z\)"):
        simple_pendulum("origin")


def test_masses_of_a_cloud_are_numbers():
    """Where a parameter is given, it is said what takes one."""
    with pytest.raises(PolhodeError, match=r"(?s)cannot be parameters.*ph\.Particle"):
        ph.Cloud([ph.Parameter("m", 0.2)], [[0, 0, 0]])
