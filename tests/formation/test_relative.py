"""A formation seen from its leader."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.formulation.spatial_forms.choices import coriolis_dyadic, skew_defect
from polhode.formulation.spatial_forms.stacked import reduced
from polhode.formulation.spatial_forms.transfer import (
    blocks,
    moved_inertia,
    spin,
    transfer,
)
from strategies_system import block

FORMS = [
    ("mass centre", "inertial"),
    ("mass centre", "body"),
    ("origin", "inertial"),
    ("origin", "body"),
]


@cache
def systems():
    """Two lopsided bodies and a particle with springs: absolute, and seen from a."""
    a, b, c = block("a", 1.0), block("b", 1.3), ph.Particle("c", 0.4)
    springs = [
        ph.Spring(a.point(0.2, 0, 0), b.point(0, 0.1, 0), 3.0, 1.0, name="ab"),
        ph.Spring(b.point(0, 0.3, 0), c.mass_centre, 2.0, 0.7, name="bc"),
    ]
    far = ph.System([a, b, c], springs, name="absolute")
    return far, ph.formations.formation_tree([a, b, c], "a", actions=springs)


def start(seed=5):
    """The same random motion told in both."""
    far, near = systems()
    rng = np.random.default_rng(seed)
    q = far.normalised(rng.normal(size=far.coordinates))
    state = ph.State(far, 0.0, q, rng.normal(size=far.speeds))
    return state, ph.formations.in_tree(state, near)


@cache
def relative(about, rates):
    return ph.formations.relative_equations(systems()[1], about=about, rates=rates)


def turn(R):
    return blocks([[R, 0 * R], [0 * R, R]])


def stack(state, about, rates):
    """M, C (3, 6, 6) of the bodies in a form, and J, J' (3, 6, 15) by hand.

    J has X_i, which turns and transfers the leader's velocity, and a turn for V_rel.
    The axes A of the forms are the world's, or the bodies' own.
    """
    system = state.system
    poses = system.poses(0.0, state.q)
    V = system.body_twists(0.0, state.q, state.z)
    arms = np.array([body.moments().centre for body in system.bodies])
    arms = arms if about == "mass centre" else 0 * arms
    R_WL, w_L = poses.rotations[0], V[0, :3]
    P = poses.origins + np.einsum("nij,nj->ni", poses.rotations, arms)
    v_P = np.stack(
        [
            R @ (V_k[3:] + np.cross(V_k[:3], r))
            for R, V_k, r in zip(poses.rotations, V, arms, strict=True)
        ]
    )
    found = []
    for k, (R_WB, r) in enumerate(zip(poses.rotations, arms, strict=True)):
        w = V[k, :3]
        R_AB = R_WB if rates == "inertial" else np.eye(3)
        w_A = 0 * w if rates == "inertial" else w  # along A
        R_AL = R_AB @ R_WB.T @ R_WL
        M = turn(R_AB) @ moved_inertia(system.inertias()[k], -r) @ turn(R_AB).T
        V_A = turn(R_AB) @ transfer(r) @ V[k]
        C = coriolis_dyadic(M, V_A, rates=w_A)
        way = R_WL.T @ (P[k] - P[0])
        way_dot = R_WL.T @ (v_P[k] - v_P[0]) - np.cross(w_L, way)
        w_AL_A = R_AL @ w_L - w_A
        X, rel = turn(R_AL) @ transfer(way), turn(R_AL)
        bend = transfer(way_dot) - np.eye(6)
        X_dot, rel_dot = spin(w_AL_A) @ X + turn(R_AL) @ bend, spin(w_AL_A) @ rel
        J, J_dot = np.zeros((2, 6, 15))
        J[:, :6], J_dot[:, :6] = X, X_dot
        own = slice(6, 12) if k == 1 else slice(12, 15)
        if k:
            J[:, own], J_dot[:, own] = (
                rel[:, 6 - (own.stop - own.start) :],
                rel_dot[:, 6 - (own.stop - own.start) :],
            )
        found.append((M, C, J, J_dot, V_A))
    return [np.stack(part) for part in zip(*found, strict=True)]


@pytest.mark.row("S-10")
@pytest.mark.parametrize(
    "form",
    [
        *FORMS[1:3],
        pytest.param(FORMS[0], marks=pytest.mark.long),
        pytest.param(FORMS[3], marks=pytest.mark.long),
    ],
    ids=" ".join,
)
def test_the_relative_equations_are_the_stacked_ones_in_other_velocities(form):
    """V_i = X_i V_leader + V_rel,i; M_nu = J^T M J, C_nu = J^T (M J' + C J) of a form.

    X_i and its rate are written by hand; C_nu nu is the bias, and it stays passive.
    """
    _, state = start()
    equations = relative(*form)
    nu = equations.velocities(state)
    M, C, J, J_dot, V = stack(state, *form)
    assert_close(J @ nu, V, rtol=1e-12, atol=1e-12)
    found = reduced(M, C, J, J_dot)
    assert_close(equations.mass_matrix(state), found.mass, rtol=1e-11, atol=1e-11)
    assert_close(equations.bias(state), found.coriolis @ nu, rtol=1e-10, atol=1e-10)
    given = equations.coriolis(state)
    assert given.is_passive
    assert_close(given.matrix, found.coriolis, rtol=1e-9, atol=1e-9)
    # The true rate of M_nu, by which C_nu is passive.
    assert skew_defect(given.mass_rate, found.coriolis) < 1e-10


@pytest.mark.long
@pytest.mark.row("S-10")
def test_all_forms_give_one_relative_motion():
    """Accelerations of bodies are those of the absolute equations, in every form."""
    far, near = start(7)
    expected = ph.recursive(far.system).body_accelerations(far)
    for form in FORMS[1:3]:
        found = relative(*form).body_accelerations(near)
        # The particle's axes are the leader's in one, the world's in the other.
        assert_close(found[:2], expected[:2], rtol=1e-10, atol=1e-10)
