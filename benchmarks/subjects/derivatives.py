"""The Jacobian of forward dynamics against Pinocchio's analytical one."""

from __future__ import annotations

import jax

import polhode as ph
from benchmarks.measure import race, require_agreement
from benchmarks.models import chain_jacobian
from benchmarks.peers import peer
from benchmarks.subjects.accelerations import CHAIN, STATES, accelerations, draw
from benchmarks.table import Claim, Measured
from polhode.lowering.trace.trace import double_precision

BY_ALL = (0, 1, 2)  # angles, speeds, torques


def against_pinocchio(rounds: int) -> Measured:
    pinocchio, states = peer("pinocchio"), draw()
    jacobians = jax.jacfwd(chain_jacobian.forward_dynamics(CHAIN), BY_ALL)
    example = [s[0] for s in states]
    program = ph.compile(jacobians, *example, batched=True, threads=1, lanes=1)

    few = tuple(s[:10] for s in states)
    with double_precision():
        plain = jax.jit(jax.vmap(jax.jacfwd(accelerations, BY_ALL)))(*few)
    require_agreement("Jacobian against plain JAX", program(*few), plain, 1e-10)
    theirs = pinocchio.derivatives(CHAIN, states)
    last = tuple(d[-1] for d in program(*states))
    require_agreement("Jacobian", last, theirs(), 1e-10)

    contenders = {
        "ours": lambda: program(*states),
        "empty": pinocchio.empty_derivatives(STATES),
        "pinocchio": theirs,
    }
    result = race(contenders, rounds, STATES)
    best, doubt = result.seconds, result.doubt(*contenders)
    note = (
        f"{program.report().operations} operations; "
        f"call overhead {best['empty'] * 1e9:.0f} ns removed"
    )
    return Measured(best["ours"], best["pinocchio"] - best["empty"], note, doubt)


CLAIMS = [
    Claim(
        name="jacobian",
        work="7-link chain, Jacobian of forward dynamics",
        other="Pinocchio",
        compared=(
            "by angles, speeds and torques (three 7x7), 1000 states, one thread: ours "
            "jax.jacfwd of a custom_jvp through inverse dynamics, equal to plain "
            "jax.jacfwd; theirs computeABADerivatives from Python minus the same call "
            "on a model without joints"
        ),
        measure=against_pinocchio,
        required=2,
        stretch=4,
    )
]
