"""Brakes, dry joints and couples that keep a mode: as constraints, and as actions."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close

G, R = 9.81, 0.1
WORLD = ph.World()


def ball(*, static: float) -> ph.System:
    """A ball on a slope with couples against rolling and spinning."""
    body = ph.Body("ball", ph.solids.sphere(mass=1.3, radius=R))
    felt = ph.Support(ph.surfaces.sphere(body.origin, R), WORLD.origin,
                      friction=ph.Coulomb(0.5), name="felt")  # fmt: skip
    rolls = ph.contact.RollingFriction(felt, 0.003, static, name="rolls")
    spins = ph.contact.SpinningFriction(felt, 0.002, name="spins")
    weight = ph.Weight(G, up=(0.1, 0.02, 1.0))
    return ph.System([body], [weight], supports=[felt, rolls, spins], name="ball")


def pendulum(make) -> ph.System:
    """A rod about its end, with something that rubs."""
    rod = ph.Body("rod", ph.solids.rod(mass=2.0, length=1.0))
    hinge = ph.Revolute("hinge", WORLD.origin, rod.point(0, 0, 0.5), axis=ph.Y)
    return ph.System([hinge], [ph.Weight(G)], supports=[make(hinge)], name="rod")


def dry(hinge):
    return ph.JointFriction(hinge, ph.Coulomb(0.3, 0.4), radius=0.1, name="rubs")


def brake(hinge):
    return ph.Brake(hinge, ph.Coulomb(0.3, 0.4), load=5.0, radius=0.1, name="rubs")


def sleeve() -> ph.System:
    """A sleeve on a leaning shaft, with dry friction of both its speeds."""
    body = ph.Body("sleeve", ph.solids.cylinder(mass=1.5, radius=0.1, length=0.2))
    shaft = ph.Cylindrical("shaft", WORLD.origin, body.origin, axis=ph.Z)
    rubs = ph.JointFriction(shaft, ph.Coulomb(0.2), radius=0.05, name="rubs")
    weight = ph.Weight(G, up=(1.0, 0, 0.1))
    return ph.System([shaft], [weight], supports=[rubs], name="sleeve")


SPUN = {"ball": (0.4, 2.0, 1.5, 2.0 * R, -0.4 * R, 0.0)}
CASES = {
    "rolls and spins": lambda: ball(static=0.003).state(ball={"z": R}, speeds=SPUN),
    "rests": lambda: ball(static=0.02).state(ball={"z": R}),
    "dry hinge slides": lambda: pendulum(dry).state(hinge=0.5, speeds={"hinge": 2.0}),
    "dry hinge holds": lambda: pendulum(dry).state(hinge=0.02),
    "brake slides": lambda: pendulum(brake).state(hinge=0.5, speeds={"hinge": -1.0}),
    "brake holds": lambda: pendulum(brake).state(hinge=0.001),
    "sleeve slides": lambda: sleeve().state(speeds={"shaft": (3.0, 0.2)}),
    "sleeve holds": lambda: sleeve().state(),
}
QUICK = ("rolls and spins", "brake holds")


@pytest.mark.row("C-10")
@pytest.mark.parametrize(
    "case",
    [c if c in QUICK else pytest.param(c, marks=pytest.mark.long) for c in CASES],
)
def test_a_mode_has_the_accelerations_that_contact_gives(case):
    """Constraints and actions of the mode, against complementarity at the instant."""
    state = CASES[case]()
    found = ph.contact_modes(state)[0]  # of several the one that holds most
    kept = ph.in_mode(state.system, found.status)
    there = ph.State(kept, state.t, state.q, state.z)
    a = ph.recursive(kept).accelerations(there)
    assert_close(a, found.accelerations, rtol=1e-9, atol=1e-9)


@pytest.mark.long
@pytest.mark.parametrize("case", ["rolls and spins", "dry hinge slides", "brake holds"])
def test_forms_agree_within_a_mode(case):
    """`ph.compare` takes the mode of the state, pads too."""
    state = CASES[case]()
    compared = ph.compare(state.system, state)
    assert compared.worst < 1e-9, compared


@pytest.mark.row("C-09")
def test_what_rubs_is_read_with_its_law():
    """A brake's torque stands in the equation of motion, under its load."""
    said = str(ph.contact_reading(pendulum(brake)))
    assert "|(T_rubs)| <= rubs_static*N_rubs where 'rubs' sticks" in said
    assert "(T_rubs) = -rubs_dynamic*N_rubs v/|v| where it slides" in said
    assert "N_rubs = rubs_load" in said
    assert "rubs_radius*T_rubs" in said.replace(
        "T_rubs*rubs_radius", "rubs_radius*T_rubs"
    )


@pytest.mark.long
def test_a_couple_is_read_under_the_push_of_its_contact():
    """|M| <= a_s N of the support, of a wheel that rolls in a plane."""
    body = ph.Body("wheel", ph.solids.disc(mass=1.3, radius=R, along=ph.Y))
    plane = ph.Planar("plane", WORLD.origin, body.origin, normal=ph.Y)
    road = ph.Support(ph.surfaces.disc(body.origin, R, ph.Y), WORLD.origin,
                      friction=ph.Coulomb(0.5), name="road")  # fmt: skip
    rolls = ph.contact.RollingFriction(road, 0.003, 0.004, name="rolls")
    system = ph.System([plane], [ph.Weight(G)], supports=[road, rolls])
    said = str(ph.contact_reading(system))
    assert "|(M1_rolls, M2_rolls)| <= rolls_static*N_road where 'rolls' sticks" in said
    assert "(M1_rolls, M2_rolls) = -rolls_dynamic*N_road v/|v| where it slides" in said
    assert "N_road presses 'rolls' too" in said


def test_rolls_is_said_of_what_sticks():
    """In a mode it is the same constraint."""
    system = ph.models.billiard_ball()
    words = [ph.in_mode(system, {"cloth": word}) for word in ("rolls", "sticks")]
    assert [len(w.constraints) for w in words] == [2, 2]
    assert np.array_equal(words[0].neutral(), words[1].neutral())
