"""A method that keeps energy, and the momenta of what is isolated, to rounding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, final

import jax
import jax.numpy as jnp
import numpy as np

from polhode.actions.potentials.raw_potential import RawPotential
from polhode.arrays import Array, Scalar
from polhode.formulation.shared.speeds import along
from polhode.formulation.solve.equations_of_motion import solve_definite, solve_rows
from polhode.geometry.rotations.angle_ratios import arctangent_ratio
from polhode.integrate.field.scales import displacements
from polhode.integrate.field.vector_field import Field
from polhode.integrate.methods.implicit import constrained_terms, newton
from polhode.integrate.methods.mechanical.variational import (
    arrived,
    bracket,
    require_tree,
)
from polhode.integrate.methods.method import Attempt, FixedStep
from polhode.joints.free import Free
from polhode.joints.translation import Translation
from polhode.system.natural_sizes import length_at_rest
from polhode.system.system import System

# Below this share of the kinetic energy a correction would divide by rounding.
VANISHING = 1e-14


@final
@dataclass(frozen=True)
class EnergyMomentum(FixedStep):
    """Order 2 and symmetric; for any tree of joints.

    With p = M z, H = p.M^-1 p/2 + V and a discrete gradient of H, one for which
    H1 - H = H_q.d + H_p.(p1 - p) whatever the step:

        d = h H_p,      p1 - p = ad_d^T (p + p1)/2 - h H_q + h Q,      q1 = q cay(d)

    So energy changes by the work of Q alone. The gradient is that at the middle, made
    exact by a force along M d (after Gonzalez, J. Nonlinear Sci. 6 (1996) 449); in an
    isolated system by one without resultant and moment. For one free body it is the
    method of Simo and Wong, Int. J. Numer. Meth. Eng. 31 (1991) 19.
    """

    name: ClassVar[str] = "energy-momentum"
    order: ClassVar[int] = 2
    is_symmetric: ClassVar[bool] = True

    def attempt(
        self, field: Field, t: Scalar, x: Array, x_dot: Array, h: Scalar
    ) -> Attempt:
        """One step, traced."""
        system, n = field.system, field.coordinates
        require_tree(self.name, system)
        q = system.normalised(x[:n])
        z = field.speeds(t, q, x[n:])
        p = constrained_terms.mass(field, t, q) @ z
        k = len(z)
        way = newton.size_of_way(displacements(system, q), h * z)
        push = newton.spread(p) + jnp.abs(h) * newton.spread(x_dot[n:]) + 1e-300
        unit = jnp.concatenate([way * jnp.ones(k), jnp.full(k, push)])
        start = _Start(t, q, p, _energy(field, t, q, p))

        def residual(u: Array) -> Any:
            d, gain = u[:k] * unit[:k], u[k:] * push
            there, axpy = _stepped(field, start, d, gain, h)
            return u - jnp.concatenate([there, axpy]) / unit

        guessed = newton.way(field, t, x, x_dot, h)
        first = _stepped(field, start, guessed, jnp.zeros(k), h)
        guess = jnp.concatenate([guessed, first[1]]) / unit
        found = newton.solve(residual, guess, 1.0)
        end = field.local(q, _turned(system, found.u[:k] * unit[:k]))
        x1 = arrived(field, t + h, end, p + found.u[k:] * push)
        return Attempt(x1, is_solved=found.is_solved)


class _Start(NamedTuple):
    """The start of a step: time, place, momenta and energy."""

    t: Any
    q: Any
    p: Any
    energy: Any


def _stepped(field: Field, start: _Start, d: Array, gain: Any, h: Scalar) -> Any:
    """h H_p, and ad_d^T (p + p1)/2 - h H_q + h Q, for a trial of d and p1 - p."""
    (t, q, p, energy) = start
    system, then = field.system, t + h / 2
    turn, mean = _turned(system, d), p + gain / 2
    middle, end = field.local(q, turn / 2), field.local(q, turn)
    M = constrained_terms.mass(field, then, middle)
    z = solve_definite(M, mean)
    values = constrained_terms.table(field, then, middle, z)
    given = along(
        system,
        then,
        middle,
        system.nonconservative_wrenches(then, middle, z, values),
        values,
    )
    drawn = constrained_terms.potential_slope(field, then, middle, z) - given
    inner = _inner(field, then, middle, M, d) / h
    missed = _energy(field, t + h, end, p + gain) - energy + drawn @ d - z @ gain
    least = VANISHING * (mean @ z) + np.finfo(float).tiny
    force = drawn + given - missed / (inner @ d + h * h * least) * inner
    return h * z, bracket(system, then, middle, d).T @ mean + h * force


def _energy(field: Field, t: Scalar, q: Array, p: Array) -> Any:
    """H = p.M^-1 p/2 + V"""
    values = constrained_terms.table(field, t, q, jnp.zeros(field.system.speeds))
    kinetic = p @ solve_definite(constrained_terms.mass(field, t, q), p) / 2
    return kinetic + field.system.potential_energy(t, q, values)


def _inner(field: Field, t: Scalar, q: Array, M: Array, d: Array) -> Any:
    """M d without what moves an isolated system as a whole."""
    system = field.system
    if not _is_isolated(system):
        return M @ d
    values = constrained_terms.table(field, t, q, jnp.zeros(system.speeds))
    poses = system.poses(t, q, values)
    # About a place among the bodies: far from the world's origin moments would cancel.
    arms = poses.origins - jnp.mean(poses.origins, axis=0)
    rigid = [
        _unit_motions(R, arm) for R, arm in zip(poses.rotations, arms, strict=True)
    ]
    J, inertia = system.jacobians(t, q, values), system.inertias(values)
    parts = zip(J, inertia, rigid, strict=True)
    whole = sum(j.T @ (i @ r) for j, i, r in parts)
    G = solve_definite(M, whole)
    # Unit turns move the whole by its length, unit slides by a metre.
    sizes = np.repeat([length_at_rest(system), 1.0], 3)
    return M @ d - whole @ solve_rows(G.T @ whole, whole.T @ d, sizes)


def _unit_motions(R: Array, p: Array) -> Any:
    """Unit motions of the whole about a place, as the twists of a body p from it."""
    zero = jnp.zeros((3, 3))
    arm = jnp.stack([jnp.cross(e, p) for e in np.eye(3)], axis=1)
    return jnp.block([[R.T, zero], [R.T @ arm, R.T]])


def _is_isolated(system: System) -> bool:
    """Whether no joint and no potential ties its bodies to the world."""
    roots = [edge.joint for edge in system.tree.edges if edge.parent < 0]
    stores = [action for action in system.actions if action.is_conservative]
    ties = [a for a in stores if -1 in system.places_of(a.bodies)]
    # Of a function of absolute poses nothing is known.
    ties += [a for a in stores if isinstance(a, RawPotential)]
    return not ties and all(isinstance(joint, Free | Translation) for joint in roots)


def _turned(system: System, d: Array) -> Any:
    """What `local` must be given for q cay(d): rotations by 2 atan(|d|/2) about d.

    For screws the same with dual numbers, so that the translation is a derivative.
    """
    parts = []
    for edge in system.tree.edges:
        joint, own = edge.joint, d[edge.z]
        if joint.coordinates == joint.speeds:
            parts.append(own)
        elif isinstance(joint, Free):
            parts += jax.jvp(_angle, (own[:3],), (own[3:],))
        else:
            parts += [_angle(own[:3]), own[3:]]
    return jnp.concatenate(parts)


def _angle(d: Array) -> Any:
    """The rotation vector whose Cayley vector is d."""
    return d * arctangent_ratio(d @ d / 4, 1.0)
