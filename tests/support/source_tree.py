"""The source as a tree: rooms, modules, what imports what, and how long things are."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "polhode"

# A room imports only rooms before it. `models` and `verification` use the front of the
# house alone (`import polhode as ph`), and only the command line opens them.
ROOMS = (
    "lowering",
    "geometry",
    "matter",
    "joints",
    "constraints",
    "actions",
    "supports",
    "system",
    "formulation",
    "integrate",
    "analyse",
    "control",
    "formation",
    "files",
    "show",
    "scale",
    "models",
    "verification",
    "cli",
)
# Modules of the house itself; they import no room.
HALL = (
    "tracebacks",
    *("arrays", "dimension", "double", "errors", "version", "doors"),
    *("answer_table", "fingerprint", "output_file", "public"),
)

# Namespaces of the front of the house: tables of public names, loaded when asked for.
FRONT = (
    *("methods", "results", "theory", "formations", "goals", "gym", "space"),
    *("contact", "distributions", "functions", "questions"),
    *("machines", "marine", "vehicles"),
)

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Import:
    """One imported module, and the function whose body imports it ("" at the top)."""

    name: str
    inside: str
    line: int


@dataclass(frozen=True)
class Source:
    """A Python file, parsed when its tree is first asked for."""

    path: Path
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @property
    def place(self) -> str:
        """The path from the root of the project, for messages."""
        return self.path.relative_to(ROOT).as_posix()

    @property
    def module(self) -> str:
        """The dotted name, for files of the package."""
        parts = self.path.relative_to(PACKAGE.parent).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    @property
    def room(self) -> str:
        """The room that the file is in; a module of the hall is its own."""
        parts = self.module.split(".")
        return "" if len(parts) < 2 or parts[1] in FRONT else parts[1]

    def line(self, number: int) -> str:
        return self.text.splitlines()[number - 1]


@cache
def parsed(path: Path) -> Source:
    text = path.read_text(encoding="utf-8")
    return Source(path, text)


def package() -> list[Source]:
    """Every file of the package."""
    return [parsed(path) for path in sorted(PACKAGE.rglob("*.py"))]


def all_python() -> list[Source]:
    """Every Python file of the project."""
    folders = ("src", "tests", "benchmarks", "examples")
    paths = [p for folder in folders for p in sorted((ROOT / folder).rglob("*.py"))]
    return [parsed(path) for path in paths]


def imports(source: Source) -> list[Import]:
    """All imports of a file, those inside functions included."""
    return [*_imports(source.tree, "")]


def _imports(node: ast.AST, inside: str) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            for alias in child.names:
                yield Import(alias.name, inside, child.lineno)
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0, f"a relative import in line {child.lineno}"
            for alias in child.names:
                yield Import(f"{child.module}.{alias.name}", inside, child.lineno)
        elif isinstance(child, Function | ast.ClassDef):
            within = f"{inside}.{child.name}" if inside else child.name
            yield from _imports(child, within)
        elif isinstance(child, ast.If) and _for_types(child):
            yield from _imports(child, "TYPE_CHECKING")
        else:
            yield from _imports(child, inside)


def _for_types(node: ast.If) -> bool:
    """Whether only a type checker goes in; nothing is imported when the code runs."""
    return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def functions(tree: ast.AST) -> list[Function]:
    return [node for node in ast.walk(tree) if isinstance(node, Function)]


def classes(tree: ast.AST) -> list[ast.ClassDef]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]


def methods(owner: ast.ClassDef) -> list[Function]:
    return [node for node in owner.body if isinstance(node, Function)]


def body_lines(function: Function) -> int:
    """Lines of the body, without the docstring."""
    body = function.body
    if ast.get_docstring(function) is not None:
        body = body[1:]
    return body[-1].end_lineno - body[0].lineno + 1 if body else 0


def positional(function: Function) -> int:
    """Parameters that may be given by place, less self or cls."""
    names = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
    return len(names) - (names[:1] in (["self"], ["cls"]))
