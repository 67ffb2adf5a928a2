r"""Motions that change nothing but the place: what carries a steady motion along.

    q_dot = psi(q, Y(q)),      Y(q) = sum of xi_k Y_k(q)      fields of speeds

Known by name: any speed of a joint, which runs on alone ("hoop", or "tip.wz": a top
spins about its own axis); "shift x" and "turn x", y or z: the whole as one rigid body.
A field is a symmetry if the law of motion X = (q_dot, z_dot), carried along with it,
stays what it was:

    [Y', X] = 0,      Y' = (psi(q, Y), z carried along)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from polhode.arrays import Array, Scalar
from polhode.errors import AnalysisError
from polhode.matter.parameter import NOMINAL, Table
from polhode.matter.particle import Particle
from polhode.system import kinematics, numeric_constraints
from polhode.system.checked_argument import system_argument
from polhode.system.contacts import refuse_supports
from polhode.system.members import suggestion

if TYPE_CHECKING:
    from polhode.system.system import System
    from polhode.system.tree import Edge

Field = Callable[[Any, Table], Any]  # q, table -> speeds (nz,)

AXES = ("x", "y", "z")
KEPT = 1e-8  # of what each side of the bracket has: rounding
DRAWS = 3  # places at which a symmetry must hold: one may be special by chance


@final
@dataclass(frozen=True, eq=False, repr=False)
class Carriers:
    """Fields of a system by name; xi are their rates, in the same order."""

    system: System
    names: tuple[str, ...]
    fields: tuple[Field, ...]

    def matrix(self, q: Array, table: Table) -> Any:
        """Y (nz, k): the speeds of each carrier at rate one, a column each."""
        import jax.numpy as jnp

        columns = [jnp.asarray(field(q, table)) for field in self.fields]
        return jnp.stack([jnp.zeros(self.system.speeds), *columns], -1)[:, 1:]

    def speeds(self, q: Array, xi: Array, table: Table) -> Any:
        """z = Y(q) xi (nz,)."""
        return self.matrix(q, table) @ xi

    def growth(self, t: Scalar, q: Array, z: Array, xi: Array, table: Table) -> Any:
        """z_dot (nz,) of speeds z that are carried along from q at rates xi.

        The rate v = psi(q, z) of coordinates grows by the slope of the field along v.
        """
        import jax

        def flow(q: Array) -> Any:
            return self.system.rates(t, q, self.speeds(q, xi, table), table)

        v = self.system.rates(t, q, z, table)
        q_dot, v_dot = jax.jvp(flow, (q,), (v,))
        return jax.jvp(
            lambda q, v: self.system.speeds_from(t, q, v), (q, v), (q_dot, v_dot)
        )[1]

    def __repr__(self) -> str:
        return f"Carriers({', '.join(self.names) or 'none'})"


@system_argument
def symmetries(system: System) -> tuple[str, ...]:
    """The names of all known carriers that are symmetries of the law of motion.

    >>> import polhode as ph
    >>> ph.symmetries(ph.models.heavy_top())
    ('tip.wz', 'turn z')
    """
    refuse_supports(system, "ph.symmetries")
    every = pick(system, tuple(candidates(system)))
    kept = broken(every) <= KEPT
    return tuple(n for n, keeps in zip(every.names, kept, strict=True) if keeps)


def pick(system: System, names: Sequence[str]) -> Carriers:
    """The carriers of these names; refused if a name is not known."""
    known = candidates(system)
    for name in names:
        if name not in known:
            raise AnalysisError(
                f"{system.name!r} has nothing called {name!r} that could carry a"
                " steady motion.",
                "A carrier is a speed of a joint, or a shift or turn of the whole.",
                suggestion(name, known),
            )
    return Carriers(system, tuple(names), tuple(known[name] for name in names))


def require_symmetries(given: Carriers) -> None:
    """Refuse a carrier under which the law of motion is not the same."""
    for name, size in zip(given.names, broken(given), strict=True):
        if size > KEPT:
            raise AnalysisError(
                f"{name!r} cannot carry a steady motion of {given.system.name!r}.",
                "Moved along it, the system obeys another law: what acts on it, or how"
                " its mass lies, depends on that place.",
                "Its symmetries are"
                f" {', '.join(symmetries(given.system)) or 'none that are known'}.",
                f"The law changes by {size:.2g} of itself.",
            )


def candidates(system: System) -> dict[str, Field]:
    """All fields that may be symmetries, by name."""
    found: dict[str, Field] = {}
    for k, name in enumerate(system.speed_names):
        found[name] = _alone(np.eye(system.speeds)[k])
    for k, axis in enumerate(AXES):
        for word, twist in (("shift", np.eye(6)[k + 3]), ("turn", np.eye(6)[k])):
            if _moves_as_one(system, twist):
                found[f"{word} {axis}"] = _as_one(system, twist)
    return found


def broken(given: Carriers) -> np.ndarray:
    """How far each carrier changes the law of motion, of the size of its parts (k,)."""
    system, rng = given.system, np.random.default_rng(3)
    worst = np.zeros(len(given.names))
    for _ in range(DRAWS if given.names else 0):
        q, z = draw(system, rng), rng.uniform(-1, 1, system.speeds)
        for k, unit in enumerate(np.eye(len(given.names))):
            worst[k] = max(worst[k], _bracket(given, q, z, unit))
    return worst


def draw(
    system: System, rng: np.random.Generator, about: np.ndarray | None = None
) -> np.ndarray:
    """A place at random: any angle, and near `about` within lengths of the system."""
    from polhode.integrate.field.scales import displacements

    centre = np.asarray(system.neutral() if about is None else about)
    sizes = displacements(system, centre)
    turns = np.array([u == "rad/s" for j in system.joints for u in j.speed_units])
    reach = np.where(turns, np.pi, 2 * sizes)
    away = rng.uniform(-1, 1, system.speeds) * reach
    return np.asarray(system.normalised(system.local(centre, away)))


def _bracket(given: Carriers, q: np.ndarray, z: np.ndarray, xi: np.ndarray) -> float:
    """The bracket of a carrier and the law, and how it moves off the constraints."""
    law, carry = _programs(given)
    still = np.zeros_like(q), np.zeros_like(z)
    X, _ = law(q, z, *still)
    Y, along = carry(q, z, xi, *X)
    _, other = law(q, z, *Y)
    pairs = list(zip(other, along, strict=True))
    gap = max(np.max(np.abs(a - b), initial=0.0) for a, b in pairs)
    parts = [part for pair in (*pairs, X) for part in pair]
    size = max(np.max(np.abs(part), initial=0.0) for part in parts)
    return float(max(gap / size, _leaving(given.system, q, Y[0])))


def _programs(given: Carriers) -> tuple[Any, Any]:
    """X and its change along a tangent; Y' at rates xi and its change along one."""
    import jax

    from polhode.formulation.recursive.recursive import recursive

    system, core = given.system, recursive(given.system).functions

    def law(q: Array, z: Array, dq: Any, dz: Any) -> Any:
        def X(q: Array, z: Array) -> Any:
            z_dot, _ = core.accelerations(0.0, q, z, NOMINAL)
            return system.rates(0.0, q, z), z_dot

        return jax.jvp(X, (q, z), (dq, dz))

    def carry(q: Array, z: Array, xi: Array, dq: Any, dz: Any) -> Any:
        def Y(q: Array, z: Array) -> Any:
            q_dot = system.rates(0.0, q, given.speeds(q, xi, NOMINAL))
            return q_dot, given.growth(0.0, q, z, xi, NOMINAL)

        return jax.jvp(Y, (q, z), (dq, dz))

    q, z, xi = system.neutral(), np.zeros(system.speeds), np.zeros(len(given.names))
    return (
        system.program("law of motion", law, (q, z, q, z)),
        system.program(("carriers", given.names), carry, (q, z, xi, q, z)),
    )


def _leaving(system: System, q: np.ndarray, q_dot: np.ndarray) -> float:
    """How fast q_dot leaves the equations of place that do not know the time."""
    if not any(constraint.is_holonomic for constraint in system.constraints):
        return 0.0
    z = system.speeds_from(0.0, q, q_dot)
    rows = numeric_constraints.positions(
        system, numeric_constraints.scene(system, 0.0, q)
    )
    later = [numeric_constraints.scene(system, t, q) for t in (0.7312, 1e-3)]
    same = [
        numeric_constraints.positions(system, now).values == rows.values
        for now in later
    ]
    rate = np.abs(rows.slopes @ z) / (rows.sizes * np.max(np.abs(z)))
    return float(np.max(rate, where=same[0] & same[1], initial=0.0))


def _alone(unit: np.ndarray) -> Field:
    return lambda q, table: unit


def _as_one(system: System, twist: np.ndarray) -> Field:
    """The speeds with which all bodies move as one rigid whole about the origin."""
    from polhode.formulation.solve.equations_of_motion import solve_definite

    plain = {e.child for e in system.tree.edges if _is_orthonormal(system, e)}

    def field(q: Array, table: Table) -> Any:
        import jax.numpy as jnp

        values = system.table(table)
        parts = [jnp.zeros(edge.joint.speeds) for edge in system.tree.edges]
        for k, edge in enumerate(system.tree.edges):
            if edge.parent < 0 and edge.joint.speeds:
                R, p = kinematics.placement(edge, q, values)
                V = jnp.concatenate(
                    [R.T @ twist[:3], R.T @ (twist[3:] + jnp.cross(twist[:3], p))]
                )
                S = jnp.asarray(kinematics.subspace(edge, q, values))
                along = S.T @ V
                parts[k] = (
                    along if edge.child in plain else solve_definite(S.T @ S, along)
                )
        return jnp.concatenate(parts)

    return field


def _is_orthonormal(system: System, edge: Edge) -> bool:
    """Whether the unit speeds of a joint are unit twists across each other."""
    rng, table = np.random.default_rng(4), system.table()
    for _ in range(2):
        S = kinematics.subspace(edge, draw(system, rng), table)
        if not np.allclose(S.T @ S, np.eye(S.shape[1]), rtol=0, atol=1e-14):
            return False
    return True


def _moves_as_one(system: System, twist: np.ndarray) -> bool:
    """Whether the joints to the world let all bodies move so, wherever they are.

    How a particle that carries nothing is turned does not matter.
    """
    rng, table = np.random.default_rng(4), system.table()
    carrying = {edge.parent for edge in system.tree.edges}
    points = {
        k
        for k, body in enumerate(system.bodies)
        if isinstance(body, Particle) and k not in carrying
    }
    for _ in range(2):
        q = draw(system, rng)
        for edge in system.tree.edges:
            if edge.parent < 0:
                R, p = kinematics.placement(edge, q, table)
                v = twist[3:] + np.cross(twist[:3], p)
                V = np.concatenate([R.T @ twist[:3], R.T @ v])
                S = kinematics.subspace(edge, q, table)
                rest = V - S @ np.linalg.lstsq(S, V, rcond=None)[0] if S.size else V
                if edge.child in points:
                    rest = rest[3:]
                if np.max(np.abs(rest)) > KEPT * (1 + np.max(np.abs(V))):
                    return False
    return True
