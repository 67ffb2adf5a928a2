"""Large arrays that loops carry and change: they live in memory, in versions."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from lowering_cases.case import case, normal, one_a_system, uniform, whole

SIZE = 70  # elements: more than are kept as scalars
TURNS = one_a_system([0, 1, 7, 3, 12])
FLAGS = one_a_system([True, False, False, True, True])
PLACES = np.arange(SIZE) * 1.0


def start(x):
    return jnp.sin(PLACES) * x


def filled(x):
    """Filled row by row in one loop, read back in another."""
    a = lax.fori_loop(0, SIZE, lambda i, a: a.at[i].set(x * x + i), jnp.zeros(SIZE))
    return lax.fori_loop(0, SIZE, lambda i, s: s * 0.5 + a[SIZE - 1 - i], 0.0)


def old_and_new(x, n):
    """A turn that reads the old array after it has made the new one."""

    def turn(i, c):
        a, s = c
        new = a.at[(i * 7) % SIZE].set(x + i)
        return new, s * 0.5 + a[(i * 7) % SIZE] - new[(i + n) % SIZE]

    return lax.fori_loop(0, 30, turn, (start(x), 0.0))


def swapped(x, y):
    """Two arrays change places in every turn."""

    def turn(i, c):
        a, b = c
        return b.at[i].add(1.0), a.at[i + 1].multiply(0.5)

    return lax.fori_loop(0, 9, turn, (start(x), start(y)))


def rotated(x):
    return lax.fori_loop(0, 5, lambda i, a: jnp.roll(a, 1).at[i].add(1.0), start(x))


def doubled(x):
    """Every element changes in every turn."""
    return lax.fori_loop(0, 6, lambda i, a: a * 1.5 - jnp.flip(a), start(x))


def in_a_while(n, x):
    """Lanes that are done keep their array."""

    def turn(c):
        i, a = c
        return i - 1, a.at[i].set(a[i + 1] + x).at[2 * i].add(1.0)

    return lax.while_loop(lambda c: c[0] > 0, turn, (n, start(x)))


def two_loops_deep(n, x):
    def inner(j, a):
        return a.at[3 * j].add(x * j)

    def outer(c):
        i, a = c
        return i - 1, lax.fori_loop(0, 5 + i, inner, a).at[i].multiply(0.5)

    return lax.while_loop(lambda c: c[0] > 0, outer, (n, start(x)))


def busy(x, n=40):
    for k in range(n):
        x = x * 1.01 + jnp.where(x > k, 0.5, 0.25) * x / (1.0 + x * x)
    return x


def in_a_branch(flag, n, x):
    """Only the lanes that take a branch write in it."""

    def turn(i, a):
        return lax.cond(
            (i + n) % 3 == 0,
            lambda b: b.at[i].set(busy(x)),
            lambda b: b.at[n].add(a[i]).at[i].multiply(2.0),
            a,
        )

    a = lax.fori_loop(0, 11, turn, start(x))
    return lax.cond(flag, lambda b: b.at[n].set(9.0), lambda b: b * busy(x), a)


def branch_of_one_side(flag, x):
    """One branch changes the array, the other leaves it, a third replaces it."""
    a = start(x)

    def turn(i, a):
        return lax.switch(i % 3, [lambda b: b, lambda b: b.at[i].set(busy(x)),
                                  lambda b: jnp.full(SIZE, busy(x))], a)  # fmt: skip

    return lax.fori_loop(0, 8, turn, a), a


def selected(x, n):
    """A write that is undone for some lanes."""

    def turn(i, a):
        return jnp.where(a[i] > 0, a.at[n].set(x), a)

    return lax.fori_loop(0, 20, turn, start(x))


def kept_history(x):
    """The array of every turn is stacked too."""

    def turn(a, i):
        a = a.at[i].set(x)
        return a, a[:3]

    return lax.scan(turn, start(x), jnp.arange(9))


def matrix_rows(x, n):
    """Rows, columns and blocks of a matrix, at places known only when run."""

    def turn(i, a):
        row = lax.dynamic_slice(a, (i, 0), (1, 8))
        a = lax.dynamic_update_slice(a, row * 2.0 + i, ((i + n) % 9, 0))
        return a.at[:, i % 8].add(1.0)

    return lax.fori_loop(0, 7, turn, jnp.outer(jnp.arange(9.0), jnp.arange(8.0)) + x)


def out_of_bounds(n, x):
    """Writes and reads past the ends obey their mode."""

    def turn(i, a):
        a = a.at[n * i].set(x, mode="drop").at[n - i].add(1.0, mode="clip")
        return lax.dynamic_update_slice(a, a[:3], (n + i,))

    return lax.fori_loop(0, 6, turn, start(x))


def of_every_type(n):
    i = jnp.arange(SIZE) + n
    many = i.astype(jnp.int32), i % 3 == 0, i.astype(jnp.uint8)

    def turn(t, c):
        a, b, d = c
        a, b = a.at[t].set(7), b.at[t + 1].set(~b[t])
        return a, b, d.at[t].add(jnp.where(b[t], 100, 1).astype(jnp.uint8))

    return lax.fori_loop(0, 9, turn, many)


def sieve(n):
    """A loop in a loop that marks multiples."""

    def strike(i, marks):
        def more(c):
            return c[0] < SIZE

        def turn(c):
            return c[0] + i, c[1].at[c[0]].set(False)

        return lax.while_loop(more, turn, (i * i, marks))[1]

    marks = lax.fori_loop(2, 9, strike, jnp.ones(SIZE, bool))
    return jnp.sum(marks) + n


def batched(n, x):
    """Rows of a vmap with different numbers of turns, each with its array."""
    return jax.vmap(in_a_while)(n, x)


def in_place_without_loop(x, n):
    a = start(x)
    b = a.at[n].set(1.0)
    return a.at[n + 1].add(b[n]), b, a


def changed_after_it_is_given(x, n):
    """An output in memory that another output begins with."""
    a = lax.fori_loop(0, SIZE, lambda i, a: a.at[i].multiply(2.0), start(x))
    return a, a.at[n].add(1.0), jnp.stack([a, -a], axis=1)


def loops_in_turn(x, n):
    """Each begins with what the one before has left; some of it is asked again."""

    def adding(amount):
        return lambda i, a: a.at[(i * n) % SIZE].add(amount * a[i])

    first = lax.fori_loop(0, 20, adding(0.5), start(x))
    second = lax.fori_loop(0, 20, adding(2.0), first)
    third = lax.fori_loop(0, 20, adding(-0.3), second)
    other = lax.fori_loop(0, 9, adding(3.0), second)
    return third, other, first[n]


def loops_in_turn_in_a_while(n, x):
    """The same in turns of a loop, of an array that it carries and one of its own."""

    def turn(c):
        i, a = c
        b = lax.fori_loop(0, 9, lambda j, b: b.at[j].add(b[j + 1]), start(x))
        b = lax.fori_loop(0, 9, lambda j, b: b.at[j].multiply(a[j]), b)
        a = lax.fori_loop(0, 9, lambda j, a: a.at[j].add(0.1 * b[j]), a)
        return i - 1, lax.fori_loop(0, 9, lambda j, a: a.at[j].add(0.1 * b[j]), a)

    return lax.while_loop(lambda c: c[0] > 0, turn, (n, start(x)))


CASES = [
    case("array changed after it is given", changed_after_it_is_given, normal(),
         whole(0, 60), rtol=1e-14),
    case("loops in turn", loops_in_turn, normal(), whole(0, 60), rtol=1e-13),
    case("loops in turn in a while", loops_in_turn_in_a_while, TURNS, normal(),
         rtol=1e-13),
    case("filled in turn", filled, uniform(0, 1), rtol=1e-13),
    case("old and new versions", old_and_new, normal(), whole(0, 60), rtol=1e-13),
    case("swapped arrays", swapped, normal(), normal(), rtol=1e-14),
    case("rotated array", rotated, normal(), rtol=1e-14),
    case("whole array changed", doubled, normal(), rtol=1e-14),
    case("array in a while loop", in_a_while, TURNS, normal(), rtol=1e-13),
    case("array two loops deep", two_loops_deep, TURNS, normal(), rtol=1e-13),
    case("array in a branch", in_a_branch, FLAGS, whole(0, 60), normal(), rtol=1e-12),
    case("array in some branches", branch_of_one_side, FLAGS, normal(), rtol=1e-12),
    case("array selected", selected, normal(), whole(0, 60), rtol=1e-14),
    case("array of every turn", kept_history, normal(), rtol=1e-14),
    case("matrix by rows", matrix_rows, normal(), whole(0, 8), rtol=1e-13),
    case("array out of bounds", out_of_bounds,
         one_a_system([0, 5, 40, 69, -80]), normal(), rtol=1e-14),
    case("arrays of every type", of_every_type, whole(0, 9)),
    case("sieve", sieve, whole(0, 9)),
    case("batched arrays", batched, whole(0, 12, 2), normal(2), rtol=1e-13),
    case("array without a loop", in_place_without_loop, normal(),
         one_a_system([0, 5, 69, 70, -1]), rtol=1e-14),
]  # fmt: skip
