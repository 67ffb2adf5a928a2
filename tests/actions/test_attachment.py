"""Where actions take hold, and the bodies they name: refused when built."""

from __future__ import annotations

import pytest

import polhode as ph
from polhode.errors import FrameMismatch, ModelError

WORLD = ph.World()
ROD = ph.Body("rod", ph.solids.rod(mass=1, length=1))
NO_POINT = {
    "spring": lambda place: ph.Spring(place, WORLD.origin, 10.0),
    "other end": lambda place: ph.Spring(ROD.origin, place, 10.0),
    "nonlinear": lambda place: ph.machines.NonlinearSpring(
        place, WORLD.origin, lambda x: x**2
    ),
    "damper": lambda place: ph.Damper(place, WORLD.origin, 10.0),
    "central": lambda place: ph.CentralForce(place, WORLD.origin, lambda x, v, t: x),
    "drag": lambda place: ph.Drag(place, WORLD.frame, 1.0),
    "friction": lambda place: ph.contact.Friction(
        place, WORLD.frame, ph.Z, 1.0, ph.contact.Viscous(1.0)
    ),
    "load": lambda place: ph.AppliedForce(
        place, ph.theory.Vector([0, 0, 1], ROD.frame)
    ),
    "mass": lambda place: ph.PointMass(place, 1.0),
    "force": lambda place: ph.theory.Force(
        ph.theory.Vector([0, 0, 1], ROD.frame), place
    ),
}


@pytest.mark.parametrize("noun", NO_POINT)
@pytest.mark.parametrize("place", [ROD, ROD.frame, (0.0, 0.0, 1.0)], ids=type)
def test_an_action_takes_hold_at_a_point(noun, place):
    """A body, a frame or three numbers are no point of a body: refused when built."""
    with pytest.raises(ModelError, match="is not a point"):
        NO_POINT[noun](place)


NO_FRAME = {
    "torsion": lambda body: ph.machines.TorsionalSpring(body, WORLD.frame, ph.Z, 1.0),
    "turning": lambda body: ph.machines.RotationalSpring(ROD.frame, body, 1.0),
    "damper": lambda body: ph.machines.RotationalDamper(body, WORLD.frame, 1.0),
    "drag": lambda body: ph.Drag(ROD.origin, body, 1.0),
    "couple": lambda body: ph.AppliedCouple(
        body, ph.theory.Vector([0, 0, 1], ROD.frame)
    ),
    "load": lambda body: ph.AppliedForce(
        ROD.origin, ph.theory.Vector([0, 0, 1], WORLD.frame), by=body
    ),
    "potential": lambda body: ph.Potential((WORLD.frame, body), lambda b: 0.0),
    "raw": lambda body: ph.theory.RawPotential((body,), lambda b, t: 0.0),
}


@pytest.mark.parametrize("noun", NO_FRAME)
def test_an_action_knows_bodies_by_their_frames(noun):
    """A body in the place of its frame is refused when built, with the repair."""
    with pytest.raises(ModelError, match=r"(?s)is not a frame.*body\.frame"):
        NO_FRAME[noun](ph.Body("bob", ph.solids.sphere(mass=1, radius=1)))


@pytest.mark.parametrize("noun", [ph.AppliedForce, ph.theory.Force, ph.theory.Couple])
def test_forces_are_vectors(noun):
    """Three numbers without a frame are no force and no couple."""
    given = {
        ph.AppliedForce: (ROD.origin, [0, 0, 1]),
        ph.theory.Force: ([0, 0, 1], ROD.origin),
        ph.theory.Couple: ([0, 0, 1],),
    }
    with pytest.raises(ModelError, match="not a vector"):
        noun(*given[noun])


SIZES = {
    "gravity": lambda: ph.Weight(-9.81),
    "dynamic": lambda: ph.Coulomb(-0.3),
    "damping": lambda: ph.contact.Viscous(-1.0),
    "mass": lambda: ph.PointMass(ROD.origin, -1.0),
}


@pytest.mark.parametrize("what", SIZES)
def test_what_is_never_negative_offers_no_way_out(what):
    """A negative g, mass or friction is refused without an option that is not there."""
    with pytest.raises(ModelError, match=f"the {what} of .* is negative") as refusal:
        SIZES[what]()
    assert "allow_negative" not in str(refusal.value)


def test_axes_of_laws_keep_their_frame():
    """A vector of the wrong body is no axis; one of the right body is."""
    along = ph.theory.Vector([0, 0, 1], ROD.frame)
    with pytest.raises(FrameMismatch, match=r"written in 'rod', not in 'world'"):
        ph.machines.TorsionalSpring(ROD.frame, WORLD.frame, along, 1.0)
    ph.machines.TorsionalSpring(WORLD.frame, ROD.frame, along, 1.0)
    with pytest.raises(FrameMismatch, match="where plain numbers go"):
        ph.Weight(9.81, up=along)
