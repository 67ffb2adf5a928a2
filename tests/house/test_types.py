"""Editors and type checkers know every public name, and find a user's mistakes."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest

import polhode
from source_tree import ROOT, package
from stubs import FOLDER, stubs

USER = """
import numpy as np
import polhode as ph

arm = ph.Body("arm", ph.solids.rod(mass=1.0, length=1.0))
before = ph.World().origin
hinge = ph.Revolute("hinge", before, arm.origin, axis=(1, 0, 0))
before = arm.point(0, 0, 1)
system = ph.System([hinge], [ph.Weight(9.81), ph.Motor(hinge, ph.Parameter("M", 1.0))])
start = system.state({"hinge": 0.3})
motion = ph.simulate(system, start, until=2.0, method=ph.methods.DormandPrince())
reveal_type(motion)
reveal_type(ph.simulate(system, [start, start], until=2.0))
reveal_type(ph.methods.DormandPrince())
ph.simulate(system, start, until=2.0, samples=np.linspace(0, 2, 5))
"""
MISTAKES = """
ph.simulate(system, start, untl=2.0)
ph.simulate(system, start, until="soon")
ph.Body(3.0, ph.solids.rod(mass=1.0, length=1.0))
ph.methods.DormandPrice()
ph.Revolutte
"""


@pytest.mark.parametrize("path", stubs(), ids=lambda path: path.name)
def test_a_stub_names_what_the_table_names(path):
    """`make format` writes them anew."""
    assert path.read_text("utf-8") == stubs()[path]


# Parts of all parameters that may be annotated `Any`: what may really be anything.
UNTYPED = 0.15


def test_parameters_say_what_is_passed():
    """`Any` alone, among all parameters of functions; none is without annotation."""
    written = [
        place.annotation
        for source in package()
        for node in ast.walk(source.tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for place in ast.walk(node.args)
        if isinstance(place, ast.arg) and place.arg not in ("self", "cls")
        if not is_of_lambda(place, node)
    ]
    assert None not in written
    untyped = [a for a in written if isinstance(a, ast.Name) and a.id == "Any"]
    assert len(untyped) < UNTYPED * len(written)


def is_of_lambda(place: ast.arg, function: ast.AST) -> bool:
    """Whether an argument is one of a lambda among the defaults of a function."""
    own = function.args
    named = [*own.posonlyargs, *own.args, *own.kwonlyargs, own.vararg, own.kwarg]
    return not any(place is each for each in named)


def test_the_package_says_that_it_is_typed():
    """`py.typed` lies in the package, and `dir` shows the public names."""
    assert (FOLDER / "py.typed").is_file()
    assert set(polhode.PUBLIC) <= set(dir(polhode))


def test_a_checker_finds_a_users_mistakes_and_nothing_else(tmp_path):
    """A script under `mypy --strict`, with five mistakes at its end."""
    script = tmp_path / "script.py"
    script.write_text(USER + MISTAKES)
    found = subprocess.run(
        [
            *(sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent"),
            *("--config-file=", f"--cache-dir={ROOT / '.mypy_cache' / 'user'}"),
            "--disable-error-code=import-untyped",
            str(script),
        ],
        capture_output=True,
        text=True,
        env={"MYPYPATH": str(FOLDER.parent), "PATH": ""},
        check=False,
    )
    # By its name: a warm cache replays what it said of the same script elsewhere.
    lines = [line for line in found.stdout.splitlines() if f"/{script.name}:" in line]
    told = [line.split(": ", 1) for line in lines]
    revealed = [text for _, text in told if "Revealed" in text]
    assert [text.split('"')[1].rpartition(".")[2] for text in revealed] == [
        "Trajectory",
        "Motions",
        "DormandPrince",
    ], found.stdout
    wrong = {int(place.rsplit(":", 1)[1]) for place, text in told if "error" in text}
    first = USER.count("\n") + 2
    assert wrong == set(range(first, first + 5)), found.stdout
