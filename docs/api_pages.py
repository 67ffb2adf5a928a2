"""A page for each room with every public name in it: signature, docstring, arguments.

Docstrings are set as they are written: their equations and figures are plain text.
"""

from __future__ import annotations

import inspect
import re
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from api_arguments import Callee, arguments, explanation, is_named, public_paths

import polhode

NAMESPACES = polhode.NAMESPACES
MODULES = ("models", "solids", "surfaces")  # public modules, a page each
WIDE = 72  # letters of a signature on one line
ROOMS = {
    "lowering": "The compiler",
    "geometry": "Geometry",
    "matter": "Matter",
    "joints": "Joints",
    "constraints": "Constraints",
    "actions": "Actions",
    "supports": "Supports",
    "system": "Systems",
    "formulation": "Formulations",
    "integrate": "Motions",
    "analyse": "Questions",
    "control": "Control",
    "formation": "Formations",
    "show": "Pictures",
    "files": "Files",
    "scale": "Many runs",
    "errors": "Errors",
    "solids": "ph.solids: bodies by shape and density",
    "surfaces": "ph.surfaces: surfaces that touch",
    "functions": "ph.functions: functions of parameters",
    "contact": "ph.contact: laws of contact and friction",
    "machines": "ph.machines: machine elements",
    "vehicles": "ph.vehicles: tyres, roads, steering",
    "marine": "ph.marine: marine craft",
    "space": "ph.space: spacecraft",
    "formations": "ph.formations: formations of spacecraft",
    "methods": "ph.methods: methods of integration",
    "goals": "ph.goals: goals of a motion",
    "distributions": "ph.distributions: what ensembles are drawn from",
    "questions": "ph.questions: further questions",
    "results": "ph.results: types of answers",
    "theory": "ph.theory: frames, twists, wrenches, definitions",
    "gym": "ph.gym: environments of Gymnasium",
    "models": "ph.models: the gallery",
}


def write_api(folder: Path) -> None:
    """Write index.md and a page a room."""
    folder.mkdir(parents=True, exist_ok=True)
    rooms: dict[str, list[str]] = {}
    for name, module in polhode.PUBLIC.items():
        if name not in NAMESPACES:
            rooms.setdefault(room_of(name, module), []).append(name)
    for space in NAMESPACES:
        names = import_module(f"polhode.{space}").HOMES
        rooms[space] = [f"{space}.{name}" for name in names]
    for room, names in rooms.items():
        parts = [f"# {title(room)}\n", *(entry(name) for name in sorted(names))]
        (folder / f"{room}.md").write_text("\n".join(parts), encoding="utf-8")
    listed = "\n".join(room for room in sorted(rooms, key=place))
    text = (
        "# All public names\n\n"
        "Every name is `ph.name`, or `ph.namespace.name`, after\n"
        "`import polhode as ph`.\n\n"
        f"```{{toctree}}\n:maxdepth: 2\n\n{listed}\n```\n"
    )
    (folder / "index.md").write_text(text, encoding="utf-8")


def room_of(name: str, module: str) -> str:
    """The room that a name is of."""
    return name if name in MODULES else module.split(".")[1]


def place(room: str) -> int:
    """Where a room is in the list."""
    return list(ROOMS).index(room) if room in ROOMS else len(ROOMS)


def title(room: str) -> str:
    """What a room is called."""
    return ROOMS.get(room, room.capitalize())


def entry(name: str) -> str:
    """One name: signature, docstring, arguments, links, and what it answers."""
    value: Any = polhode
    for word in name.split("."):
        value = getattr(value, word)
    parts = [f"({label(name)})=", f"## {name}\n"]
    parts.append(fenced(f"ph.{name}{signature(value)}", "python"))
    text = inspect.getdoc(documented(value)) or ""
    callee = Callee(name, getattr(value, "__module__", ""), value)
    parts += [fenced(text), told_arguments(callee), links(name, text)]
    if inspect.isclass(value):
        parts += [method(callee, word) for word in own(value)]
    if isinstance(value, ModuleType):
        parts += [member(name, value, word) for word in exported(value)]
    return "\n".join(part for part in parts if part)


def label(name: str) -> str:
    """The target of a name; sphinx takes no notice of capitals, so they are marked."""
    return "api-" + re.sub(
        "[A-Z]", lambda m: f"-{m[0].lower()}", name.replace(".", "-")
    )


def told_arguments(callee: Callee) -> str:
    """A line for each argument that the docstring does not name."""
    text = inspect.getdoc(callee.value) or ""
    lines = [
        f"- `{name}`: {explanation(callee, name)}"
        for name in (arguments(callee.value) if callable(callee.value) else [])
        if not is_named(name, text)
    ]
    return "\n".join([*lines, ""]) if lines else ""


def links(name: str, text: str) -> str:
    """The public names that a docstring mentions, each with its page."""
    said = dict.fromkeys(re.findall(r"\bph\.([A-Za-z_]+(?:\.[A-Za-z_]+)?)", text))
    plain = re.findall(r"`([A-Z][A-Za-z]+)`", text)
    found = [*said, *(by_last_word()[word] for word in plain if word in by_last_word())]
    known = [n for n in dict.fromkeys(found) if n in targets() and n != name]
    if not known:
        return ""
    return "See " + ", ".join(f"[ph.{n}](#{label(n)})" for n in known) + ".\n"


@cache
def targets() -> frozenset[str]:
    """All names that have an entry."""
    return frozenset(public_paths())


@cache
def by_last_word() -> dict[str, str]:
    """Public names by their last word."""
    return {name.rpartition(".")[2]: name for name in public_paths()}


def documented(value: Any) -> Any:
    """What has the docstring: the thing, or the type of a constant."""
    named = inspect.isclass(value) or inspect.isroutine(value)
    return value if named or isinstance(value, ModuleType) else type(value)


def signature(value: Any) -> str:
    """Its parameters, where it has any; over several lines where one is too long."""
    if isinstance(value, ModuleType):
        return ""
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return ""
    if inspect.isclass(value):
        found = found.replace(return_annotation=inspect.Signature.empty)
    plain = re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(found))
    if len(plain) <= WIDE:
        return plain
    words = [re.sub(r": '([^']*)'", r": \1", str(p)) for p in found.parameters.values()]
    kinds = [p.kind for p in found.parameters.values()]
    if inspect.Parameter.KEYWORD_ONLY in kinds:
        first = kinds.index(inspect.Parameter.KEYWORD_ONLY)
        if inspect.Parameter.VAR_POSITIONAL not in kinds:
            words.insert(first, "*")
    end = plain.rpartition(")")[2]
    return "(\n" + "".join(f"    {word},\n" for word in words) + ")" + end


def own(value: type) -> list[str]:
    """Public methods and properties that a class defines."""
    kinds = (property, staticmethod, classmethod)
    return [
        word
        for word, what in vars(value).items()
        if not word.startswith("_")
        if inspect.isfunction(what) or isinstance(what, kinds)
    ]


def method(owner: Callee, word: str) -> str:
    """A property in a line; a method with its signature, docstring and arguments."""
    what = inspect.getattr_static(owner.value, word)
    if isinstance(what, property):
        return lined(word, inspect.getdoc(what) or "")
    function = what.__func__ if isinstance(what, staticmethod | classmethod) else what
    found = Callee(f"{owner.path}.{word}", owner.module, function)
    return detailed(found, word)


def detailed(callee: Callee, shown: str) -> str:
    """A function under the heading of another: in a line, if it takes nothing."""
    text = inspect.getdoc(callee.value) or ""
    if not arguments(callee.value):
        return lined(f"{shown}()", text)
    bare = re.sub(r"\(\s*self(, |,\n    |,?\s*(?=\)))", "(", signature(callee.value))
    parts = [fenced(f"{shown}{bare}", "python"), fenced(text), told_arguments(callee)]
    return "\n".join(part for part in parts if part)


def lined(shown: str, text: str) -> str:
    """A name and the first line of its docstring."""
    line = text.partition("\n")[0]
    return f"- `{shown}`: `{line}`\n" if "`" not in line else f"- `{shown}`: {line}\n"


def exported(module: ModuleType) -> list[str]:
    """The public functions of a module that is itself a public name."""
    names = getattr(module, "__all__", None) or vars(module)
    return [n for n in names if inspect.isroutine(getattr(module, n, None))]


def member(name: str, module: ModuleType, word: str) -> str:
    """A function of a public module."""
    value = getattr(module, word)
    home = getattr(value, "__module__", "")
    return detailed(Callee(f"{name}.{word}", home, value), f"ph.{name}.{word}")


def fenced(text: str, kind: str = "text") -> str:
    """Text as it is."""
    return f"````{kind}\n{text}\n````\n" if text else ""
