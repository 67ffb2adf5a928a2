"""The result of a sweep from what its batch loop leaves: states, ledger, events."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from polhode.arrays import Array, Scalar
from polhode.integrate.audit.rates import audit_function
from polhode.integrate.field.vector_field import settled
from polhode.integrate.host.batch_loop import BatchResult, Given, loose_actions
from polhode.integrate.results.sweep_events import SweepEvents, events_of
from polhode.integrate.results.sweep_result import Sweep, SweepLedger
from polhode.lowering.compile import compile
from polhode.matter.parameter import Table


def part_of(given: Given, result: BatchResult, table: Any, until: float) -> Sweep:
    """The runs of a result as a sweep: on their manifolds, in the system's speeds."""
    equations = given.equations
    n = equations.system.coordinates
    x, z = _settled(given, result, table)
    end = result.final_state
    counts = (end.accepted, end.rejected, end.stiff, end.tried)
    return Sweep(
        equations.system,
        until,
        result.t,
        x[..., :n],
        z,
        result.status,
        *counts,
        table,
        _ledger(given, result, table) if given.audited else None,
        *_events_and_reasons(given, result),
        given.drive,
    )


def _events_and_reasons(
    given: Given, result: BatchResult
) -> tuple[SweepEvents | None, dict]:
    """The events of a result, and what was told of runs that they ended."""
    if given.context is None or result.tracker is None:
        return None, dict(result.told)
    names = tuple(event.name for event in given.context.events)
    width = given.drive.width if given.context.limits is not None else None
    found = events_of(given.equations.system, names, result.tracker.met, width)
    return found, {**result.tracker.told, **result.told}


def _settled(
    given: Given, result: BatchResult, table: Table
) -> tuple[np.ndarray, np.ndarray]:
    """States between steps put back on their manifold, and the system's speeds."""
    equations, system = given.equations, given.equations.system
    n, core, x = system.coordinates, equations.functions, result.x
    between = given.sampled
    bound = equations.row_names or system.coordinates != system.speeds
    if core.start is core.speeds and not (bound and between):
        return x, x[..., n:]  # on the device, too

    def own(t: Scalar, x: Array, table: Table) -> tuple[Any, Any]:
        there = settled(equations, t, x, table) if bound else x
        return there, core.speeds(t, there[:n], there[n:], table)

    flat = _flat(result, table)
    there, z = _at_rows(given, "settled for a sweep", own, flat)
    # The ends of runs are steps, and settled already.
    there = there.reshape(x.shape) if between else x
    return there, z.reshape(*x.shape[:2], -1)


def _ledger(given: Given, result: BatchResult, table: Table) -> SweepLedger:
    audit = audit_function(given.equations, given.drive)

    def own(t: Scalar, x: Array, table: Table) -> Any:
        return audit(t, x, np.zeros(given.drive.width), table)

    ends = result.final_state
    runs = len(ends.t)
    times = np.stack([result.start, ends.t], axis=1)
    states = np.stack([result.first, ends.x], axis=1)
    both = result._replace(t=times, x=states)
    found = _at_rows(given, "audited for a sweep", own, _flat(both, table))
    work = dict(zip(loose_actions(given.equations), ends.work.T, strict=True))
    work |= _jumps(given, result, table, own)
    pair = (runs, 2)
    return SweepLedger(
        found.kinetic.reshape(pair),
        found.potential.reshape(pair),
        work,
        found.momentum.reshape(*pair, 3),
        found.angular_momentum.reshape(*pair, 3),
    )


def _jumps(given: Given, result: BatchResult, table: Table, audit: Any) -> dict:
    """What resets of events, and switches of contacts, have given to each run, J."""
    if given.context is None or result.tracker is None:
        return {}
    found, _ = _events_and_reasons(given, result)
    assert found is not None
    n, core = given.equations.system.coordinates, given.equations.functions

    def energy(t: Any, state: Any, table: Table) -> Any:
        y = core.start(t, state[:n], state[n:], table)
        own = audit(t, jnp.concatenate([state[:n], y]), table)
        return own.kinetic + own.potential

    own = {name: values[found.run] for name, values in table.items()}
    each = np.zeros(len(found))
    if len(found):
        rows = [(found.t, states, own) for states in (found.after, found.before)]
        after, before = (_at_rows(given, "energy at events", energy, r) for r in rows)
        each = after - before
    switches = found.number == len(found.names)
    # A run with contacts begins after what they do at its very start.
    each[switches & (found.t == result.start[found.run])] = 0.0
    work = {}
    if any(event.reset is not None for event in given.context.events):
        work["events"] = _summed(found.run[~switches], each[~switches], result)
    if given.context.limits is not None:
        work["impacts"] = _summed(found.run[switches], each[switches], result)
    return work


def _summed(runs: np.ndarray, each: np.ndarray, result: BatchResult) -> np.ndarray:
    """Work of single instants as that of runs."""
    total = np.zeros(len(result.start))
    np.add.at(total, runs, each)
    return total


def _flat(result: BatchResult, table: Table) -> tuple[np.ndarray, np.ndarray, Any]:
    """All rows of all runs one after the other, each with its run's parameters."""
    count = result.t.shape[1]
    own = {name: np.repeat(values, count) for name, values in table.items()}
    return result.t.reshape(-1), result.x.reshape(-1, result.x.shape[2]), own


def _at_rows(given: Given, word: str, function: Any, rows: tuple[Any, ...]) -> Any:
    """A function of the state at rows, compiled once for each word."""
    programs, (t, x, table) = given.equations.programs, rows
    backend = "auto" if isinstance(x, np.ndarray) or not given.on_device else "cuda"
    key = (word, tuple(sorted(table)), given.drive.key, backend)
    if key not in programs:
        example = (0.0, np.zeros(x.shape[1]), dict.fromkeys(table, 1.0))
        programs[key] = compile(function, *example, batched=True, backend=backend)
    return programs[key](t, x, table)
