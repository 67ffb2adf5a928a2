"""The assembled model: bodies, joints, actions, constraints, supports; frozen.

Functions of a system are array kernels, NumPy outside a trace and JAX inside one. n is
the number of bodies, nq of coordinates, nz of speeds, m of rows of constraints. `table`
maps names of parameters to values; names it leaves out keep the system's own.

    rates(t, q, z, table) -> q_dot (nq,)
    poses(t, q, table) -> Poses                 seen from the world, in `bodies` order
    twists(t, q, z, table) -> Twists            about bodies' origins, the world's axes
    body_twists(t, q, z, table) -> (n, 6)       [w; v of the origin], bodies' own axes
    jacobians(t, q, table) -> (n, 6, nz)        body_twists = J z
    inertias(table) -> (n, 6, 6)                about bodies' origins, own axes
    rotor_inertias(table) -> (nz,)              of motors, on the mass matrix's diagonal
    mass_matrix(t, q, table) -> (nz, nz)        T = z M z / 2
    kinetic_energy(t, q, z, table), potential_energy(t, q, table) -> scalars
    wrenches(t, q, z, table) -> {action name: Wrenches}   n rows, the world's axes
    applied(t, q, z, table) -> (n, 6)           all actions, [torque; force], own axes
    unstored(t, q, z, table) -> (n, 6)          those that are not in the potential
    constraint_rows(t, q, z, table) -> A (m, nz), gamma (m,)    A z_dot = gamma
    normalised(q) -> q;  local(q, delta (nz,)) -> q;  speeds_from(t, q, q_dot) -> z
    neutral() -> q (nq,)

The functions are in `kinematics`, `mass`, `loads` and `rows`, the walk in `tree`.

A motion prescribed in time keeps its coordinates: `PrescribedMotion` of a joint is a
constraint whose reaction is the driver's, so its power can be asked like any other's.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, final

import numpy as np

from polhode.actions.contact.carried_friction import REAL
from polhode.actions.motion_arrays import Poses, Twists, Wrenches
from polhode.arrays import Array, Scalar
from polhode.constraints.constraint import Constraint
from polhode.errors import ModelError
from polhode.geometry.frame import Frame
from polhode.joints.joint import Joint
from polhode.lowering.kept import kept_program, kept_value
from polhode.matter.parameter import NOMINAL, Table, number
from polhode.supports.any_support import AnySupport
from polhode.system import changes, check, gather, kinematics, loads, mass, rows
from polhode.system.assemble import assembly_of
from polhode.system.members import list_members, require_name, suggestion, tree_of
from polhode.system.state import State, named_once, require_names, state_of
from polhode.system.tree import Edge, Member, Tree

if TYPE_CHECKING:
    from polhode.lowering.compile import Program

T = TypeVar("T")


class Given(NamedTuple):
    """What the user gave, from which a changed system is built again."""

    members: tuple[Any, ...]
    actions: tuple[Any, ...]
    constraints: tuple[Constraint, ...]
    supports: tuple[AnySupport, ...] = ()


@final
@dataclass(frozen=True, eq=False, repr=False)
class System:  # limit: its functions are the contract with all formulations
    """Bodies, the joints between them, what acts, what constrains, what supports.

    Members are joints, bodies and particles. A body that no joint connects to the world
    moves freely; a joint that closes a loop becomes a constraint, and so does a joint
    given among the constraints. `Weight` acts on all. Supports may open, slip, stick
    and strike: `ph.simulate` finds when.

    >>> import polhode as ph
    >>> rod = ph.Body("rod", ph.solids.rod(mass=1.2, length=0.8))
    >>> hinge = ph.Revolute("hinge", ph.World().origin, rod.point(0, 0, 0.4), axis=ph.Y)
    >>> System([hinge], actions=[ph.Weight(9.81)], name="pendulum")
    System('pendulum': 1 body, 1 joint, 1 degree of freedom)
    """

    members: Sequence[Any]
    actions: Sequence[Any] = ()
    constraints: Sequence[Any] = ()
    supports: Sequence[Any] = ()
    _: KW_ONLY
    name: str = "system"
    values: Table = field(default_factory=dict)
    given: Given = field(init=False)
    tree: Tree = field(init=False)
    compiled: dict[Any, Any] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        put = object.__setattr__
        require_name(self.name)
        members, actions, wanted, supports = (
            list_members(word, getattr(self, word))
            for word in ("members", "actions", "constraints", "supports")
        )
        constraints = gather.as_constraints(wanted)
        constraints, supports = gather.supports_apart(constraints, supports)
        gather.require_kinds(actions, constraints, supports)
        given = Given(members, actions, constraints, supports)
        put(self, "given", given)
        put(self, "values", MappingProxyType(dict(self.values)))
        put(self, "supports", supports)
        used = gather.frames_used(given.actions, (*constraints, *supports))
        put(self, "tree", tree_of(given.members, used))
        put(self, "constraints", gather.constraints(self.tree, given.constraints))
        put(self, "actions", gather.actions(self.tree, given.actions))
        gather.require_members(self)
        gather.require_supports(self)
        check.require_sound(self)

    # ------------------------------------------------------------- structure

    @property
    def bodies(self) -> tuple[Member, ...]:
        """Bodies and particles, each after the one that carries it."""
        return self.tree.bodies

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The joints of the tree; joints[i] carries bodies[i]."""
        return tuple(edge.joint for edge in self.tree.edges)

    @property
    def coordinates(self) -> int:
        """How many numbers q say where everything is."""
        return self.tree.coordinates

    @property
    def speeds(self) -> int:
        """How many numbers z say how everything moves."""
        return self.tree.speeds

    @cached_property
    def coordinate_names(self) -> tuple[str, ...]:
        """What each entry of q is called."""
        return tuple(n for joint in self.joints for n in joint.coordinate_names)

    @cached_property
    def speed_names(self) -> tuple[str, ...]:
        """What each entry of z is called."""
        return tuple(n for joint in self.joints for n in joint.speed_names)

    @property
    def row_names(self) -> tuple[str, ...]:
        """What each row of the constraints is called."""
        return rows.names(self)

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """The flat table of everything that has a name and a value."""
        return gather.parameters(self)

    @cached_property
    def without_supports(self) -> System:
        """The same bodies, joints, actions and constraints; nothing opens or strikes.

        Forms of the equations of motion, and what is asked of them, are of this one.
        """
        if not self.supports:
            return self
        given = self.given._replace(supports=())
        return System(*given, name=self.name, values=self._values_of(given))

    def table(self, table: Table = NOMINAL) -> Table:
        """The values for which nouns are evaluated: the system's, then the caller's."""
        return {**self.values, **table} if self.values else table

    def edge(self, joint: str) -> Edge:
        """Where a joint is in the tree, by its name: its slices of q and z."""
        if joint not in self.edges_by_name:
            raise gather.no_edge(self, joint)
        return self.edges_by_name[joint]

    def places_of(self, frames: Sequence[Frame]) -> tuple[int, ...]:
        """The numbers of the bodies that have these frames; the world's is -1."""
        return tuple(self._places[frame] for frame in frames)

    # ------------------------------------------------------------- functions

    def rates(self, t: Scalar, q: Array, z: Array, table: Table = NOMINAL) -> Any:
        """q_dot (nq,)."""
        return kinematics.rates(self, t, q, z, table)

    def poses(self, t: Scalar, q: Array, table: Table = NOMINAL) -> Poses:
        """Where all bodies are, seen from the world."""
        return kinematics.poses(self, t, q, table)

    def twists(self, t: Scalar, q: Array, z: Array, table: Table = NOMINAL) -> Twists:
        """How all bodies move, about their origins along the world's axes."""
        return kinematics.twists(self, t, q, z, table)

    def body_twists(self, t: Scalar, q: Array, z: Array, table: Table = NOMINAL) -> Any:
        """How all bodies move (n, 6), in their own axes."""
        return kinematics.body_twists(self, t, q, z, table)

    def jacobians(self, t: Scalar, q: Array, table: Table = NOMINAL) -> Any:
        """J (n, 6, nz) with body_twists = J z."""
        return kinematics.jacobians(self, t, q, table)

    def inertias(self, table: Table = NOMINAL) -> Any:
        """The spatial inertias (n, 6, 6) of all bodies in their own axes."""
        return mass.inertias(self, table)

    def rotor_inertias(self, table: Table = NOMINAL) -> Any:
        """What rotors of motors add on the diagonal of the mass matrix (nz,)."""
        return mass.rotor_inertias(self, table)

    def mass_matrix(self, t: Scalar, q: Array, table: Table = NOMINAL) -> Any:
        """M (nz, nz) with T = z M z / 2."""
        return mass.mass_matrix(self, t, q, table)

    def kinetic_energy(
        self, t: Scalar, q: Array, z: Array, table: Table = NOMINAL
    ) -> Any:
        """T of all bodies, and of rotors relative to their joints."""
        return mass.kinetic_energy(self, t, q, z, table)

    def potential_energy(self, t: Scalar, q: Array, table: Table = NOMINAL) -> Any:
        """V of all conservative actions."""
        return loads.potential_energy(self, t, q, table)

    def wrenches(
        self, t: Scalar, q: Array, z: Array, table: Table = NOMINAL
    ) -> dict[str, Wrenches]:
        """By action: what acts on all bodies, along the world's axes."""
        return loads.wrenches(self, t, q, z, table)

    def applied(self, t: Scalar, q: Array, z: Array, table: Table = NOMINAL) -> Any:
        """What acts on all bodies (n, 6), in their own axes."""
        return loads.applied(self, t, q, z, table)

    def nonconservative_wrenches(
        self, t: Scalar, q: Array, z: Array, table: Table = NOMINAL
    ) -> Any:
        """The part of `applied` that is not in the potential energy."""
        return loads.nonconservative_wrenches(self, t, q, z, table)

    def loaded(self, t: Scalar, q: Array, z: Array, table: Table = NOMINAL) -> Table:
        """The table, with the pushes that real joints and constraints carry."""
        if not self.reads_reactions:
            return table
        from polhode.formulation.questions.real_reactions import with_pushes

        return with_pushes(self, t, q, z, table)

    def constraint_rows(
        self, t: Scalar, q: Array, z: Array, table: Table = NOMINAL
    ) -> tuple[Any, Any]:
        """A (m, nz) and gamma (m,) with A z_dot = gamma."""
        return rows.constraint_rows(self, t, q, z, table)

    def neutral(self) -> np.ndarray:
        """Every joint at its neutral coordinates (nq,)."""
        return kinematics.neutral(self)

    def normalised(self, q: Array) -> Any:
        """The same places, quaternions of length one."""
        return kinematics.normalised(self, q)

    def local(self, q: Array, delta: Array) -> Any:
        """The coordinates moved by delta (nz,), along the motions of the joints."""
        return kinematics.local(self, q, delta)

    def speeds_from(self, t: Scalar, q: Array, q_dot: Array) -> Any:
        """The speeds (nz,) that give the coordinates these rates."""
        return kinematics.speeds_from(self, q, q_dot)

    # ------------------------------------------------------- states, changes

    def state(
        self,
        coordinates: Mapping[str, Any] | None = None,
        *,
        speeds: Mapping[str, Any] | None = None,
        t: float = 0.0,
        **by_name: Any,
    ) -> State:
        """A state by names of joints; what is not named is neutral, or at rest.

        `pendulum.state(hinge=2.0, speeds={"hinge": 0.5})`. Names that are no words of
        Python go into the mapping. It must keep the constraints: `ph.assemble` finds
        one that does.
        """
        require_names(self, coordinates, speeds)
        named = named_once(coordinates, by_name)
        return check.require_consistent(state_of(self, named, speeds or {}, t))

    def rest(self) -> State:
        """Neutral coordinates, or the nearest that keep the constraints; no speeds."""
        q = check.rest_coordinates(self)
        return self.consistent(State(self, 0.0, q, np.zeros(self.speeds)))

    def consistent(self, state: State) -> State:
        """The nearest state, joint by joint, that keeps all constraints."""
        return assembly_of(state).state

    def program(
        self,
        name: Hashable,
        function: Callable[..., Any],
        examples: Sequence[Any],
        *,
        batched: Sequence[str] | bool = False,
    ) -> Program:
        """The function compiled for arguments like the examples, once for each name.

        The name says what the function depends on beside arguments and system.
        """
        return kept_program(self.compiled, name, function, examples, batched=batched)

    def remembered(self, name: Hashable, make: Callable[[], T]) -> T:
        """What `make` returns, made once for each name and kept."""
        return kept_value(self.compiled, name, make)

    def require_parameters(self, names: Iterable[str], others: Any = ()) -> None:
        """Refuse names that are neither parameters nor among some others."""
        for name in names:
            if name not in self.parameters and name not in others:
                kind = "parameter or input" if others else "parameter"
                raise ModelError(
                    f"{self.name!r} has no {kind} {name!r}.",
                    "A value without a name in the model would change nothing.",
                    suggestion(str(name), [*self.parameters, *others]),
                )

    def with_(self, parameters: Mapping[str, Any]) -> System:
        """The same system with other values of some parameters."""
        self.require_parameters(parameters)
        checked = {n: number(v, f"parameter {n!r}") for n, v in parameters.items()}
        values = {**self.values, **checked}
        return System(*self.given, name=self.name, values=values)

    def __getitem__(self, name: str) -> Any:
        """A body, joint, action, constraint or support by its name."""
        return changes.part_of(self, name)

    def __contains__(self, name: Any) -> bool:
        return isinstance(name, str) and name in changes.parts_of(self)

    def __iter__(self) -> Any:
        raise ModelError(
            f"{self.name!r} is no list.",
            "It has bodies, joints, actions, constraints and supports.",
            "Go through system.bodies, system.joints or another of these.",
        )

    def plus(
        self,
        *members: Any,
        joints: Sequence[Any] = (),
        actions: Sequence[Any] = (),
        constraints: Sequence[Any] = (),
        supports: Sequence[Any] = (),
        name: str = "",
    ) -> System:
        """The same system with more: joints and bodies, actions, constraints, supports.

        `arm.plus(actions=[ph.Motor(arm["elbow"], 2.0)])`
        """
        own, given = self.given, (actions, constraints, supports)
        words = ("actions", "constraints", "supports")
        more = [list_members(w, each) for w, each in zip(words, given, strict=True)]
        parts = [(*a, *b) for a, b in zip(own[1:], more, strict=True)]
        both = (*own.members, *members, *list_members("joints", joints))
        return System(both, *parts, name=name or self.name, values=self.values)

    def without(self, *names: str) -> System:
        """The same system without some parts, by name.

        With a body goes what it carries, and all that acts on what has gone. With a
        joint go laws along it; the body that it carried moves freely.
        """
        given = changes.given_without(self, names)
        return System(*given, name=self.name, values=self._values_of(given))

    def _values_of(self, given: Given) -> dict[str, Any]:
        """The values of those parameters that these parts still have."""
        alone = System(*given, name=self.name)
        return {n: v for n, v in self.values.items() if n in alone.parameters}

    @cached_property
    def reads_reactions(self) -> bool:
        """Whether friction reads what joints or constraints carry."""
        return any(isinstance(action, REAL) for action in self.actions)

    @cached_property
    def edges_by_name(self) -> dict[str, Edge]:
        """The joints of the tree by their names."""
        return {edge.joint.name: edge for edge in self.tree.edges}

    @cached_property
    def _places(self) -> dict[Frame, int]:
        places = {body.frame: k for k, body in enumerate(self.bodies)}
        return {**places, self.tree.world.frame: -1}

    def __copy__(self) -> System:
        """Itself: it is frozen."""
        return self

    def __deepcopy__(self, memo: Any) -> System:
        """Itself: it is frozen, and its states and joints know it as it is."""
        return self

    def __reduce__(self) -> Any:
        raise ModelError(
            f"{self.name!r} cannot be pickled.",
            "Pickles run code when they are read, and laws of Python do not fit in.",
            "ph.save_model keeps a model as text, motion.save a motion.",
        )

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from polhode.show.notebook import system_html

        return system_html(self)

    def __repr__(self) -> str:
        return check.describe(self)
