"""The equations of motion of a large system with constraints, solved in loops.

The same equations and the same steps as `equations_of_motion.solve_ordered`: rows are
weighed into the mass matrix, and a few proximal iterations keep those that repeat each
other. Numbers of K lie in one list, those of A in another; tables say where.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.arrays import Array, scanned
from polhode.formulation.solve.equations_of_motion import FURTHER, VANISHING
from polhode.formulation.solve.fronts import factored, product, solved
from polhode.formulation.solve.row_tables import Blocks, RowTables
from polhode.geometry.vector import cross
from polhode.system.natural_sizes import NaturalSizes
from polhode.system.rolled.walk import entered, own

ROUNDING = 4 * np.finfo(float).eps
# By how much rows yield: a hundredth of what those of small systems do. Rows that do
# not repeat each other then miss rounding after two iterations, not three; of
# those that do, intensities that move nothing are known to seven digits.
RELATIVE = 1e-9


# Unknowns of a list that are gone through at once: lists end with room for the last.
ABREAST = 8


def whole_rows(count: int) -> int:
    """How many rows of `ABREAST` numbers it takes."""
    return -(-count // ABREAST)


class Composite(NamedTuple):
    """What the joints of a tree feel: S and F (n, k, 6), origins (n + 1, 3), rotors."""

    S: Any
    F: Any
    origins: Any
    rotors: Any


class Elimination(NamedTuple):
    """K as it is without -e, K factored, A, and the weight of rows in M."""

    tables: RowTables
    natural: NaturalSizes
    whole: Any
    numbers: Any
    A: Any
    weight: Any


def row_entries(tables: RowTables, composite: Composite, slopes: Array) -> Any:
    """The list of A, from the list of G of all constraints."""
    A = jnp.zeros(tables.entries)
    for pairs in tables.rows:
        height, width = pairs.height, pairs.width

        def step(
            A: Array, row: Any, height: int = height, width: int = width
        ) -> tuple[Any, None]:
            slope, body, joint, start = row
            G = own(slopes, slope, 6 * height).reshape(height, 6)
            arm = composite.origins[body] - composite.origins[joint]
            S = composite.S[joint]
            entries = [
                _along(S[c], G[r], arm) for c in range(width) for r in range(height)
            ]
            before = own(A, start, height * width)
            return entered(A, before + jnp.stack(entries), start), None

        A, _ = scanned(step, A, (pairs.slopes, pairs.body, pairs.joint, pairs.starts))
    for read in tables.joints:
        size = read.size

        def take(A: Array, row: Any, size: int = size) -> tuple[Any, None]:
            slope, start = row
            added = own(A, start, size) + own(slopes, slope, size)
            return entered(A, added, start), None

        A, _ = scanned(take, A, (read.slopes, read.starts))
    return A


def _along(S: Array, W: Array, arm: Array) -> Any:
    """The power of a wrench about a point at `arm`, for a unit speed along S."""
    return jnp.sum(S[:3] * (W[:3] + cross(arm, W[3:]))) + jnp.sum(S[3:] * W[3:])


def eliminated(
    tables: RowTables, composite: Composite, A: Array, natural: NaturalSizes
) -> Elimination:
    """K of a mass matrix and rows A, factored."""
    numbers, mass = _mass_entries(tables, composite, natural)
    m = len(tables.row_slots)
    feels = _total(tables, natural, A, None) / m
    # What rows weigh changes no answer, and what is factored is only solved with: the
    # derivative of `solution` needs `whole` alone.
    mass, weight = lax.stop_gradient((mass, mass / (feels + VANISHING)))
    whole = _with_rows(tables, natural, numbers, A, weight)
    numbers, still = lax.stop_gradient((whole, A))
    yields = _total(tables, natural, still, numbers) / m
    yielding = RELATIVE * yields + VANISHING / mass

    def soften(numbers: jnp.ndarray, row: Any) -> tuple[Any, None]:
        place, square = row
        return numbers.at[place].set(-yielding * square), None

    squares = np.asarray(natural.rows) ** 2
    numbers, _ = scanned(soften, numbers, (tables.row_diagonals, squares))
    numbers = factored(tables.fronts, numbers)
    return Elimination(tables, natural, whole, numbers, A, weight)


def _mass_entries(
    tables: RowTables, composite: Composite, natural: NaturalSizes
) -> tuple[Any, Any]:
    """The list with the entries of M, and the mean of its diagonal at natural sizes."""
    numbers, mass = jnp.zeros(tables.fronts.numbers), jnp.zeros(())
    count = len(tables.speed_slots)
    along = np.asarray(natural.speeds) ** 2 / count
    for pairs in tables.own:
        width = pairs.places.shape[1]

        def step(
            state: tuple[Any, Any], row: Any, width: int = width
        ) -> tuple[tuple[Any, Any], None]:
            (numbers, mass), (joint, places, rotors, sizes) = state, row
            S, F = composite.S[joint], composite.F[joint]
            for a in range(width):
                for b in range(a + 1):
                    entry = jnp.sum(S[a] * F[b])
                    if a == b:
                        entry = entry + rotors[a]
                        mass = mass + entry * sizes[a]
                    numbers = numbers.at[places[a, b]].set(entry)
            return (numbers, mass), None

        own_speeds = pairs.speeds[:, None] + np.arange(width)
        rows = (
            pairs.joint,
            pairs.places,
            composite.rotors[own_speeds],
            along[own_speeds],
        )
        (numbers, mass), _ = scanned(step, (numbers, mass), rows)
    for couples in tables.mass:
        high, wide = couples.places.shape[1:]

        def pair(
            numbers: jnp.ndarray, row: Any, high: int = high, wide: int = wide
        ) -> tuple[Any, None]:
            carrier, carried, places = row
            arm = composite.origins[carried] - composite.origins[carrier]
            S, F = composite.S[carrier], composite.F[carried]
            for b in range(wide):
                for a in range(high):
                    entry = _along(S[a], F[b], arm)
                    numbers = numbers.at[places[a, b]].set(entry)
            return numbers, None

        numbers, _ = scanned(pair, numbers, tuple(couples))
    return numbers, mass


def _total(
    tables: RowTables, natural: NaturalSizes, A: Array, numbers: Array | None
) -> Any:
    """The sum over all entries of A^2 by natural sizes: of rows, and of speeds or M.

    Without `numbers` speeds are measured by their own sizes, else by 1 / M_jj.
    """
    total, sizes = jnp.zeros(()), 1.0 / np.asarray(natural.rows) ** 2
    for blocks in tables.blocks:
        s, r = blocks.speeds.shape[1], blocks.rows.shape[1]
        along = np.asarray(natural.speeds)[blocks.speeds] ** 2

        def step(
            total: jnp.ndarray, row: Any, s: int = s, r: int = r
        ) -> tuple[Any, None]:
            start, by_speed, by_row, diagonal = row
            entries = own(A, start, s * r).reshape(s, r)
            if numbers is not None:
                by_speed = 1.0 / _at(numbers, diagonal)
            squares = entries * entries * by_row
            return total + jnp.sum(jnp.sum(squares, axis=1) * by_speed), None

        rows = blocks.starts, along, sizes[blocks.rows], blocks.diagonal
        total, _ = scanned(step, total, rows)
    return total


def _at(values: Any, places: Array) -> Any:
    return values.at[places].get(mode="promise_in_bounds")


def _with_rows(
    tables: RowTables,
    natural: NaturalSizes,
    numbers: Array,
    A: Array,
    weight: Array,
) -> Any:
    """The list with A^T w A added, and A entered."""
    sizes = 1.0 / np.asarray(natural.rows) ** 2
    for blocks in tables.blocks:
        s, r = blocks.speeds.shape[1], blocks.rows.shape[1]

        def step(
            numbers: jnp.ndarray, row: Any, s: int = s, r: int = r
        ) -> tuple[Any, None]:
            i, j = np.triu_indices(s)
            start, by_row, places, squares = row
            flat = own(A, start, s * r)
            entries = flat.reshape(s, r)
            heavy = entries * (weight * by_row)
            products = jnp.sum(heavy[i] * entries[j], axis=1)
            numbers = numbers.at[squares].add(products, mode="promise_in_bounds")
            return numbers.at[places].set(flat, mode="promise_in_bounds"), None

        rows = blocks.starts, sizes[blocks.rows], blocks.places, blocks.squares
        numbers, _ = scanned(step, numbers, rows)
    return numbers


def solution(
    held: Elimination,
    force: Array | None,
    right: Array,
    further: tuple[float, ...] = FURTHER,
    enough: float = ROUNDING,
) -> tuple[Any, Any]:
    """a (nz,) and the intensities l (m,); force (at least nz,), or None for none.

    `further` is how often each iteration after the first is taken. None follows where
    rows miss less than `enough` of their terms: rows that repeat each other never do
    unless they agree, and go through all. Iterations that end by themselves cannot be
    gone through backwards: the derivative is that of the linear equations they solve,
    K x' = b' - K' x.
    """
    tables, fronts = held.tables, held.tables.fronts
    x = jnp.zeros(whole_rows(len(fronts.slots)) * ABREAST)
    if force is not None:

        def driven(x: jnp.ndarray, row: Any) -> tuple[Any, None]:
            number, slot = row
            return x.at[slot].set(force[number]), None

        numbers = np.arange(len(tables.speed_slots))
        x, _ = scanned(driven, x, (numbers, tables.speed_slots))
    for blocks in tables.blocks:
        x = _weighed(held, blocks, x, right)
    answer = lax.custom_linear_solve(
        lambda x: product(fronts, held.whole, x),
        x,
        lambda _, b: _iterated(held, b, further, enough),
        symmetric=True,
    )

    def taken(_: None, slot: Array) -> tuple[None, Any]:
        return None, answer[slot]

    a = scanned(taken, None, tables.speed_slots)[1]
    l = scanned(taken, None, tables.row_slots)[1]
    return a, -l


def _iterated(
    held: Elimination, right: Array, further: tuple[float, ...], enough: float
) -> Any:
    """The answer by slots to right sides by slots, by proximal iterations."""
    tables, fronts = held.tables, held.tables.fronts
    n, times = len(right), np.array([1.0, *further])

    def turn(now: Iterate) -> Iterate:
        x = solved(fronts, held.numbers, now.x)
        often = jnp.asarray(times)[now.count]

        def add(state: tuple[Any, Any], start: Array) -> tuple[tuple[Any, Any], None]:
            x, answer = state
            more = own(answer, start, ABREAST) + often * own(x, start, ABREAST)
            x = entered(x, jnp.zeros(ABREAST), start)
            return (x, entered(answer, more, start)), None

        x, answer = scanned(add, (x, now.answer), np.arange(0, n, ABREAST))[0]
        missed = Missed(x, jnp.zeros(()), jnp.zeros(()))
        for blocks in tables.blocks:
            missed = _row_residual(held, blocks, missed, answer, right)
        goes_on = missed.gap > enough * missed.terms
        return Iterate(missed.x, answer, now.count + 1, goes_on)

    def goes_on(now: Iterate) -> Any:
        return (now.count < 1) | ((now.count < len(times)) & now.goes_on)

    first = Iterate(right, jnp.zeros(n), jnp.zeros((), int), jnp.array(True))
    return lax.while_loop(goes_on, turn, first).answer


class Iterate(NamedTuple):
    """Right sides x and answers so far, by slots; iterations, and whether to go on."""

    x: Any
    answer: Any
    count: Any
    goes_on: Any


class Missed(NamedTuple):
    """Right sides x by slots, the largest gap of a row, and the largest of its terms.

    Both are by natural sizes.
    """

    x: Any
    gap: Any
    terms: Any


def _weighed(held: Elimination, blocks: Blocks, x: Array, right: Array) -> Any:
    """x with A^T w g added, and g in the places of the rows."""
    s, r = blocks.speeds.shape[1], blocks.rows.shape[1]
    sizes = 1.0 / np.asarray(held.natural.rows) ** 2

    def step(x: jnp.ndarray, row: Any) -> tuple[Any, None]:
        start, rows, by_row, slots, row_slots = row
        entries = own(held.A, start, s * r).reshape(s, r)
        g = _at(right, rows)
        heavy = entries @ (held.weight * by_row * g)
        x = x.at[slots].add(heavy, mode="promise_in_bounds")
        return x.at[row_slots].set(g, mode="promise_in_bounds"), None

    by_row = sizes[blocks.rows]
    rows = blocks.starts, blocks.rows, by_row, blocks.slots, blocks.row_slots
    return scanned(step, x, rows)[0]


def _row_residual(
    held: Elimination,
    blocks: Blocks,
    now: Missed,
    answer: Array,
    right: Array,
) -> Missed:
    """x with g - A a in the places of the rows; g is there in the right sides."""
    s, r = blocks.speeds.shape[1], blocks.rows.shape[1]
    sizes = 1.0 / np.asarray(held.natural.rows)

    def step(now: Missed, row: Any) -> tuple[Missed, None]:
        start, by_row, slots, row_slots = row
        entries = own(held.A, start, s * r).reshape(s, r)
        g, a = _at(right, row_slots), _at(answer, slots)
        gap = g - a @ entries
        worst = jnp.maximum(now.gap, jnp.max(jnp.abs(gap) * by_row))
        sums = jnp.abs(g) + jnp.abs(a) @ jnp.abs(entries)
        terms = jnp.maximum(now.terms, jnp.max(sums * by_row))
        x = now.x.at[row_slots].set(gap, mode="promise_in_bounds")
        return Missed(x, worst, terms), None

    rows = blocks.starts, sizes[blocks.rows], blocks.slots, blocks.row_slots
    return scanned(step, now, rows)[0]


def row_products(tables: RowTables, A: Array, x: Array) -> Any:
    """A x (m,)"""
    return _by_row(tables, A, x, lambda entries, own_x: own_x @ entries)


def row_lengths(tables: RowTables, A: Array, along: np.ndarray) -> Any:
    """The length (m,) of every row, speeds measured by `along` (nz,)."""

    def length(entries: Array, own_x: Array) -> Any:
        return jnp.sqrt(jnp.sum((entries * own_x[:, None]) ** 2, axis=0))

    return _by_row(tables, A, along, length)


def _by_row(tables: RowTables, A: Array, x: Array, answer: Callable[..., Any]) -> Any:
    """What is answered by rows of a constraint from its entries and speeds of x."""
    found, values = jnp.zeros(len(tables.row_slots)), jnp.asarray(x)
    for blocks in tables.blocks:
        s, r = blocks.speeds.shape[1], blocks.rows.shape[1]

        def step(
            found: jnp.ndarray, row: Any, s: int = s, r: int = r
        ) -> tuple[Any, None]:
            start, rows, speeds = row
            entries = own(A, start, s * r).reshape(s, r)
            each = answer(entries, _at(values, speeds))
            return found.at[rows].set(each, mode="promise_in_bounds"), None

        found, _ = scanned(step, found, (blocks.starts, blocks.rows, blocks.speeds))
    return found
