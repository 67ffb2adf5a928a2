"""What answers look like in a notebook: one table each, every name escaped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from polhode.show.notebook import listed, titled
from polhode.show.page_sections import note


class Sheet(NamedTuple):
    """A title, a table, and lines below it."""

    title: str
    heads: tuple[str, ...]
    lines: Sequence[Sequence[Any]]
    notes: list[str]


def answer_html(answer: Any) -> str:
    """The table of an answer; what it is decides which."""
    sheet = SHEETS[type(answer).__name__](answer)
    return titled(
        sheet.title, listed(sheet.heads, list(sheet.lines)), *map(note, sheet.notes)
    )


def _equilibria(found: Any) -> Sheet:
    system = found.system
    names = (*system.coordinate_names, "V, J", *system.row_names)
    lines = [
        (k, *_numbers((*e.state.q, e.energy, *e.multipliers)))
        for k, e in enumerate(found)
    ]
    notes = [f"{k}: {text}" for k, e in enumerate(found) for text in e.notes]
    came = f"{found.arrived} of {found.starts} starts came to rest"
    return Sheet(f"Equilibria of {system.name}", ("", *names), lines, [came, *notes])


def _equilibrium(found: Any) -> Sheet:
    system = found.state.system
    pairs = [*zip(system.coordinate_names, found.state.q, strict=True)]
    pairs += [("V, J", found.energy)]
    pairs += [*zip(system.row_names, found.multipliers, strict=True)]
    return Sheet(
        f"Equilibrium of {system.name}", ("", "value"), _valued(pairs), found.notes
    )


def _steady(found: Any) -> Sheet:
    system = found.state.system
    pairs = [*zip(system.coordinate_names, found.state.q, strict=True)]
    pairs += [(f"rate of {n}", v) for n, v in found.rates.items()]
    return Sheet(
        f"Steady motion of {system.name}", ("", "value"), _valued(pairs), found.notes
    )


def _steadies(found: Any) -> Sheet:
    rates = tuple(found.found[0].rates) if len(found) else ()
    lines = [
        (k, *_numbers((*e.state.q, *e.rates.values()))) for k, e in enumerate(found)
    ]
    notes = [f"{k}: {text}" for k, e in enumerate(found) for text in e.notes]
    heads = ("", *found.system.coordinate_names, *rates)
    return Sheet(f"Steady motions of {found.system.name}", heads, lines, notes)


def _sweep(found: Any) -> Sheet:
    names, coordinates = tuple(found.parameters), found.system.coordinate_names
    some = np.unique(np.linspace(0, len(found) - 1, min(len(found), 11)).astype(int))
    lines = [
        _numbers((*(found.parameters[n][k] for n in names), *found.q[k])) for k in some
    ]
    rested = f"{int(found.found.sum())} of {len(found)} came to rest"
    title = f"Equilibria of {found.system.name} over {', '.join(names)}"
    return Sheet(title, (*names, *coordinates), lines, [rested])


def _branches(found: Any) -> Sheet:
    lines = []
    for k, branch in enumerate(found):
        ends = _numbers(branch.parameter[[0, -1]])
        marks = ", ".join(f"{m.kind} at {m.parameter:.6g}" for m in branch.marks)
        falls = f"{branch.falling.min()} to {branch.falling.max()}"
        lines.append((k, len(branch), *ends, falls, marks or "none"))
    heads = ("", "points", "from", "to", "falling directions", "marks")
    return Sheet(f"{found.system.name} along {found.name}", heads, lines, [])


def _linear(found: Any) -> Sheet:
    sheet = _state_space(found.matrices)
    kinds = ("mass", "damping", "gyroscopic", "stiffness", "circulatory")
    there = [part for part in kinds if part == "mass" or found.parts.has(part)]
    about = found.unsteady or ("a rest" if found.is_at_rest else "a steady motion")
    title = f"Linear system of {found.system.name} about {about}"
    return sheet._replace(title=title, notes=[f"parts: {', '.join(there)}"])


def _state_space(found: Any) -> Sheet:
    """[A B] and below it [C D]."""
    heads = ("", *found.states, *found.inputs)
    lines = [
        (f"{name}'", *_numbers(row))
        for name, row in zip(found.states, np.hstack([found.A, found.B]), strict=True)
    ]
    lines += [
        (f"{name} =", *_numbers(row))
        for name, row in zip(found.outputs, np.hstack([found.C, found.D]), strict=True)
    ]
    return Sheet("State space", heads, lines, [])


def _response(found: Any) -> Sheet:
    pairs = [(o, k) for o in found.outputs for k in found.inputs]
    heads = ("W, rad/s", *(f"{o} by {k}" for o, k in pairs))
    lines = [
        (
            f"{w:.6g}",
            *(f"{abs(v):.5g} ∠ {np.angle(v, deg=True):.1f}°" for v in row.ravel()),
        )
        for w, row in zip(found.frequencies, found.values, strict=True)
    ]
    return Sheet("Frequency response", heads, lines, [])


def _modes(found: Any) -> Sheet:
    heads = ("", "s, 1/s", "w, rad/s", "f, Hz", "damping", *found.names)
    lines = [
        (
            k + 1,
            _complex(s),
            *_numbers((found.frequencies[k], found.hertz[k], found.damping[k])),
            *(_complex(x) for x in found.shapes[k]),
        )
        for k, s in enumerate(found.eigenvalues)
    ]
    return Sheet(f"Modes of {found.linear.system.name}", heads, lines, [])


def _stability(found: Any) -> Sheet:
    lines = [(name, value) for name, value in found.numbers.items()]
    lines += [(f"s{k + 1}, 1/s", _complex(s)) for k, s in enumerate(found.spectrum.all)]
    by = "" if found.theorem == "none" else f" ({found.theorem})"
    title = f"{found.subject}: {found.verdict}{by}"
    return Sheet(title, ("", "value"), lines, [found.reason])


def _reactions(found: Any) -> Sheet:
    heads = ("", "peak force, N", "at t, s", "peak couple, N m", "at t, s")
    lines = [
        (n, *_numbers((*found.peak_force(n), *found.peak_torque(n))))
        for n in found.names
    ]
    shared = f"not determined by the motion: {', '.join(found.shared)}"
    title = f"Reactions of {found.motion.system.name}, in axes of {found.axes}"
    return Sheet(title, heads, lines, [shared] if found.shared else [])


def _conserved(found: Any) -> Sheet:
    lines = [(i.name, "kept", i.reason) for i in found.integrals]
    lines += [(n, "changed by", ", ".join(by)) for n, by in found.broken.items()]
    lines += [(n, "always zero", "") for n in found.zero]
    words = f"{len(found.integrals)} kept, {found.independent} independent"
    name = found.equations.system.name
    return Sheet(f"What {name} keeps", ("quantity", "", "why"), lines, [words])


def _sensitivity(found: Any) -> Sheet:
    system = found.motion.system
    speeds = (f"speed of {n}" for n in system.speed_names)
    heads = ("d / d", *system.coordinate_names, *speeds)
    lines = [(c, *_numbers(found[c][-1])) for c in found.columns]
    title = f"Sensitivity of {system.name} at t = {found.t[-1]:g} s"
    return Sheet(title, heads, lines, [])


def _gradient(found: Any) -> Sheet:
    title = f"Gradient, {found.motion.system.name}: value {found.value:.6g}"
    return Sheet(title, ("d / d", ""), _valued(found.all.items()), [])


def _identified(found: Any) -> Sheet:
    lines = [(n, *_numbers((v, found.deviations[n]))) for n, v in found.values.items()]
    size = f"{found.residuals.size} measurements, noise {found.noise:.3g}"
    heads = ("parameter", "value", "standard deviation")
    return Sheet(f"Identified: {found.motion.system.name}", heads, lines, [size])


def _identifiable(found: Any) -> Sheet:
    lines = [(n, "yes" if n in found.alone else "no") for n in found.names]
    notes = [f"told only together: {', '.join(row)}" for row in found.together]
    return Sheet("Identifiable parameters", ("", "told by itself"), lines, notes)


def _rest(found: Any) -> Sheet:
    lines = [
        (n, *_numbers(row))
        for n, row in zip(found.system.speed_names, found.places, strict=True)
    ]
    pairs = zip(found.frequencies, found.frequency_slopes, strict=True)
    lines += [(f"{w:.6g} rad/s", *_numbers(row)) for w, row in pairs]
    title = f"Equilibrium of {found.system.name} by its parameters"
    return Sheet(title, ("d / d", *found.names), lines, [])


def _integrability(found: Any) -> Sheet:
    felt = np.max(np.abs(found.curvature), axis=0, initial=0.0)
    pairs = zip(found.rows, felt, strict=True)
    lines = [(n, f"{size:.6g}" if size else "none") for n, size in pairs]
    reach = f"directions reached: {', '.join(map(str, found.growth))}"
    kept = f"functions of the place kept: {len(found.integrals)}"
    title = f"{found.state.system.name}: {found.verdict}"
    return Sheet(title, ("row", "curvature"), lines, [reach, kept])


SHEETS: dict[str, Callable[[Any], Sheet]] = {
    "Branches": _branches,
    "Conserved": _conserved,
    "Equilibria": _equilibria,
    "Equilibrium": _equilibrium,
    "EquilibriumSweep": _sweep,
    "Gradient": _gradient,
    "Identifiable": _identifiable,
    "Identified": _identified,
    "Integrability": _integrability,
    "Linear": _linear,
    "Modes": _modes,
    "ReactionTable": _reactions,
    "Response": _response,
    "RestSensitivity": _rest,
    "Sensitivity": _sensitivity,
    "Stability": _stability,
    "StateSpace": _state_space,
    "SteadyMotion": _steady,
    "SteadyMotions": _steadies,
}


def _valued(pairs: Any) -> Sequence[Sequence[Any]]:
    return [(name, f"{_zero(value):.6g}") for name, value in pairs]


def _numbers(values: Any) -> tuple[str, ...]:
    return tuple(f"{_zero(value):.6g}" for value in values)


def _complex(value: Any) -> str:
    s = complex(value)
    return f"{s.real:.6g} {s.imag:+.6g}i" if abs(s.imag) > 1e-14 else f"{s.real:.6g}"


def _zero(value: Any) -> float:
    return 0.0 if abs(value) < 1e-13 else float(value)
