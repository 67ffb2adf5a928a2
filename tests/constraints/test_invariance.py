"""Superposed rigid motions: what rows must obey, and where the print slipped."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import polhode as ph
from closeness import assert_close
from finite import derivative
from polhode.constraints.loop import Loop
from polhode.geometry.rotations import so3
from polhode.geometry.vector import alternator
from polhode.system import numeric_constraints
from strategies_geometry import generators
from strategies_joints import JOINTS
from strategies_system import block, random_state


@pytest.mark.row("P-17")
@given(generators)
def test_the_change_of_a_row_under_a_superposed_motion(rng):
    """Pi+ - Pi = {sum f+} . s' + {sum (g + x x f)} . (-1/2 eps[S^T S']).

    Printed were sum f, and eps[S S^T], which is zero; with the dot restored as
    eps[S' S^T] it is still wrong.
    """
    f, g, x, v, w = rng.normal(size=(5, 3, 3))  # three bodies, nothing special
    axis, rate, s_dot = rng.normal(size=(3, 3))

    def S(t):
        return so3.exp(axis + t * rate)

    S_dot, turn = derivative(S, 0.0), S(0.0)
    spin = -0.5 * alternator(S_dot @ turn.T)
    v_plus = v @ turn.T + x @ S_dot.T + s_dot
    w_plus = w @ turn.T + spin
    f_plus, g_plus = f @ turn.T, g @ turn.T
    change = np.sum(f_plus * v_plus + g_plus * w_plus) - np.sum(f * v + g * w)

    braces = np.sum(g + np.cross(x, f), axis=0)

    def by(forces, matrix):
        return forces.sum(axis=0) @ s_dot + braces @ (-0.5 * alternator(matrix))

    assert_close(by(f_plus, turn.T @ S_dot), change, rtol=1e-8, atol=1e-8)
    printed = by(f, turn @ turn.T)
    half_repaired = by(f_plus, S_dot @ turn.T)
    assert abs(printed - change) > 1e-6
    assert abs(half_repaired - change) > 1e-6


@pytest.mark.row("P-15")
def test_rows_turn_with_the_bodies():
    """f = Q fhat(y, Y): in a body's axes rows keep still, in space they do not.

    Printed as functions of the relative (y, Y) alone they could not turn, and would
    have to vanish.
    """
    system, rng = _hinged(), np.random.default_rng(5)
    state, S = random_state(system, rng), so3.exp(rng.normal(size=3))
    R, p = system.poses(0, state.q)
    carried = [
        j.coordinates_from(S @ R[k], S @ p[k]) for k, j in enumerate(system.joints)
    ]
    f = _forces(system, state.q)
    f_plus = _forces(system, np.concatenate(carried))
    assert_close(f_plus @ (S @ R[0]), f @ R[0], atol=1e-9)
    assert_close(f_plus, f @ S.T, atol=1e-9)
    assert np.max(np.abs(f_plus - f)) > 0.1


def _hinged() -> ph.System:
    """Two free bodies with a hinge as a constraint."""
    world, a, b = ph.World(), block("a"), block("b")
    free = [ph.Free(body.name, world.origin, body.origin) for body in (a, b)]
    return ph.System(
        [*free, ph.Revolute("hinge", a.point(0.2, 0, 0), b.origin, axis=(1, 2, 0))]
    )


def _forces(system: ph.System, q: np.ndarray) -> np.ndarray:
    """f (rows, 3) on the first body, in space."""
    now = numeric_constraints.scene(system, 0.0, q)
    slopes = numeric_constraints.positions(system, now).slopes
    return slopes[:, 3:6] @ now.poses.rotations[0].T


@pytest.mark.row("P-17")
@pytest.mark.parametrize("joint", JOINTS, ids=lambda j: type(j).__name__)
def test_all_joints_are_about_relative_motion(joint):
    """Audited by random superposed motions, every kind of joint is invariant."""
    if joint.speeds < 6:
        report = ph.theory.audit_constraint(Loop(joint))
        assert report.is_invariant, str(report)


def test_the_audit_knows_constraints_of_velocity():
    """Equal velocities of two bodies' origins turn with neither: seen by the audit.

    v_a = v_b holds before one observer; before a turning one it does not.
    """
    a, b = block("a"), block("b")

    class Alike:
        name, joints, parameters, rows = "alike", (), (), ("x", "y", "z")
        bodies = (a.frame, b.frame)
        is_holonomic = False

        def velocity(self, placed, moving, t=0.0, table=None):
            return moving.linear[0] - moving.linear[1]

    assert not ph.theory.audit_constraint(Alike()).is_invariant
    gear = ph.Gear(
        ph.Revolute("one", a.origin, b.origin, axis=ph.Z),
        ph.Revolute("two", b.origin, block("c").origin, axis=ph.Z),
        2.0,
    )
    assert ph.theory.audit_constraint(gear).is_invariant
