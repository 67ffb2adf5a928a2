"""What docstrings and comments put in backticks is the name of something."""

from __future__ import annotations

import ast
import io
import re
import tokenize

from source_tree import ROOT, package

QUOTED = re.compile(r"`([A-Za-z_][A-Za-z_0-9./]*)`")
# Of other libraries, of C, of files, and examples of printed names.
ELSEWHERE = {
    *("scipy.signal.StateSpace", "concurrent.futures", "jax.pure_callback"),
    *("concurrent.futures.Executor", "traceback.print_exc", "with"),
    *(
        "modelDescription.xml",
        "buildDescription.xml",
        "arm/meshes/hand.stl",
        "sweep.nc",
    ),
    *("qpos", "qvel", "XLA_FFI_CallFrame", "c_api.h", "arm_step"),
    *("z_rod", "z_rod1", "z_rod2", "end_dot", "enddot", "xddot", "thetadot_1"),
    *("thetaddot_1",),
}


def names_of(tree: ast.AST) -> set[str]:
    """All that a module calls anything."""
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                found.add(name)
            case ast.keyword(arg=str(name)):
                found.add(name)
            case ast.alias(name=name):
                found.update(name.split("."))
            case ast.Constant(value=str(text)) if len(text) < 40:
                found.add(text)
    return found


def prose(text: str, tree: ast.AST) -> list[str]:
    """Docstrings and comments of a module."""
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef
    own = [ast.get_docstring(n) or "" for n in ast.walk(tree) if isinstance(n, kinds)]
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return own + [token.string for token in tokens if token.type == tokenize.COMMENT]


def test_names_in_backticks_exist():
    """After a change of names no sentence leads nowhere."""
    known = set().union(*(names_of(source.tree) for source in package()))
    for source in package():
        known.update(source.path.with_suffix("").parts)
    astray = []
    for source in package():
        text = source.path.read_text(encoding="utf-8")
        for word in QUOTED.findall("\n".join(prose(text, source.tree))):
            is_place = word.endswith(".py") and (ROOT / word).exists()
            parts = [p for p in re.split(r"[./]", word) if p not in ("", "py", "ph")]
            if not is_place and word not in ELSEWHERE and not known >= {*parts}:
                astray.append(f"{source.place}: {word}")
    assert not astray, "\n".join(astray)
