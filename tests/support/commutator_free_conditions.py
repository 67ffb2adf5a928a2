"""Order conditions of methods that are products of exponentials, and a search.

A forest is a tuple of trees, a tree the forest on its root; both are ordered, for
exponentials do not commute. What a product of exponentials makes of a forest w is

    c(w) = sum over all cuts of w into consecutive parts, one for each exponential,
           of the product of (beta_l . g(t_1)) ... (beta_l . g(t_k)) / k!

and g of a tree, at each stage, is the c of that stage and of the forest on the tree's
root. The motion itself has c(w t) = c(w) c(forest on the root of t) / |w t|. A method
has order p if both agree for all forests with up to p vertices (Owren, J. Phys. A 39
(2006) 5585).

Run by hand it seeks tables by Newton's steps from random numbers:
python tests/support/commutator_free_conditions.py STAGES EACH LAST ORDER SEEDS
"""

from __future__ import annotations

import sys
from functools import cache

import numpy as np

Forest = tuple


@cache
def forests(vertices: int) -> tuple[Forest, ...]:
    """All ordered forests with so many vertices: as many as Catalan counted."""
    if vertices == 0:
        return ((),)
    return tuple(
        (tree, *rest)
        for first in range(1, vertices + 1)
        for tree in forests(first - 1)
        for rest in forests(vertices - first)
    )


def vertices(forest: Forest) -> int:
    return sum(1 + vertices(tree) for tree in forest)


@cache
def exact(forest: Forest) -> float:
    """What the motion makes of a forest."""
    if not forest:
        return 1.0
    return exact(forest[:-1]) * exact(forest[-1]) / vertices(forest)


def gaps(table: np.ndarray, slopes: np.ndarray, order: int) -> tuple:
    """What a table misses of each condition, and the derivatives of that.

    table    (exponentials, stages + 1, stages): of each row the exponentials in turn;
             the last row is the end
    slopes   (exponentials, stages + 1, stages, unknowns) its derivatives
    """
    stages, count = table.shape[2], slopes.shape[3]
    one = np.zeros((stages + 1, 1 + count))
    one[:, 0] = 1.0
    powers = {(k, ()): one for k in range(len(table))}
    whole = {(k, ()): one for k in range(-1, len(table))}
    dots, found = {}, []
    for size in range(1, order + 1):
        for below in forests(size - 1):
            g = whole[len(table) - 1, below][:stages]
            dot = np.einsum("lij,jn->lin", table, g)
            dot[:, :, 1:] += np.einsum("lijn,j->lin", slopes, g[:, 0])
            dots[below] = dot
        for forest in forests(size):
            whole[-1, forest] = 0.0 * one
            for k in range(len(table)):
                last = dots[forest[-1]][k]
                powers[k, forest] = _product(powers[k, forest[:-1]], last) / len(forest)
                whole[k, forest] = sum(
                    _product(whole[k - 1, forest[:cut]], powers[k, forest[cut:]])
                    for cut in range(len(forest) + 1)
                )
            end = whole[len(table) - 1, forest][-1]
            found.append(end - exact(forest) * one[-1])
    both = np.array(found)
    return both[:, 0], both[:, 1:]


def _product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Of values with their derivatives behind them."""
    found = a[:, :1] * b
    found[:, 1:] += a[:, 1:] * b[:, :1]
    return found


def missed(table: np.ndarray, order: int) -> np.ndarray:
    """What a table misses of each condition up to an order."""
    return gaps(table, np.zeros((*table.shape, 0)), order)[0]


def sought(
    mask: np.ndarray, order: int, seed: int, tries: int = 200
) -> tuple[np.ndarray, float]:
    """A table where `mask` lets it have numbers, and the largest condition missed."""
    places, count = np.nonzero(mask), int(mask.sum())
    slopes = np.zeros((*mask.shape, count))
    slopes[(*places, np.arange(count))] = 1.0

    def at(numbers: np.ndarray) -> tuple:
        table = np.zeros(mask.shape)
        table[places] = numbers
        return table, *gaps(table, slopes, order)

    numbers, damping = 0.4 * np.random.default_rng(seed).normal(size=count), 1e-2
    table, miss, J = at(numbers)
    for _ in range(tries):
        held = J @ J.T + damping * np.eye(len(miss))
        tried = numbers - J.T @ np.linalg.solve(held, miss)
        there = at(tried)
        if there[1] @ there[1] < miss @ miss:
            numbers, (table, miss, J), damping = tried, there, max(damping / 5, 1e-15)
        else:
            damping *= 4
        if miss @ miss < 1e-28 or damping > 1e4:
            break
    return table, float(np.max(np.abs(miss)))


def lower(stages: int, each: int, last: int) -> np.ndarray:
    """Where an explicit method has numbers: so many exponentials a stage, and last."""
    mask = np.zeros((max(each, last), stages + 1, stages), bool)
    for i in range(1, stages):
        mask[: 1 if i == 1 else each, i, :i] = True
    mask[:last, stages] = True
    return mask


if __name__ == "__main__":
    stages, each, last, order, seeds = map(int, sys.argv[1:6])
    for seed in range(seeds):
        table, miss = sought(lower(stages, each, last), order, seed)
        print(f"seed {seed}: misses {miss:.1e}, largest {np.abs(table).max():.3g}")
        if miss < 1e-13:
            print(np.array2string(table, precision=17, max_line_width=88))
