"""Rollers: the papers', and the one that turns freely."""

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.geometry import se3
from polhode.joints.joint import freedoms

world = ph.World()


@pytest.mark.row("C-07")
def test_a_roller_holds_one_direction_and_two_turns():
    """r = 3 as printed, F_n and two moments; r = 1 if it turns freely, F_n alone."""
    body = ph.Body("body", ph.solids.sphere(mass=1.0, radius=0.1))
    ends = world.origin, body.origin
    roller = ph.Roller("roller", *ends, normal=ph.Z, axis=ph.Y)
    q = roller.neutral()
    assert_close(
        roller.reaction(q) @ roller.reaction(q).T, np.diag([1.0, 0, 1, 0, 0, 1])
    )
    assert np.linalg.matrix_rank(roller.reaction(q)) == 3
    assert np.linalg.matrix_rank(freedoms(roller, q)) == 3
    caster = ph.BallRoller("caster", *ends, normal=ph.Z)
    assert_close(caster.reaction(caster.neutral()), np.eye(6)[:, 5:])
    assert np.linalg.matrix_rank(freedoms(caster, caster.neutral())) == 5


@pytest.mark.row("C-07")
def test_the_normal_stays_while_the_roller_turns():
    """Turned by θ, the force is still along the plane's normal, not the body's."""
    body = ph.Body("body", ph.solids.sphere(mass=1.0, radius=0.1))
    roller = ph.Roller("roller", world.origin, body.origin, normal=ph.Z, axis=ph.Y)
    q = np.array([0.6, 0.2, 0.1])
    R_FM, p_FoMo_F = roller.pose(q)
    assert_close(R_FM @ roller.reaction(q)[3:, 2], [0, 0, 1], atol=1e-15)
    assert_close(p_FoMo_F, [0.2, 0.1, 0.0])


@pytest.mark.row("C-07")
@pytest.mark.parametrize("share", [0.25, 0.5, 0.9])
def test_a_simply_supported_beam_has_the_textbook_reactions(share):
    """Load P at a from the hinge of a beam of length l: P (1 - a/l) and P a/l.

        P |
          v
    /\\----------()      hinge at the left end, roller at the right
    """
    length, load = 3.0, 5.0
    beam = ph.Body("beam", ph.solids.rod(mass=1.0, length=length, along=ph.X))
    left, right = beam.point(-length / 2, 0, 0), beam.point(length / 2, 0, 0)
    hinge = ph.Revolute("hinge", world.point(-length / 2, 0, 0), left, axis=ph.Y)
    roller = ph.Roller(
        "roller", world.point(length / 2, 0, 0), right, normal=ph.Z, axis=ph.Y
    )
    columns = [
        se3.coadjoint(se3.displacement(*joint.second_frame()))
        @ joint.reaction(joint.neutral())
        for joint in (hinge, roller)
    ]
    place = np.array([(share - 0.5) * length, 0.0, 0.0])
    force = np.array([0.0, 0.0, -load])
    weight = np.concatenate([np.cross(place, force), force])
    carried, _, rank, _ = np.linalg.lstsq(np.hstack(columns), -weight, rcond=None)
    hinge_force = (columns[0] @ carried[:5])[3:]
    roller_force = (columns[1] @ carried[5:])[3:]
    assert rank == 6
    assert_close(hinge_force, [0, 0, load * (1 - share)], atol=1e-12)
    assert_close(roller_force, [0, 0, load * share], atol=1e-12)
