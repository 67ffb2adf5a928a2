"""Like constraints asked on the host, all of a kind at once, by native code.

Checks of a large system ask its rows at dozens of places. What one constraint says
there is the same function as inside programs, with exact slopes; those of a kind are a
batch of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from polhode.actions.motion_arrays import Poses
from polhode.arrays import Scalar
from polhode.constraints.constraint import Moving, Placed
from polhode.lowering.kept import kept_program
from polhode.matter.parameter import Table
from polhode.system.rolled.rows import (
    Local,
    RowGroup,
    place,
    rows_of,
    slope,
    slopes_of,
    speed,
)

if TYPE_CHECKING:
    from polhode.system.system import System

# Like constraints from which on a program of them is worth its making.
MANY = 8


class LikeRow(NamedTuple):
    """One constraint: g (rows,), dg/dt (rows,), and slopes of dg/dt.

    bodies  (b, rows, 6)  by twists of its bodies about their origins, world's axes
    joints  (rows, k) each, by speeds of its joints
    """

    values: np.ndarray
    rate: np.ndarray
    bodies: np.ndarray
    joints: list[np.ndarray]


def like_rows(
    system: System, t: float, q: np.ndarray, poses: Poses, table: Table
) -> dict[str, LikeRow]:
    """By name what constraints of position say, where there are many like them.

    It is for systems that are rolled. `poses` ends with the world's.
    """
    found: dict[str, LikeRow] = {}
    for like in _large_groups(system, table):
        joints = like.group.template.joints
        starts = like.joints[:, :, 0]
        pieces = tuple(
            q[starts[:, k, None] + np.arange(joint.coordinates)]
            for k, joint in enumerate(joints)
        )
        placed = Placed(
            poses.rotations[like.bodies], poses.origins[like.bodies], pieces
        )
        made = _answer(system, like, placed, t, table)
        for name, *row in zip(like.group.names, *made, strict=True):
            found[name] = _row(like, *row)
    return found


def _large_groups(system: System, table: Table) -> list[RowGroup]:
    """Groups of many, for the values of the parameters that were asked last."""
    values = {name: np.asarray(value).tobytes() for name, value in table.items()}
    known, found = system.compiled.get("like rows", (None, []))
    if known != values:
        chosen = [c for c in system.constraints if c.is_holonomic]
        every = rows_of(system, table, chosen).groups
        found = [like for like in every if len(like.rows) >= MANY]
        system.compiled["like rows"] = values, found
    return found


def _answer(
    system: System, like: RowGroup, placed: Placed, t: float, table: Table
) -> Any:
    """g, dg/dt at rest and G of each of a group, by a program of one."""
    group, values = like.group, dict(table)

    def answer(numbers: Any, placed: Placed, t: Scalar, table: Table) -> Any:
        constraint = group.one(numbers)
        still = tuple(jnp.zeros(joint.speeds) for joint in constraint.joints)
        none = jnp.zeros((len(constraint.bodies), 3))
        rest = Moving(none, none, still)
        local = Local(placed, rest, rest, t)
        return tuple(ask(constraint, local, table) for ask in (place, speed, slope))

    many, time = (group.columns, placed), np.array(t)
    program = kept_program(
        system.compiled,
        ("like rows", group.names[0]),
        answer,
        (*(jax.tree.map(lambda part: part[0], each) for each in many), time, values),
        # Where nothing differs there are no numbers to be batched.
        batched=("numbers", "placed") if group.columns else ("placed",),
        lanes=1,
    )
    return program(*many, time, values)


def _row(
    like: RowGroup, values: np.ndarray, rate: np.ndarray, slopes: np.ndarray
) -> LikeRow:
    constraint, height = like.group.template, like.height
    count = len(constraint.bodies)
    assert len(slopes) == slopes_of(constraint)
    bodies, rest = slopes[: 6 * count * height], slopes[6 * count * height :]
    ends = np.cumsum([height * joint.speeds for joint in constraint.joints])[:-1]
    joints = [part.reshape(-1, height).T for part in np.split(rest, ends)]
    own = joints if constraint.joints else []
    return LikeRow(values, rate, bodies.reshape(count, height, 6), own)
