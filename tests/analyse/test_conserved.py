"""First integrals found by test, kept by motions, and what breaks the others."""

from __future__ import annotations

from functools import cache

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from polhode.errors import AnalysisError
from polhode.models import gallery

WORLD = ph.World()
CONSERVATIVE = (
    "cart_pendulum",
    "chaplygin_sleigh",
    "double_pendulum",
    "gyroscope",
    "pendulum",
    "spherical_pendulum",
    "tennis_racket",
    "tethered_pair",
    "tunnel",
    "two_body",
)


@cache
def stars() -> ph.System:
    """Two particles that attract each other."""
    each = [ph.Particle(n, m) for n, m in (("a", 3.0), ("b", 2.0))]
    pull = ph.Gravitation([ph.PointMass.of(star) for star in each], 1.0)
    return ph.System(each, [pull], name="stars")


def crossing(t):
    """A pole that moves at (0.5, -1, 0.2) whatever the stars do."""
    return jnp.array([1.0, 0.0, 0.3]) + t * jnp.array([0.5, -1.0, 0.2])


def beyond_the_centre(t, state):
    """Twice as far as the mass centre, and aside: its velocity is along P."""
    return 2 * (3.0 * state["a"] + 2.0 * state["b"]) / 5 + jnp.array([0.0, 4.0, 1.0])


@cache
def found_of_stars() -> ph.results.Conserved:
    """What the stars keep, about several poles."""
    poles = {
        "H": stars().tree.world.point(1.0, -2.0, 0.5),
        "crossing": crossing,
        "far": beyond_the_centre,
        "star": stars().bodies[0].mass_centre,
    }
    return ph.conserved(stars(), poles=poles)


@cache
def orbit() -> ph.results.Trajectory:
    """The stars about each other, drifting, for about ten of their own times."""
    start = stars().state(
        a=(1, 0, 0), b=(-1, 0.5, 0.2), speeds={"a": (0, 0.6, 0.1), "b": (0.2, -0.8, 0)}
    )
    return ph.simulate(stars(), start, until=20.0, rtol=1e-10)


@pytest.mark.row("D-10")
def test_an_isolated_system_keeps_its_momentum():
    """R^e = 0: P is constant, and is found to be; each star's own is not."""
    found, ledger = found_of_stars(), orbit().ledger()
    along = found.along(orbit())
    for k, axis in enumerate("xyz"):
        assert np.allclose(along[f"momentum {axis}"], ledger.momentum[:, k], atol=1e-14)
        assert np.ptp(along[f"momentum {axis}"]) < 1e-8
        assert found.broken[f"momentum of a.v{axis}"] == ("gravitation",)
    assert found.independent == 9  # E, P, L, and L about G less what L and P say of it


@pytest.mark.row("D-10")
def test_momentum_is_kept_along_a_direction_without_force():
    """A force along (1, 2, 0) leaves p_x - p_y/2 and p_z, and nothing else of p."""
    ball = ph.Particle("ball", 0.5)
    push = ph.ForceLaw(
        ball.mass_centre,
        WORLD.frame,
        lambda x, v, t: (1 + x @ x + t) * jnp.array([1.0, 2.0, 0.0]),
        name="push",
    )
    system = ph.System([ball], [push], name="pushed")
    found = ph.conserved(system)
    kept = [name for name in found.names if name.startswith("momentum")]
    assert kept == ["momentum z", "momentum x - 0.5 momentum y", "momentum of ball.vz"]
    assert found.why("momentum x") == "momentum x is changed by push"
    assert found.why("energy") == "energy is changed by push"
    start = system.state(speeds={"ball": (1.0, -2.0, 0.4)})
    motion = ph.simulate(system, start, until=1.0)
    values = found.along(motion)
    assert np.allclose(values["momentum x - 0.5 momentum y"], 1.0, rtol=0, atol=1e-9)
    assert np.ptp(motion.ledger().momentum[:, 0]) > 0.5


@pytest.mark.row("D-11")
def test_angular_momentum_is_kept_about_poles_that_may_be():
    """M_H = 0 and v_H x P = 0: a fixed pole, G, or one whose velocity is along P."""
    found = found_of_stars()
    for axis in "xyz":
        for name in ("", " about G", " about H", " about far"):
            assert f"angular momentum {axis}{name}" in found
        for name in ("crossing", "star"):
            broken = found.broken[f"angular momentum {axis} about {name}"]
            assert broken == ("motion of the pole",)
    assert max(found.drift(orbit()).values()) < 1e-8


@pytest.mark.row("D-11")
def test_a_pole_that_crosses_the_momentum_drifts_as_predicted():
    """dL_H/dt = -v_H x P where no moment acts: linear in time, and not zero."""
    ledger, t = orbit().ledger(), orbit().t
    poles = np.array([1.0, 0.0, 0.3]) + np.outer(t, [0.5, -1.0, 0.2])
    L = ledger.angular_momentum_about(poles)
    rate = -np.cross([0.5, -1.0, 0.2], ledger.momentum[0])
    assert np.linalg.norm(rate) > 0.1
    assert np.allclose(L - L[0], np.outer(t, rate), rtol=0, atol=1e-8)


@cache
def top() -> ph.results.Conserved:
    """What a heavy top keeps."""
    return ph.conserved(ph.models.heavy_top())


@pytest.mark.row("D-13")
def test_a_top_keeps_energy_and_two_momenta():
    """Turned about the vertical or about its own axis it moves as before (Noether)."""
    found = top()
    assert found.names == ("energy", "angular momentum z", "momentum of tip.wz")
    assert found.independent == 3
    assert found.broken["angular momentum x"] == ("weight",)
    assert found.broken["momentum x"] == ("supports",)
    system = found.equations.system
    start = system.state(
        tip={"qw": 0.98, "qx": 0.199}, speeds={"tip": (0.5, 0.2, 20.0)}
    )
    motion = ph.simulate(system, start, until=3.0, rtol=1e-10)
    assert max(found.drift(motion).values()) < 1e-8
    values, ledger = found.along(motion), motion.ledger()
    assert np.allclose(values["energy"], ledger.energy, rtol=1e-13)
    assert np.allclose(values["momentum of tip.wz"], 0.05 * 20.0, rtol=1e-8)
    assert np.allclose(values["angular momentum z"], ledger.angular_momentum[:, 2])


@cache
def swing() -> ph.System:
    """A pendulum with a damper."""
    rod = ph.Body("rod", ph.solids.rod(mass=1.2, length=0.8))
    hinge = ph.Revolute("hinge", WORLD.origin, rod.point(0, 0, 0.4), axis=-ph.Y)
    actions = [ph.Weight(9.81), ph.Damper(hinge, 0.3, name="grease")]
    return ph.System([hinge], actions, name="swing")


@pytest.mark.row("D-13")
def test_energy_is_lost_to_what_does_not_store_it():
    """dE/dt is the power of the damper; without damping E is kept again."""
    found = ph.conserved(swing())
    assert found.broken["energy"] == ("grease",)
    assert "momentum y" in found.zero
    assert found.why("momentum y").endswith("is zero, however the system moves")
    motion = ph.simulate(swing(), swing().state(hinge=1.0), until=3.0)
    ledger = motion.ledger()
    lost = ledger.energy - ledger.energy[0]
    assert lost[-1] < -1.0
    assert np.allclose(lost, ledger.work["grease"], rtol=0, atol=1e-8 * ledger.scale)
    free = ph.conserved(swing(), parameters={"grease.damping": 0.0})
    assert "energy" in free


@pytest.mark.long
@pytest.mark.row("D-13")
@pytest.mark.parametrize("name", CONSERVATIVE)
def test_conservative_models_keep_their_energy(name):
    """E is found to be kept, and motions of the gallery keep it to 1e-8."""
    start = gallery.start(name)
    found = ph.conserved(start.system)
    motion = ph.simulate(start.system, start, until=2.0, rtol=1e-10)
    ledger = motion.ledger()
    assert "energy" in found
    assert np.ptp(ledger.energy) < 1e-8 * ledger.scale


SPIN = 5.3


@cache
def bead() -> ph.results.Equations:
    """A bead on a hoop that turns steadily, in the bead's angle alone."""
    ring = ph.Body("ring", ph.solids.ring(mass=0.3, radius=0.6, along=ph.Y))
    ball = ph.Body.from_inertia("bead", mass=0.4, inertia=(0, 0, 0))
    spin = ph.Revolute("spin", WORLD.origin, ring.mass_centre, axis=ph.Z)
    slide = ph.Revolute("slide", ring.mass_centre, ball.point(0, 0, 0.6), axis=-ph.Y)
    system = ph.System([spin, slide], [ph.Weight(9.81)], name="hoop")
    steady = ph.theory.Velocities(
        ["slide"],
        lambda t, q, y: jnp.stack([SPIN + 0.0 * t, y[0]]),
        lambda t, q, z: z[1:],
    )
    return ph.gauss(system, steady)


@pytest.mark.row("L-13")
def test_without_explicit_time_the_generalised_energy_is_kept():
    """Q = 0, L without t: q' dL/dq' - L is found constant where the energy is not."""
    found = ph.conserved(bead())
    assert "generalised energy" in found
    assert "energy" in found.broken
    system = bead().system
    start = ph.State(system, 0.0, np.array([0.0, 0.3]), np.array([SPIN, 1.0]))
    motion = ph.simulate(bead(), start, until=5.0, rtol=1e-10)
    h = found.along(motion)["generalised energy"]
    T_2 = 0.4 * 0.6**2 * motion.z[:, 1] ** 2 / 2
    T_0 = 0.4 * (0.6 * SPIN * np.sin(motion.q[:, 1])) ** 2 / 2
    ring = 0.3 * 0.6**2 / 2 * SPIN**2 / 2
    V = -0.4 * 9.81 * 0.6 * np.cos(motion.q[:, 1])
    assert np.allclose(h, T_2 - T_0 - ring + V, rtol=1e-10)
    assert np.ptp(h) < 1e-8 * np.max(T_2)
    assert np.ptp(T_2 + T_0 + ring + V) > 0.1 * np.max(T_2)


@pytest.mark.row("L-13")
def test_explicit_time_breaks_the_generalised_energy():
    """A hoop that is spun up changes q' dL/dq' - L, by dL/dt alone."""
    faster = ph.theory.Velocities(
        ["slide"],
        lambda t, q, y: jnp.stack([SPIN + 0.5 * t, y[0]]),
        lambda t, q, z: z[1:],
    )
    found = ph.conserved(ph.gauss(bead().system, faster))
    assert found.broken["generalised energy"] == ("explicit time",)


def helix(ball):
    """An energy on the threads of a screw of pitch 2 pi 0.4."""
    x, y, z = ball.position
    return jnp.cos(z / 0.4 - jnp.arctan2(y, x)) + x**2 + y**2


@pytest.mark.long
def test_a_group_of_the_users_gives_its_own_momentum():
    """Along a screw neither L_z nor p_z is kept, but L_z + 0.4 p_z; found in two ways.

    A screw of another pitch is no symmetry.
    """
    ball = ph.Particle("ball", 0.5)
    guide = ph.Potential((WORLD.frame, ball.frame), helix, name="guide")
    system = ph.System([ball], [guide], name="screwed")

    def screw(pitch):
        return lambda q: jnp.stack([-q[1], q[0], pitch])

    groups = {"screw": screw(0.4), "steeper": screw(0.5)}
    found = ph.conserved(system, groups=groups)
    (combined,) = [name for name in found.names if " + " in name]
    assert combined == "momentum z + 2.5 angular momentum z"
    assert "momentum of screw" in found
    assert found.broken["momentum of steeper"] == ("guide",)
    assert found.independent == 2
    start = system.state(ball=(1, 0, 0), speeds={"ball": (0.1, 0.9, 0.3)})
    values = found.along(ph.simulate(system, start, until=2.0))
    expected = 0.5 * (0.9 + 0.4 * 0.3)
    assert np.allclose(values["momentum of screw"], expected, rtol=1e-9)
    assert np.allclose(values[combined], expected / 0.4, rtol=1e-9)


def test_questions_without_an_answer_are_refused():
    """Other systems' motions, unknown names and poles that are nowhere."""
    with pytest.raises(AnalysisError, match="is no motion of 'heavy top'"):
        top().along(orbit())
    with pytest.raises(AnalysisError, match="nothing called 'luck' is among them"):
        top().why("luck")
    with pytest.raises(AnalysisError, match="the pole 'H' cannot be 3"):
        ph.conserved(stars(), poles={"H": 3})
    with pytest.raises(AnalysisError, match="the pole 'H' is fixed to 'world'"):
        ph.conserved(stars(), poles={"H": WORLD.origin})


def test_what_is_kept_reads_as_a_table():
    """Kept quantities first with their symmetry, then the others with what acts."""
    lines = repr(top()).splitlines()
    assert lines[0] == "Conserved('heavy top': 3 kept, 3 independent)"
    assert lines[2].split("  ")[0] == "angular momentum z"
    assert "kept: turned about z as one" in lines[2]
    assert lines[4].endswith("changed by supports")
