"""`Equations`: one noun for every formulation, with the same questions.

    M(t, q) y_dot + b(t, q, y) = f(t, q, y) + A^T l,      A y_dot = g,     q_dot = psi

A formulation chooses the velocities y and what it keeps as constraints. Its `Core`
holds plain JAX functions, for use inside anyone's own `jit`; the methods of `Equations`
ask them at a state of the system, and `Equations.functions` gives them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, final

import numpy as np

from polhode.arrays import Array, Scalar, itself
from polhode.fingerprint import REMEMBERED
from polhode.formulation.shared.dense_form import refuse_many_bodies
from polhode.formulation.solve.equations_of_motion import solve_constrained
from polhode.geometry.admission import is_traced, number_of
from polhode.lowering.kept import kept_program, kept_value
from polhode.lowering.repeated_call import RepeatedCall
from polhode.matter.parameter import NOMINAL, Table
from polhode.system.contacts import refuse_supports
from polhode.system.state import require_layout
from polhode.system.values import require_values

if TYPE_CHECKING:
    from polhode.constraints.constraint import Attachment
    from polhode.formulation.questions.centroidal import Centroidal
    from polhode.formulation.questions.coriolis import Coriolis
    from polhode.formulation.questions.determinacy import Determinacy
    from polhode.formulation.questions.powers import Energies, Parts
    from polhode.formulation.reading.coordinates import Coordinates
    from polhode.geometry.wrench import Wrench
    from polhode.lowering.compile import Program
    from polhode.system.natural_sizes import NaturalSizes
    from polhode.system.state import State
    from polhode.system.system import System

T = TypeVar("T")


class Terms(NamedTuple):
    """What an equation of motion is made of at (t, q, y).

    mass_matrix  M (k, k)
    bias         b (k,): what is quadratic in velocities
    force        f (k,): of all actions
    rows, right  A (m, k) and g (m,)
    """

    mass_matrix: Any
    bias: Any
    force: Any
    rows: Any
    right: Any


class Core(NamedTuple):
    """The plain functions of a formulation; all take (t, q, y, ..., table).

    start          y (k,) from the system's own speeds z, which stand in its place
    speeds         z from y
    rates          q_dot
    terms          Terms
    accelerations  (y_dot, l): solved by the formulation's own road
    bodies         from y_dot too: d/dt [w; v] of all bodies about their origins, in
                   their own axes (n, 6)
    along          from wrenches W (n, 6) on the bodies, in their own axes: the force
                   (k,) that they are in this formulation
    joint_wrenches from (y_dot, l) too: what each joint of the tree exerts on its second
                   body (n, 6), about its point there, in the axes of its frame M
    arms           of the table: (n, 3) from bodies' origins to the points that y is
                   about, along their axes, if it is not about the origins
    serves         whether y determines the motion well enough to be stepped, if it may
                   cease to
    columns        of a large system, from velocities e too: M e and A e
    """

    start: Callable[..., Any]
    speeds: Callable[..., Any]
    rates: Callable[..., Any]
    terms: Callable[..., Terms]
    accelerations: Callable[..., tuple[Any, Any]]
    bodies: Callable[..., Any]
    along: Callable[..., Any]
    joint_wrenches: Callable[..., Any]
    arms: Callable[..., Any] | None = None
    serves: Callable[..., Any] | None = None
    columns: Callable[..., Any] | None = None


def solved(
    terms: Callable[..., Terms], natural: NaturalSizes
) -> Callable[..., tuple[Any, Any]]:
    """Accelerations and intensities of reactions from the terms, by elimination."""

    def accelerations(t: Scalar, q: Array, y: Array, table: Table) -> tuple[Any, Any]:
        M, b, f, A, g = terms(t, q, y, table)
        return solve_constrained(M, f - b, A, g, natural)

    return accelerations


@final
@dataclass(frozen=True, eq=False, repr=False)
class Equations:  # limit: one noun answers every question about the motion
    """The equations of motion of a system in one classical form.

    Questions are asked at a `State` of the system; answers are NumPy arrays. `table`
    gives parameters other values. `functions` are the plain JAX functions. In a law of
    a controller or an event, where the state is traced, questions are traced along.
    """

    name: str
    system: System
    velocity_names: tuple[str, ...]
    row_names: tuple[str, ...]
    functions: Core
    programs: dict[Any, Any] = field(default_factory=dict, metadata=REMEMBERED)
    knows_contacts: bool = False
    # How many of the last velocities are states of controllers, in a run.
    controller_states: int = 0

    __copy__ = __deepcopy__ = itself

    def __post_init__(self) -> None:
        if self.system.supports and not self.knows_contacts:
            refuse_supports(self.system, f"The form {self.name!r}")

    def accelerations(self, state: State, table: Table = NOMINAL) -> np.ndarray:
        """y_dot (k,): the rates of this formulation's velocities."""
        return self._solution(state, table)[0]

    def multipliers(self, state: State, table: Table = NOMINAL) -> np.ndarray:
        """l (m,): the intensities of the reactions, one a row of the constraints."""
        return self._solution(state, table)[1]

    def mass_matrix(self, state: State, table: Table = NOMINAL) -> np.ndarray:
        """M (k, k)."""
        return self._terms(state, table).mass_matrix

    def bias(self, state: State, table: Table = NOMINAL) -> np.ndarray:
        """b (k,): centrifugal and gyroscopic terms."""
        return self._terms(state, table).bias

    def coriolis(
        self, state: State, choice: Any = "Christoffel", table: Table = NOMINAL
    ) -> Coriolis:
        """C (k, k) with C y = bias, by a named choice; the default is passive.

        "Christoffel", "momentum", "spin", "gyroscopic", "natural", "Lie group" or
        "Lagrange": see `polhode.formulation.questions.coriolis`. By names of bodies,
        each may have its own.
        """
        from polhode.formulation.questions.coriolis import coriolis_of

        return coriolis_of(self, state, choice, table)

    def force(self, state: State, table: Table = NOMINAL) -> np.ndarray:
        """f (k,): all actions, along the velocities."""
        return self._terms(state, table).force

    def rows(
        self, state: State, table: Table = NOMINAL
    ) -> tuple[np.ndarray, np.ndarray]:
        """A (m, k) and g (m,): the constraints on accelerations, A y_dot = g."""
        terms = self._terms(state, table)
        return terms.rows, terms.right

    def velocities(self, state: State, table: Table = NOMINAL) -> np.ndarray:
        """y (k,) in this state."""
        return self.ask("velocities", lambda t, q, y, table: 1.0 * y, state, table)

    def momenta(self, state: State, table: Table = NOMINAL) -> np.ndarray:
        """p (k,) along the velocities: M y, and what is left of them at y = 0."""
        from polhode.formulation.questions.powers import momentum_at_rest

        rest = self.ask("momentum at rest", momentum_at_rest(self), state, table)
        return self.mass_matrix(state, table) @ self.velocities(state, table) + rest

    def body_accelerations(self, state: State, table: Table = NOMINAL) -> np.ndarray:
        """d/dt [w; v] (n, 6) of every body about its origin, in its own axes."""
        return self.ask("bodies", self.body_function, state, table)

    def inverse_dynamics(
        self, state: State, y_dot: Array, table: Table = NOMINAL
    ) -> np.ndarray:
        """What must act (k,), beside the actions, for these rates: M y_dot + b - f."""
        terms = self._terms(state, table)
        rates = y_dot if is_traced(y_dot) else np.asarray(y_dot, float)
        return terms.mass_matrix @ rates + terms.bias - terms.force

    def shares(self, state: State, table: Table = NOMINAL) -> dict[str, np.ndarray]:
        """The part (k,) of the force that each action gives, by its name."""
        from polhode.formulation.shared.shares import share_function

        return self.ask("shares", share_function(self), state, table)

    def kinetic_energy(self, state: State, table: Table = NOMINAL) -> float:
        """T of all bodies, and of rotors along their joints."""
        return number_of(self._energies(state, table).kinetic)

    def potential_energy(self, state: State, table: Table = NOMINAL) -> float:
        """V of all conservative actions."""
        return number_of(self._energies(state, table).potential)

    def hamiltonian(self, state: State, table: Table = NOMINAL) -> float:
        """H = y . dT/dy - T + V: the energy, unless the velocities hide a motion."""
        return number_of(self._energies(state, table).hamiltonian)

    def potential_force(self, state: State, table: Table = NOMINAL) -> np.ndarray:
        """The part (k,) of the force that is in the potential energy."""
        return self._parts(state, table).stored

    def applied_force(self, state: State, table: Table = NOMINAL) -> np.ndarray:
        """The part (k,) of the force that is not in the potential energy."""
        return self._parts(state, table).applied

    def gravity_force(self, state: State, table: Table = NOMINAL) -> np.ndarray:
        """What weight and gravitation give (k,): the gravity torques of an arm."""
        return self._parts(state, table).gravity

    def powers(self, state: State, table: Table = NOMINAL) -> dict[str, float]:
        """The power of each action and of each constraint's reactions, by name."""
        from polhode.formulation.questions.powers import power_function

        found = self.ask("powers", power_function(self), state, table)
        return {name: number_of(value) for name, value in found.items()}

    def jacobian(self, state: State, place: Any, table: Table = NOMINAL) -> np.ndarray:
        """J (6, k): [w; v] of a point, body or frame for each unit velocity.

        Along the world's axes; see `polhode.formulation.shared.jacobians`.
        """
        from polhode.formulation.shared.jacobians import jacobian

        return jacobian(self, state, place, table)

    def operational_inertia(
        self,
        state: State,
        place: Any,
        directions: Any = None,
        table: Table = NOMINAL,
    ) -> np.ndarray:
        """L (d, d): what a push at a place feels along `directions` (d, 6) of [w; v].

        The constraints hold. Without directions, all six along the world's axes.
        """
        from polhode.formulation.shared.jacobians import operational_inertia

        return operational_inertia(self, state, place, directions, table)

    def centroidal_momentum(self, state: State, table: Table = NOMINAL) -> np.ndarray:
        """[L; P] (6,): the system's momentum about its mass centre, world's axes."""
        return self._centroidal(state, table).momentum

    def centroidal_matrix(self, state: State, table: Table = NOMINAL) -> np.ndarray:
        """A (6, k) with [L; P] = A y: see `formulation.questions.centroidal`."""
        refuse_many_bodies(
            self.system,
            "the centroidal momentum matrix",
            "It is written out body by body for each of {} speeds",
            "Ask equations.centroidal_momentum(state), which is A y without A.",
        )
        return self._centroidal(state, table).matrix

    def mass_centre(self, state: State, table: Table = NOMINAL) -> np.ndarray:
        """Where the mass centre of the whole system is (3,)."""
        return self._centroidal(state, table).centre

    def determinacy(self, state: State, table: Table = NOMINAL) -> Determinacy:
        """Which multipliers, and combinations of them, the motion determines."""
        from polhode.formulation.questions.determinacy import determinacy

        return determinacy(self, state, table)

    def reactions(
        self,
        state: State,
        table: Table = NOMINAL,
        *,
        at: Attachment | Mapping[str, Attachment] | None = None,
    ) -> dict[str, Wrench]:
        """What joints and constraints exert on bodies, by name.

        A joint or loop: on its second body about its point there. Another constraint:
        an entry for each body, about its origin. All along the world's axes. `at` is
        another point for all, or by name, on any body or on the world.
        """
        from polhode.formulation.questions.reactions import about, named_reactions

        found = named_reactions(self, state, table)
        return found if at is None else about(found, self.system, state, at, table)

    def read(
        self,
        names: Mapping[str, str] | None = None,
        operations: float = 5_000_000,
        *,
        coordinates: Coordinates | None = None,
    ) -> Any:
        """The equations in symbols, for people: see `polhode.formulation.reading.read`.

        `names` calls coordinates and parameters otherwise: {"hinge": "theta"}. What is
        not in its shortest form after so many `operations` on terms, some ten seconds
        by default, is given as it is, with a warning: the same on every machine.
        `coordinates` are others to read in: `ph.Coordinates`.
        """
        refuse_many_bodies(self.system, f"the reading of {self.name}")
        if self.knows_contacts:
            from polhode.formulation.reading.contact_reading import contact_reading

            return contact_reading(self.system, names=names, operations=operations)
        from polhode.formulation.reading.read import reading_in, reading_of

        if coordinates is not None:
            return reading_in(self, coordinates, names or {}, operations)
        return reading_of(self, names or {}, operations)

    def report(self) -> str:
        """How programs of the system are written: body by body or in loops, and why.

        >>> import polhode as ph
        >>> ph.recursive(ph.models.chain_pendulum(100)).report()
        'recursive of chain of 100 rods: loops over tables of 100 bodies'
        """
        from polhode.system.rolled.size import reason_against

        why, count = reason_against(self.system), len(self.system.bodies)
        how = f"body by body: {why}" if why else f"loops over tables of {count} bodies"
        if not why and self.system.constraints:
            how += f" and {len(self.system.constraints)} constraints"
        return f"{self.name} of {self.system.name}: {how}"

    def body_function(self, t: Scalar, q: Array, y: Array, table: Table) -> Any:
        """The accelerations of all bodies (n, 6), for use inside a trace."""
        y_dot, _ = self.functions.accelerations(t, q, y, table)
        return self.functions.bodies(t, q, y, y_dot, table)

    @property
    def jax(self) -> Core:
        """`functions` as native code inside JAX: for `jit`, `scan`, `vmap` and `grad`.

        Each is compiled when it is first called; see `Program.jax`.

        >>> import jax, numpy as np, polhode as ph
        >>> start = ph.models.start("double_pendulum")
        >>> equations = ph.lagrange(start.system)
        >>> with jax.enable_x64(True):
        ...     y_dot, _ = jax.jit(equations.jax.accelerations)(
        ...         start.t, start.q, start.z, {}
        ...     )
        >>> bool(abs(np.asarray(y_dot) - equations.accelerations(start)).max() < 1e-12)
        True
        """
        from polhode.lowering.native_jax import native

        return self.remembered("jax", lambda: self._functions_as(native))

    @property
    def torch(self) -> Core:
        """`functions` as native code on PyTorch's tensors; see `Program.torch`."""
        from polhode.lowering.native_torch import native

        return self.remembered("torch", lambda: self._functions_as(native))

    def _functions_as(self, native: Callable[[Callable], Callable]) -> Core:
        own = self.functions._asdict()
        return Core(**{word: native(f) for word, f in own.items() if f is not None})

    def program(
        self,
        name: Hashable,
        function: Callable[..., Any],
        examples: Sequence[Any],
        *,
        batched: Sequence[str] | bool = False,
        lanes: int | None = None,
        backend: str = "auto",
    ) -> Program:
        """The function compiled for arguments like the examples, once for each name.

        The name says what the function depends on beside arguments and equations.
        """
        return kept_program(
            self.programs,
            name,
            function,
            examples,
            batched=batched,
            lanes=lanes,
            backend=backend,
        )

    def remembered(self, name: Hashable, make: Callable[[], T]) -> T:
        """What `make` returns, made once for each name and kept."""
        return kept_value(self.programs, name, make)

    def ask(
        self,
        word: Hashable,
        function: Callable[..., Any],
        state: State,
        table: Table,
        backend: str = "auto",
    ) -> Any:
        """function(t, q, y, table) at a state, compiled once for each word.

        Inside a trace, such as that of an event's function, it is traced along.
        """

        def from_speeds(t: Scalar, q: Array, z: Array, table: Table) -> Any:
            return function(t, q, self.functions.start(t, q, z, table), table)

        require_layout(self.system, state)
        # The nominal table is that of nearly every call: it is not looked at, for to
        # ask whether it is a Mapping takes a sixth of a short question's time.
        if table is not NOMINAL and (table or not isinstance(table, Mapping)):
            require_values(self.system, table)
        numbers = (state.t, state.q, state.z)
        is_plain = type(state.q) is type(state.z) is type(state.t) is np.ndarray
        if (table or not is_plain) and is_traced(*numbers, *table.values()):
            return from_speeds(*numbers, dict(table))
        if table or backend != "auto":
            arguments = (*numbers, dict(table))
            program = self.program(word, from_speeds, arguments, backend=backend)
            return program(*arguments)
        call = self.programs.get(("at a state", word))
        if call is None:
            call = RepeatedCall(self.program(word, from_speeds, (*numbers, {})))
            self.programs["at a state", word] = call
        return call(*numbers)

    def _terms(self, state: State, table: Table) -> Terms:
        if self.functions.columns is not None:
            from polhode.formulation.questions.dense_terms import dense_terms

            return dense_terms(self, state, table)
        return self.ask("terms", self.functions.terms, state, table)

    def _energies(self, state: State, table: Table) -> Energies:
        from polhode.formulation.questions.powers import energy_function

        return self.ask("energies", energy_function(self), state, table)

    def _parts(self, state: State, table: Table) -> Parts:
        from polhode.formulation.questions.powers import part_function

        return self.ask("parts", part_function(self), state, table)

    def _centroidal(self, state: State, table: Table) -> Centroidal:
        from polhode.formulation.questions.centroidal import centroidal_function

        return self.ask("centroidal", centroidal_function(self), state, table)

    def _solution(self, state: State, table: Table) -> tuple[np.ndarray, np.ndarray]:
        return self.ask("solution", self.functions.accelerations, state, table)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from polhode.show.notebook import equations_html

        return equations_html(self)

    def __repr__(self) -> str:
        return (
            f"Equations({self.name} of {self.system.name!r}:"
            f" {len(self.velocity_names)} velocities, {len(self.row_names)} rows)"
        )
