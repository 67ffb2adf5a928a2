"""What contacts meet in a step: W is symmetric, and u is read where the step ends."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.double import doubled
from polhode.integrate.field.vector_field import field_of
from polhode.integrate.host.motion_equations import equations_of
from polhode.integrate.methods.mechanical.moreau import _Step
from polhode.system import contacts


def block():
    """A box of three unlike sides over a floor, with drag."""
    body = ph.Body("block", ph.solids.box(mass=1.2, x=0.3, y=0.2, z=0.1))
    skin = ph.surfaces.box(body.origin, (0.3, 0.2, 0.1))
    floor = ph.Support(skin, ph.World().origin, friction=ph.Coulomb(0.5), name="floor")
    return ph.System([body], [ph.Weight(9.81)], supports=[floor], name="block")


def tumbling(system):
    """x of a block that flies and turns."""
    q = system.neutral()
    q[:4] = np.array([0.9, 0.3, -0.2, 0.1]) / np.linalg.norm([0.9, 0.3, -0.2, 0.1])
    q[-1] = 0.2
    return np.concatenate([q, [3.0, -2.0, 5.0, 0.4, -0.3, -1.0]])


def made(system, h):
    """(x, r) -> W r and by how much u where the step ends changes, both (n, 3)."""
    method = ph.methods.Moreau(h)
    field = field_of(equations_of(system, method, None), {})

    def ends(step, r):
        z = step.free + step.change(r)
        q = field.local(step.middle, h / 2 * z)
        return contacts.velocities(system, h, q, z, step.table)

    def both(x, r):
        step = _Step.begun(field, 0.0, x, h)
        problem = step.problem(None)
        v = problem.response.reshape(-1, *problem.response.shape[1:])
        moved = sum(v[i] @ r[i] for i in range(len(r)))
        return problem.jacobian @ moved, ends(step, r) - ends(step, 0.0 * r)

    return both


@pytest.mark.parametrize("seed", range(2))
def test_velocities_where_a_step_ends_change_by_w_r(seed):
    """But for the turn of the body over half a step: 6 rad/s times 2 ms."""
    system, rng = block(), np.random.default_rng(seed)
    x, r = tumbling(system), np.zeros((8, 3))
    r[seed] = 1e-6 * rng.normal(size=3)
    # All of them are active: the floor is lifted.
    x[6] = -1.0
    missed = []
    for h in (4e-3, 2e-3):
        by_w, truly = doubled(made(system, h))(x, r)
        missed.append(np.max(np.abs(by_w - truly)) / np.max(np.abs(by_w)))
    assert missed[0] < 0.02
    assert missed[0] / missed[1] > 1.9


def test_w_is_symmetric_and_never_negative():
    """Whatever turns: eight corners of a body that has six speeds."""
    system = block()
    x = tumbling(system)
    x[6] = -1.0
    field = field_of(equations_of(system, ph.methods.Moreau(1e-2), None), {})

    def delassus(x):
        problem = _Step.begun(field, 0.0, x, 1e-2).problem(None)
        return problem.jacobian.reshape(24, 6), problem.response

    J, X = doubled(delassus)(x)
    W = np.concatenate([J @ own for own in X], axis=1)
    np.testing.assert_allclose(W, W.T, atol=1e-12 * np.max(np.abs(W)))
    assert np.min(np.linalg.eigvalsh((W + W.T) / 2)) > -1e-12 * np.max(np.abs(W))
