"""The laws of each body, by name: who acts on it, before anything is joined or solved.

    p_dot = sum F + sum R                 p = m v
    L_dot = sum M + sum Q                 L = r x m v + J w

r and v are place and velocity of the mass centre, w is the angular velocity; L and all
moments are about the world's origin, so that a joint's reactions R and Q on its second
body are the opposite of those on its first. F and M are what an action exerts, R and Q
what a joint or a constraint does. In a fluid p and L are those of body and fluid.

The same few lines are right for a rod and for a walking machine: where the equations in
closed form are longer than a page, these are what can be read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, final

from polhode.actions.weight import WeightOf
from polhode.constraints.constraint import Constraint
from polhode.matter.particle import Particle
from polhode.matter.submerged import Submerged

if TYPE_CHECKING:
    from polhode.system.system import System

FREE = 6  # speeds of a joint that holds nothing
MOMENTS = {"g": "r x g", "F": "M", "R": "Q"}
NAMED = 12  # speeds that are listed by name
WIDE = 85  # letters on a line of a page
SMALL = 0.6  # of a letter: one of an index
STRANGE = re.compile(r"[^\w .,:'()/+-]|_")


class Term(NamedTuple):
    """What one thing does to one body: a letter for its kind, its name, a sign."""

    letter: str
    name: str
    sign: int = 1


class BodyLaw(NamedTuple):
    """What acts on one body; a particle has no moments."""

    body: str
    kind: str  # "particle", "body" or "in a fluid"
    terms: tuple[Term, ...]


@final
@dataclass(frozen=True, repr=False)
class BodyLaws:
    """The laws of all bodies of a system, and the equations they join into.

    joined is M y_dot + b = f + A^T l over `speeds`; held names the joints, whose
    reactions have no power, and `constraints` the rows of A.
    """

    name: str
    laws: tuple[BodyLaw, ...]
    speeds: tuple[str, ...]
    held: tuple[str, ...]
    constraints: tuple[str, ...]

    def formulas(self, most: int | None = None) -> list[str]:
        """LaTeX, one formula a line: p and L, each body's laws, the joined ones.

        Of more than `most` bodies the first so many are written.
        """
        lines = [line for law in self.laws[:most] for line in _formulas(law)]
        kinds = {law.kind for law in self.laws}
        return [*_definitions(kinds), *lines, *_system_equation(self)]

    def __repr__(self) -> str:
        lines = [line for law in self.laws for line in _texts(law)]
        loads = " + A^T lambda" if self.constraints else ""
        lines.append(f"M(q) zdot + b(q, z) = f(q, z){loads}")
        if self.constraints:
            lines.append(f"A(q) zdot = gamma(q, z): {', '.join(self.constraints)}")
        lines.append(f"z = ({_list_words(self)})")
        return "\n".join([f"Newton and Euler, {self.name}", *lines])


def body_laws(system: System) -> BodyLaws:
    """Who acts on each body of a system, in the system's own names."""
    holding = tuple(joint for joint in system.joints if _holds(joint))
    return BodyLaws(
        system.name,
        tuple(_law_of(system, body, holding) for body in system.bodies),
        system.speed_names,
        tuple(joint.name for joint in holding),
        tuple(system.row_names),
    )


def _law_of(system: System, body: Any, holding: tuple[Any, ...]) -> BodyLaw:
    """The terms of one body, in the order weight, actions, joints, constraints."""
    terms: list[Term] = []
    for action in system.actions:
        if body.frame in action.bodies:
            kind = "g" if isinstance(action, WeightOf) else "F"
            terms.append(Term(kind, _name_of(system, action, action.bodies, body)))
    for joint in holding:
        ends = joint.first.frame, joint.second.frame
        if body.frame in ends:
            terms.append(Term("R", joint.name, 1 if body.frame is ends[1] else -1))
    for constraint in system.constraints:
        touched = _frames_of(constraint)
        if body.frame in touched:
            terms.append(Term("R", _name_of(system, constraint, touched, body)))
    if isinstance(body, Particle):
        return BodyLaw(body.name, "particle", tuple(terms))
    wet = isinstance(body.matter, Submerged)
    return BodyLaw(body.name, "in a fluid" if wet else "body", tuple(terms))


def _frames_of(constraint: Constraint) -> list[Any]:
    """The frames that a constraint may act on: its own, and those of its joints."""
    joints = [f for j in constraint.joints for f in (j.first.frame, j.second.frame)]
    return [*constraint.bodies, *joints]


def _name_of(system: System, thing: Any, frames: Any, body: Any) -> str:
    """A name, and of what it acts on this body where it acts on several."""
    if isinstance(thing, WeightOf):
        return (
            thing.name
            if sum(isinstance(a, WeightOf) for a in system.actions) > 1
            else ""
        )
    several = sum(each.frame in frames for each in system.bodies) > 1
    return f"{thing.name} on {body.name}" if several else str(thing.name)


def _holds(joint: Any) -> bool:
    """Whether a joint holds anything: free bodies and particles are held by none."""
    return joint.speeds < FREE and type(joint).__name__ != "Translation"


# ------------------------------------------------------------------------ LaTeX


def _definitions(kinds: set[str]) -> list[str]:
    """What p and L are."""
    if kinds == {"particle"}:
        return [r"\mathbf{p} = m\,\mathbf{v}"]
    if "in a fluid" in kinds:
        p = r"\mathbf{p} = \frac{\partial T}{\partial \mathbf{v}}"
        turning = r"\frac{\partial T}{\partial 𝝎}"
        return [
            rf"{p},\quad \mathbf{{L}} = \mathbf{{r}} \times \mathbf{{p}} + {turning}"
        ]
    p = r"\mathbf{p} = m\,\mathbf{v}"
    orbit, spin = r"\mathbf{r} \times \mathbf{p}", r"\mathbf{J}\,𝝎"
    return [rf"{p},\quad \mathbf{{L}} = {orbit} + {spin}"]


def _formulas(law: BodyLaw) -> list[str]:
    """The rate of momentum, and that of angular momentum."""
    lines = [_law_lines(law, "p", law.terms)]
    if law.kind != "particle":
        lines.append(_law_lines(law, "L", tuple(map(_moment, law.terms))))
    return lines


def _law_lines(law: BodyLaw, letter: str, terms: tuple[Term, ...]) -> str:
    """The rate of a momentum is the sum of terms, over lines where it is wide."""
    word = _word(law.body)
    begins = rf"\dot{{\mathbf{{{letter}}}}}_{{{word}}} ="
    own = 3 + SMALL * len(law.body)
    room = {"g": own, "r x g": 2 * own}
    sizes = [4 + SMALL * len(t.name) + room.get(t.letter, 0.0) for t in terms]
    parts = [_term(term, word) for term in terms]
    if not parts:
        return f"{begins} 𝟎"
    parts[0] = parts[0].removeprefix("+ ")
    return _in_lines(begins, parts, sizes, "")


def _in_lines(begins: str, parts: list[str], sizes: list[float], glue: str) -> str:
    """Parts after what a formula begins with, as many on each line as it has room."""
    lines: list[list[str]] = [[]]
    filled = 0.0
    for part, size in zip(parts, sizes, strict=True):
        if lines[-1] and filled + size > WIDE:
            lines.append([])
            filled = 0.0
        lines[-1].append(part)
        filled += size
    joined = [f"{glue} ".join(line) for line in lines]
    if len(joined) == 1:
        return f"{begins} {joined[0]}"
    inside = rf"{glue} \\ & ".join(joined)
    return rf"\begin{{split}} {begins} & {inside} \end{{split}}"


def _moment(term: Term) -> Term:
    """The moment that goes with a force."""
    return term._replace(letter=MOMENTS[term.letter])


def _term(term: Term, body: str) -> str:
    sign = "+" if term.sign > 0 else "-"
    index = rf"_{{{_word(term.name)}}}" if term.name else ""
    weight = rf"m_{{{body}}}\,\mathbf{{g}}{index}"
    if term.letter == "g":
        return f"{sign} {weight}"
    if term.letter == "r x g":
        return rf"{sign} \mathbf{{r}}_{{{body}}} \times {weight}"
    return rf"{sign} \mathbf{{{term.letter}}}{index}"


def _system_equation(laws: BodyLaws) -> list[str]:
    loads = r" + A(q)^{\mathsf{T}} \lambda" if laws.constraints else ""
    named = laws.speeds[:NAMED]
    names = [_word(name) for name in named]
    names[0] = f"({names[0]}"
    names[-1] += r",\, \ldots)" if len(laws.speeds) > NAMED else ")"
    sizes = [2.0 + len(name) for name in named]
    rows = r",\quad A(q)\,\dot{z} = \gamma(q, z)" if laws.constraints else ""
    motion = rf"M(q)\,\dot{{z}} + b(q, z) = f(q, z){loads}{rows}"
    return [motion, _in_lines("z =", names, sizes, r",\,")]


def _word(name: str) -> str:
    """A name as a word of a formula, without what LaTeX would take for its own."""
    plain = " ".join(STRANGE.sub(" ", name).split())
    return rf"\text{{{plain or '?'}}}"


# ------------------------------------------------------------------------- text


def _texts(law: BodyLaw) -> list[str]:
    """The same in plain text."""
    forces = " ".join(map(_plain, law.terms)).removeprefix("+ ") or "0"
    lines = [f"pdot[{law.body}] = {forces}"]
    if law.kind != "particle":
        moments = " ".join(_plain(_moment(term)) for term in law.terms)
        lines.append(f"Ldot[{law.body}] = {moments.removeprefix('+ ') or '0'}")
    return lines


def _plain(term: Term) -> str:
    sign = "+" if term.sign > 0 else "-"
    index = f"[{term.name}]" if term.name else ""
    weights = {"g": f"m g{index}", "r x g": f"r x m g{index}"}
    return f"{sign} {weights.get(term.letter, term.letter + index)}"


def _list_words(laws: BodyLaws) -> str:
    more = ", ..." if len(laws.speeds) > NAMED else ""
    return ", ".join(laws.speeds[:NAMED]) + more
