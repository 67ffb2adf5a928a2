"""What a step of Moreau's scheme gives, and the sizes it compares with."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from polhode.formulation.solve.contact_problem import ROUNDING, ContactSolution

# Of the system's length: gaps below it count as closed, and are closed where a push
# says so. What rests on several others has gaps of second order: were it let fall
# through them, contacts would open and close in turn, and piles would shake for ever.
TOUCHING = 1e-5
# Of the system's length, a second: slower slip is rest, where friction is static.
RESTING = 1e-9
# Of the change of speeds: where forces lack more in their mean, a step is made again.
BENT, PASSES = 1e-4, 3
# Of the system's length: overlaps below it are rounding, and nothing is lifted.
LEVEL = 1e-12


class MoreauStep(NamedTuple):
    """One step, and what its contacts did.

    x                   at t + h, overlaps removed
    unprojected         the same before they were
    solution            impulses r (n, 3), u after (n, 3), residual (n,), iterations
    before              u (n, 3) before the step
    mean                u (n, 3) of the mean speed at its middle, on which r works
    support             (n, 3) what of that is the motion of the support itself
    gap                 (n,) at its middle
    friction            mu (n,) that it took, static where nothing slipped
    axes                (n, 3, 3) columns n, t1, t2 along the world's axes
    kept                (10n + 1,) what the next step begins with
    """

    x: Any
    unprojected: Any
    solution: ContactSolution
    before: Any
    mean: Any
    support: Any
    gap: Any
    friction: Any
    axes: Any
    kept: Any


def passes(step: Any, guess: Any) -> tuple[Any, ContactSolution]:
    """z+ and impulses by Newton's steps from a guess; an impact is passed twice.

    In the second the forces are those of the mean speed that the first has found:
    bodies that strike and turn would else gain or lose by the axes of their speeds.
    """

    def once(step: Any, guess: Any) -> tuple[Any, ContactSolution]:
        found = step.solved(guess)
        return step.free + step.change(found.impulse), found

    def turn(state: Any) -> Any:
        count, bend, _, (_, last) = state
        near = None
        if guess is not None:
            near = lax.cond(count == 0, lambda: guess, lambda: last[0])
        z1, found = once(step.bent(bend), near)
        lacks = step.answer.bend(z1)
        most = BENT * jnp.max(jnp.abs(z1 - step.z))
        # Of what rests both are rounding.
        most = most + ROUNDING * jnp.max(jnp.abs(step.answer.drift))
        is_lacking = jnp.max(jnp.abs(lacks - bend)) > most
        return count + 1, lacks, is_lacking, (z1, found)

    def goes_on(state: Any) -> Any:
        return (state[0] == 0) | (state[2] & (state[0] < PASSES))

    like = jax.eval_shape(lambda: once(step, guess))
    nothing = jax.tree.map(lambda x: jnp.zeros(x.shape, x.dtype), like)
    none = jnp.zeros((), jnp.int64)
    start = (none, jnp.zeros_like(step.z), jnp.array(False), nothing)
    z1, found = lax.while_loop(goes_on, turn, start)[3]
    return z1, ContactSolution(*found)
