"""The Coriolis matrix of any formulation, from dyadics of bodies to numbers.

    M = J^T M_B J,      C = J^T (M_B J' + C_B J)

J says how all bodies move with the formulation's velocities y, in their own axes and
about their origins; M_B and C_B are the bodies' inertias and Coriolis dyadics, by a
choice that C y = bias does not fix. J' is along the motion. With

    M' - 2 C = J^T (M_B' - 2 C_B) J + (J'^T M_B J - J^T M_B J')

C inherits passivity from the bodies. Rotors of motors are bodies of one speed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, final

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import DTypeLike

from polhode.arrays import Array, Scalar, matvec
from polhode.errors import ModelError
from polhode.formulation.questions.coordinate_coriolis import split_of_speeds
from polhode.formulation.shared.dense_form import refuse_many_bodies
from polhode.formulation.shared.maximal import has_rotors
from polhode.formulation.spatial_forms.choices import (
    CHOICES,
    CoriolisChoice,
    choice_named,
    require_product,
    skew_defect,
)
from polhode.formulation.spatial_forms.observer import by_body
from polhode.formulation.spatial_forms.stacked import reduced
from polhode.formulation.spatial_forms.transfer import moved_inertia, transfer
from polhode.geometry.admission import is_traced
from polhode.matter.parameter import Table

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations
    from polhode.system.state import State

LAGRANGE = "Lagrange"  # the one split that no body has of its own
TOLERANCE = 1e-9
Choice = str | CoriolisChoice | Mapping[str, str | CoriolisChoice]


@final
@dataclass(frozen=True, eq=False, repr=False)
class Coriolis:
    """A Coriolis matrix C (k, k) with C y = bias, and the rate M' of the mass matrix.

    `np.asarray` of it is the matrix; `size`, |M| |V|, is what rounding is measured by.
    """

    name: str
    matrix: np.ndarray
    mass_rate: np.ndarray
    size: float

    @property
    def skew_defect(self) -> float:
        """The norm of the symmetric part of M' - 2 C; zero if C is passive."""
        return float(skew_defect(self.mass_rate, self.matrix))

    @property
    def is_passive(self) -> bool:
        """Whether s^T (M' - 2 C) s = 0 for all s, to rounding."""
        size = self.size + float(np.linalg.norm(self.matrix))
        return self.skew_defect <= TOLERANCE * size

    def __array__(
        self, dtype: DTypeLike | None = None, copy: bool | None = None
    ) -> np.ndarray:
        return np.array(self.matrix, dtype=dtype)

    def __repr__(self) -> str:
        word = "passive" if self.is_passive else "not passive"
        head = f"Coriolis({self.name!r}: {word}, skew defect {self.skew_defect:.2g})"
        return f"{head}\n{np.array2string(self.matrix, precision=6)}"


class Projected(NamedTuple):
    """C and M' (k, k) of the velocities, and what they came from, for checks.

    mass      M (k, k)
    inertias  M_B (n, 6, 6), dyadics C_B (n, 6, 6), twists V (n, 6): about the points
              that the formulation is about, in bodies' own axes
    """

    matrix: Any
    mass_rate: Any
    mass: Any
    inertias: Any
    dyadics: Any
    twists: Any


def coriolis_function(equations: Equations, choice: Choice) -> Callable[..., Projected]:
    """(t, q, y, table) -> Projected, for use inside a trace."""
    if choice == LAGRANGE:
        return _split(equations)
    given = by_body(equations.system, choice, "choice")
    return _project(equations, tuple(choice_named(each) for each in given))


def coriolis_of(
    equations: Equations, state: State, choice: Choice, table: Table
) -> Coriolis:
    """The Coriolis matrix at a state, checked: C y is the bias of the equations."""
    refuse_many_bodies(
        equations.system,
        "a Coriolis matrix",
        "It couples all {} speeds with each other and is written out body by body",
        "Ask equations.bias(state), which is C y without the matrix.",
    )
    _require_known(choice)
    y = equations.velocities(state, table)
    M, bias = equations.mass_matrix(state, table), equations.bias(state, table)
    key = tuple(choice.items()) if isinstance(choice, Mapping) else choice
    function = coriolis_function(equations, choice)
    found = equations.ask(("coriolis", key), function, state, table)
    if is_traced(found.matrix):  # numbers that are not known yet are not held to checks
        size = jnp.linalg.norm(found.mass) * jnp.max(jnp.abs(found.twists))
        return Coriolis(_describe(choice), found.matrix, found.mass_rate, size)
    _require_velocities(equations, found.mass, M)
    if choice != LAGRANGE:
        _require_products(equations, choice, found)
    V = np.max(np.abs(found.twists))
    gap = np.max(np.abs(found.matrix @ y - bias))
    if gap > TOLERANCE * (np.max(np.abs(found.inertias)) * V**2 + np.max(np.abs(bias))):
        raise ModelError(
            f"the equations of {equations.system.name!r} by {equations.name} have no"
            f" Coriolis matrix: C y misses their bias by {gap:.3g}.",
            "What is quadratic in velocities is C y only where the bodies' velocities"
            " are proportional to y; here they have a part of their own.",
            "Choose velocities that vanish at rest.",
        )
    size = float(np.linalg.norm(found.mass) * V)
    return Coriolis(_describe(choice), found.matrix, found.mass_rate, size)


def _project(
    equations: Equations, choices: tuple[CoriolisChoice, ...]
) -> Callable[..., Projected]:
    core, system = equations.functions, equations.system
    n = len(system.bodies)

    def function(t: Scalar, q: Array, y: Array, table: Table) -> Projected:
        def motion(t: Scalar, q: Array) -> tuple[Any, Any]:
            """J (n, 6, k) of the bodies, and Z (nz, k) of the rotors."""
            wrenches = jnp.zeros((n, 6))
            J_T = jax.jacfwd(lambda W: core.along(t, q, y, W, table))(wrenches)
            if not has_rotors(system):
                return jnp.moveaxis(J_T, 0, -1), jnp.zeros((0, y.shape[0]))
            Z = jax.jacfwd(lambda y: core.speeds(t, q, y, table))(y)
            return jnp.moveaxis(J_T, 0, -1), Z

        now = 1.0 * jnp.asarray(t), q
        along = jnp.ones_like(now[0]), core.rates(t, q, y, table)
        (J, Z), (J_dot, Z_dot) = jax.jvp(motion, now, along)
        arms = core.arms(table) if core.arms else jnp.zeros((n, 3))
        T = transfer(arms)
        M_P = moved_inertia(system.inertias(table), -arms)
        V_P = matvec(T @ J, jnp.broadcast_to(y, (n, *y.shape)))
        C_P = jnp.stack([c.dyadic(M_P[k], V_P[k]) for k, c in enumerate(choices)])
        of_bodies = reduced(M_P, C_P, T @ J, T @ J_dot)
        r = system.rotor_inertias(table) if Z.shape[0] else jnp.zeros(0)
        of_rotors = reduced(jnp.diag(r), 0.0 * jnp.diag(r), Z, Z_dot)
        C, M, M_dot = (a + b for a, b in zip(of_bodies, of_rotors, strict=True))
        return Projected(C, M_dot, M, M_P, C_P, V_P)

    return function


def _split(equations: Equations) -> Callable[..., Projected]:
    """Lagrange's split of the system's speeds z = E y, in the velocities y."""
    core, system = equations.functions, equations.system
    split = split_of_speeds(LAGRANGE, system)
    if len(equations.velocity_names) != system.speeds:
        raise ModelError(
            f"the {len(equations.velocity_names)} velocities of {equations.name} have"
            f" no split {LAGRANGE!r}: {system.name!r} has {system.speeds} speeds.",
            "That split is of coordinates, and bodies set free have none in common.",
            f"Choose one of {', '.join(map(repr, CHOICES))}.",
        )
    bodies = _project(equations, (CHOICES["momentum"],) * len(system.bodies))

    def function(t: Scalar, q: Array, y: Array, table: Table) -> Projected:
        def E(t: Scalar, q: Array) -> Any:
            return jax.jacfwd(lambda y: core.speeds(t, q, y, table))(y)

        z = core.speeds(t, q, y, table)
        now = 1.0 * jnp.asarray(t), q
        along = jnp.ones_like(now[0]), core.rates(t, q, y, table)
        E_now, E_dot = jax.jvp(E, now, along)
        M_z, C_z = system.mass_matrix(t, q, table), split(t, q, z, table)
        C = reduced(M_z, C_z, E_now, E_dot).coriolis
        return bodies(t, q, y, table)._replace(matrix=C)

    return function


def _require_known(choice: Choice) -> None:
    for each in choice.values() if isinstance(choice, Mapping) else (choice,):
        known = isinstance(each, CoriolisChoice) or each in CHOICES
        if not known and each != LAGRANGE:
            names = ", ".join(map(repr, (*CHOICES, LAGRANGE)))
            raise ModelError(
                f"there is no Coriolis choice {each!r}.",
                "Many matrices give the same C y; each has a name.",
                f"Choose one of {names}, or give a CoriolisChoice.",
            )


def _require_velocities(equations: Equations, projected: Array, M: Array) -> None:
    """Refuse momenta: J^T M_B J is not the matrix of their equations."""
    gap = np.max(np.abs(projected - M))
    if gap > TOLERANCE * np.max(np.abs(projected)):
        raise ModelError(
            f"the equations of {equations.system.name!r} by {equations.name} have no"
            " Coriolis matrix.",
            "Some of their unknowns are momenta, whose rates are forces; C is of"
            " velocities.",
            "Ask another form: ph.lagrange, ph.gauss, ph.kirchhoff.",
        )


def _require_products(equations: Equations, choice: Choice, found: Projected) -> None:
    given = by_body(equations.system, choice, "choice")
    parts = found.dyadics, found.inertias, found.twists
    for body, each, C, M, V in zip(equations.system.bodies, given, *parts, strict=True):
        require_product(choice_named(each), C, M, V, who=repr(body.name))


def _describe(choice: Choice) -> str:
    if isinstance(choice, Mapping):
        return ", ".join(f"{body}: {_describe(each)}" for body, each in choice.items())
    return choice.name if isinstance(choice, CoriolisChoice) else choice
