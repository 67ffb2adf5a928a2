"""What answers look like in a notebook: one table each, every name escaped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from polhode.analyse.equilibria.stability import said
from polhode.analyse.linear.campbell import CRITICAL
from polhode.analyse.linear.feedback_margins import HEADS as LOOP
from polhode.analyse.linear.linear_along import HEADS, INSTANT
from polhode.analyse.linear.margins import HEADS as LIMITS
from polhode.analyse.linear.state_space import ROOT, root_numbers
from polhode.analyse.machinery.naming import state_names
from polhode.analyse.machinery.table import number, relative, some
from polhode.analyse.optimisation.optimum import HEADS as BEST
from polhode.analyse.reactions import ENVELOPE, PEAKS
from polhode.show.notebook import listed, titled
from polhode.show.page.sections import note

MOST = 11  # rows of what could have thousands


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
    lines = [(k, *row) for k, row in enumerate(found.rows)]
    notes = [f"{k}: {text}" for k, e in enumerate(found) for text in e.notes]
    came = f"{found.arrived} of {found.starts} starts came to rest"
    return Sheet(f"Equilibria of {system.name}", ("", *names), lines, [came, *notes])


def _equilibrium(found: Any) -> Sheet:
    system = found.state.system
    lines = _valued(zip(system.coordinate_names, found.state.q, strict=True))
    lines += [("V, J", f"{found.energy:.6g}")]
    lines += zip(system.row_names, relative(found.multipliers), strict=True)
    return Sheet(f"Equilibrium of {system.name}", ("", "value"), lines, found.notes)


def _steady(found: Any) -> Sheet:
    system = found.state.system
    pairs = [*zip(system.coordinate_names, found.state.q, strict=True)]
    pairs += [(f"rate of {n}", v) for n, v in found.rates.items()]
    return Sheet(
        f"Steady motion of {system.name}", ("", "value"), _valued(pairs), found.notes
    )


def _steadies(found: Any) -> Sheet:
    rates = [f"rate of {n}" for n in found[0].rates] if len(found) else []
    lines = [
        (k, *_numbers((*e.state.q, *e.rates.values()))) for k, e in enumerate(found)
    ]
    notes = [f"{k}: {text}" for k, e in enumerate(found) for text in e.notes]
    heads = ("", *found.system.coordinate_names, *rates)
    return Sheet(f"Steady motions of {found.system.name}", heads, lines, notes)


def _sweep(found: Any) -> Sheet:
    names, coordinates = tuple(found.parameters), found.system.coordinate_names
    lines = [
        _numbers((*(found.parameters[n][k] for n in names), *found.q[k]))
        for k in some(len(found), MOST)
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


def _branch(found: Any) -> Sheet:
    shown = some(len(found), MOST)
    heads = ("", found.name, *found.system.coordinate_names, "falling directions")
    lines = [
        (k, *_numbers((found.parameter[k], *found.q[k])), found.falling[k])
        for k in shown
    ]
    notes = [f"{m.kind} at {found.name} = {m.parameter:.6g}" for m in found.marks]
    return Sheet(f"{found.system.name} along {found.name}", heads, lines, notes)


def _along(found: Any) -> Sheet:
    lines = [_numbers(row) for row in found.digest(MOST)]
    names = f"states: {', '.join(found.states)}"
    inputs = f"inputs: {', '.join(found.inputs) or 'none'}"
    title = f"Linear systems along a motion of {found.motion.system.name}"
    return Sheet(title, HEADS, lines, [names, inputs, INSTANT])


def _parts(found: Any) -> Sheet:
    lines = [
        (f"{part}, {name}", *relative(row))
        for part, word in found.words().items()
        if word != "none"
        for name, row in zip(found.names, getattr(found, part), strict=True)
    ]
    words = [f"{part}: {word}" for part, word in found.words().items()]
    return Sheet("Parts of the linear equations", ("", *found.names), lines, words)


def _spectrum(found: Any) -> Sheet:
    lines = [(k + 1, *root_numbers(s)) for k, s in enumerate(found.all)]
    block = f"zeros: {found.zeros}, in Jordan blocks of up to {found.block}"
    notes = [block] if found.zeros else []
    return Sheet(f"Eigenvalues: {found.kind}", ("", *ROOT), lines, notes)


def _transfer(found: Any) -> Sheet:
    lines = [(word, *root_numbers(s)) for word, s in found.roots]
    gains = f"gain {found.gain:.6g}, H(0) = {found.still:.6g}"
    return Sheet("Transfer function", ("", *ROOT), lines, [gains])


def _is_rest(found: Any) -> Sheet:
    lines = [(name, *_numbers((z, a))) for name, z, a in found.lines]
    driven = [f"{row} is driven at {-v:.4g}" for row, v in found.driven.items()]
    title = f"{found.state.system.name} {found.verdict}"
    return Sheet(title, ("", "speed", "its rate"), lines, driven)


def _variation(found: Any) -> Sheet:
    lines = [
        (name, *_numbers((found.rates[name], found.momenta[name])))
        for name in found.rates
    ]
    word = "a minimum" if found.is_minimum else f"falls in {found.negative} directions"
    bends = f"curvatures: {', '.join(relative(found.curvatures))}"
    title = f"Energy among motions with the same momenta: {word}"
    return Sheet(title, ("carrier", "rate", "momentum"), lines, [bends])


def _leaves(found: Any) -> Sheet:
    rows = zip(found.names, found.rows(found.state), strict=True)
    lines = [(f"pi of {name}", *_numbers(row)) for name, row in rows]
    heads = ("d / d", *found.system.speed_names)
    return Sheet(f"Functions of the place of {found.system.name}", heads, lines, [])


def _linear(found: Any) -> Sheet:
    sheet = _state_space(found.matrices)
    there = [part for part, word in found.parts.words().items() if word != "none"]
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
            number(s),
            *_numbers((found.frequencies[k], found.hertz[k], found.damping[k])),
            *(number(x) for x in found.shapes[k]),
        )
        for k, s in enumerate(found.eigenvalues)
    ]
    return Sheet(f"Modes of {found.linear.system.name}", heads, lines, [])


def _stability(found: Any) -> Sheet:
    lines = [(name, said(value)) for name, value in found.numbers.items()]
    lines += [(f"s{k + 1}, 1/s", number(s)) for k, s in enumerate(found.spectrum.all)]
    by = "" if found.theorem == "none" else f" ({found.theorem})"
    title = f"{found.subject}: {found.verdict}{by}"
    return Sheet(title, ("", "value"), lines, [found.reason])


def _reactions(found: Any) -> Sheet:
    heads = ("", *PEAKS, *ENVELOPE)
    rows = zip(found.names, found.peaks, found.envelopes, strict=True)
    lines = [(name, *peaks, *spans) for name, peaks, spans in rows]
    title = f"Reactions of {found.motion.system.name}, in axes of {found.axes}"
    return Sheet(title, heads, lines, found.notes)


def _margins(found: Any) -> Sheet:
    lines = [(name, *row) for name, row in zip(found.names, found.rows, strict=True)]
    words = "within its limits" if found.is_within else "beyond a limit"
    return Sheet(
        f"Margins of {found.motion.system.name}", ("", *LIMITS), lines, [words]
    )


def _conserved(found: Any) -> Sheet:
    lines = [(i.name, "kept", i.reason) for i in found.integrals]
    lines += [(n, "changed by", ", ".join(by)) for n, by in found.broken.items()]
    lines += [(n, "always zero", "") for n in found.zero]
    words = f"{len(found.integrals)} kept, {found.independent} independent"
    name = found.equations.system.name
    return Sheet(f"What {name} keeps", ("quantity", "", "why"), lines, [words])


def _sensitivity(found: Any) -> Sheet:
    system = found.motion.system
    heads = ("d / d", *state_names(system))
    lines = [(c, *_numbers(found[c][-1])) for c in found.columns]
    title = f"Sensitivity of {system.name} at t = {found.t[-1]:g} s"
    return Sheet(title, heads, lines, [])


def _uncertainty(found: Any) -> Sheet:
    shown = some(len(found.t), MOST)
    rows = zip(shown, found.rows(shown), strict=True)
    lines = [(f"{found.t[k]:.6g}", *row) for k, row in rows]
    given = ", ".join(f"{name} ± {s:.3g}" for name, s in found.spreads.items())
    title = f"Uncertainty of {found.motion.system.name}, {found.how}"
    return Sheet(title, ("t, s", *found.names), lines, [given])


def _gradient(found: Any) -> Sheet:
    title = f"Gradient, {found.motion.system.name}: value {found.value:.6g}"
    return Sheet(title, ("d / d", ""), _valued(found.all.items()), [])


def _identified(found: Any) -> Sheet:
    lines = [(n, *_numbers((v, found.deviations[n]))) for n, v in found.values.items()]
    size = f"{found.count} measurements, noise {found.noise:.3g}"
    heads = ("parameter", "value", "standard deviation")
    return Sheet(f"Identified: {found.motion.system.name}", heads, lines, [size])


def _campbell(found: Any) -> Sheet:
    title = f"Critical speeds of {found.system.name}"
    return Sheet(title, CRITICAL, found.rows, [f"speeds of {found.spin}"])


def _feedback(found: Any) -> Sheet:
    word = "stable" if found.is_stable else "unstable"
    title = f"{found.output} back to {found.input}: {word}"
    return Sheet(title, ("", *LOOP), found.rows, [])


def _section(found: Any) -> Sheet:
    lines = [_numbers(row) for row in found.rows]
    return Sheet(f"Section of {found.system.name}", found.heads, lines, [])


def _optimum(found: Any) -> Sheet:
    title = (
        f"{found.motion.system.name}: {found.value:.6g} from {found.first_value:.6g}"
    )
    lines = [*found.rows, *found.constraint_rows]
    return Sheet(title, ("", *BEST), lines, [found.sentence])


def _identifiable(found: Any) -> Sheet:
    lines = [(n, "yes" if n in found.alone else "no") for n in found.names]
    notes = [f"told only together: {', '.join(row)}" for row in found.together]
    return Sheet("Identifiable parameters", ("", "told by itself"), lines, notes)


def _rest(found: Any) -> Sheet:
    lines = [(name, *_numbers(row)) for name, row in found.rows]
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
    "Branch": _branch,
    "Branches": _branches,
    "Campbell": _campbell,
    "Conserved": _conserved,
    "Equilibria": _equilibria,
    "Equilibrium": _equilibrium,
    "EquilibriumSweep": _sweep,
    "FeedbackMargins": _feedback,
    "Gradient": _gradient,
    "Identifiable": _identifiable,
    "Identified": _identified,
    "Integrability": _integrability,
    "LimitMargins": _margins,
    "Linear": _linear,
    "LinearAlong": _along,
    "Modes": _modes,
    "Optimum": _optimum,
    "Parts": _parts,
    "PositionIntegrals": _leaves,
    "ReactionTable": _reactions,
    "Response": _response,
    "Rest": _is_rest,
    "RestSensitivity": _rest,
    "Section": _section,
    "SecondVariation": _variation,
    "Sensitivity": _sensitivity,
    "Spectrum": _spectrum,
    "Stability": _stability,
    "StateSpace": _state_space,
    "SteadyMotion": _steady,
    "SteadyMotions": _steadies,
    "Transfer": _transfer,
    "Uncertainty": _uncertainty,
}


def _valued(pairs: Any) -> list[Sequence[Any]]:
    return [(name, number(value)) for name, value in pairs]


def _numbers(values: Any) -> tuple[str, ...]:
    return tuple(map(number, values))
