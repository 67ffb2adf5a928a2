"""Occurrences inside a compiled loop: rows of numbers, collected until the host looks.

    t, guard, direction, is grazing, is changed, [q z] before, [q z] after, held, record

`held` are the held values after it, where there are modes among them.

A loop makes no attempt unless the buffer has room for all that one may add: a run whose
buffer is full waits for its next chunk, and no bit of it depends on that.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax

# Rows of a buffer in a sweep: each run has one, and all are written at every chunk.
ROWS = 16
# Columns before the states of a row.
T, GUARD, DIRECTION, GRAZING, CHANGED, FACTS = range(6)


class OccurrenceBuffer(NamedTuple):
    """Rows that are filled up to `count`; leading axes are runs, if there are any."""

    count: Any
    rows: Any

    @property
    def width(self) -> int:
        return self.rows.shape[-1]


class Happening(NamedTuple):
    """One occurrence inside a trace: states are columns [q; z]; `held` after it."""

    t: Any
    guard: Any
    direction: Any
    is_grazing: Any
    is_changed: Any
    before: Any
    after: Any
    held: Any


def empty_buffer(
    guards: int, state: int, records: int, rows: int = ROWS
) -> OccurrenceBuffer:
    """A buffer without rows, inside a trace; `state` are numbers of q and z.

    `records` are of a row behind its states: held values and what a change tells.
    What two turns of the loop may add fits in half of it.
    """
    shape = (max(rows, 4 * guards), FACTS + 2 * state + records)
    return OccurrenceBuffer(jnp.zeros((), np.int64), jnp.zeros(shape))


def has_room(buffer: OccurrenceBuffer, guards: int) -> Any:
    """Whether an attempt and the changes after it can add all that they may."""
    return buffer.count + 2 * guards <= buffer.rows.shape[0]


def add_row(
    buffer: OccurrenceBuffer, what: Happening, record: Any = None
) -> OccurrenceBuffer:
    """One more row."""
    facts = [jnp.asarray(part, float).reshape(1) for part in what[:FACTS]]
    states = [what.before, what.after]
    given = [*facts, *states, what.held]
    if record is not None:
        given.append(jnp.asarray(record, float))
    missing = buffer.width - sum(part.shape[0] for part in given)
    row = jnp.concatenate([*given, jnp.zeros(missing)])
    rows = lax.dynamic_update_slice(buffer.rows, row[None], (buffer.count, 0))
    return OccurrenceBuffer(buffer.count + 1, rows)


def rows_in(buffer: OccurrenceBuffer) -> np.ndarray:
    """The rows of one run, on the host."""
    return np.asarray(buffer.rows[: int(buffer.count)])
