"""Every problem of the manual by its name, in the order of the manual."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from polhode.verification.problem import Problem, Source

CHAPTERS = {
    "pendulums": "Pendulums",
    "free_rotation": "Free rotation",
    "tops": "Tops and gyroscopes",
    "orbits": "Orbits and spacecraft",
    "rolling": "Rolling and sliding",
    "vibrations": "Vibrations and stability",
    "sliding": "Sliding, falling and struck bodies",
    "contact": "Contact, friction and impact",
    "machines": "Machines and mechanisms",
    "linkages": "Linkages, gears and suspensions",
    "rocking": "Rocking, swinging and circling bodies",
    "spacecraft": "Spacecraft with rotors and tethers",
    "driven": "Rotors, shaken supports, fields and media",
    "overconstrained": "Overconstrained linkages",
    "central_forces": "Central forces, beats and a curve",
    "squeezer": "The squeezing mechanism",
}


def _chapter(name: str) -> ModuleType:
    return import_module(f"polhode.verification.problems.{name}")


def problems_of(chapter: str) -> list[Problem]:
    """The problems of a chapter, as they stand in its file."""
    return [x for x in vars(_chapter(chapter)).values() if isinstance(x, Problem)]


def _collected() -> dict[str, Problem]:
    every = [problem for chapter in CHAPTERS for problem in problems_of(chapter)]
    found = {problem.name: problem for problem in every}
    if len(found) < len(every):
        names = [problem.name for problem in every]
        twice = sorted({name for name in names if names.count(name) > 1})
        raise ValueError(f"problems with one name: {', '.join(twice)}")
    return found


PROBLEMS: dict[str, Problem] = _collected()


def sources() -> tuple[Source, ...]:
    """Every publication that a problem is from, once."""
    return tuple(dict.fromkeys(problem.source for problem in PROBLEMS.values()))
