"""Start-up is a feature: nothing heavy is imported before it is used."""

from __future__ import annotations

import resource
import subprocess
import sys

import pytest

from source_tree import package

HEAVY = ("jax", "sympy", "scipy", "matplotlib", "xarray", "trimesh", "llvmlite")
MODELLING = ("geometry", "matter", "joints", "constraints", "actions")


def heavy_after(statement: str) -> list[str]:
    """Heavy libraries that a fresh Python has imported after a statement."""
    code = f"""
import sys
{statement}
print("HEAVY", *(name for name in {HEAVY} if name in sys.modules))
"""
    run = [sys.executable, "-c", code]
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-1].split()[1:]


def test_import_polhode_is_light():
    """`import polhode` imports nothing heavy."""
    assert heavy_after("import polhode") == []


def test_help_is_light():
    """`polhode --help` imports nothing heavy."""
    statement = """
from polhode.cli import main
try:
    main(["--help"])
except SystemExit:
    pass
"""
    assert heavy_after(statement) == []


@pytest.mark.parametrize("room", MODELLING)
def test_rooms_of_modelling_are_light(room):
    """Bodies, points and forces are made without importing JAX."""
    modules = [source.module for source in package() if source.room == room]
    assert heavy_after(f"import {', '.join(modules) or 'polhode'}") == []


def test_a_heavy_import_would_be_seen():
    """The test sees what it looks for."""
    assert "llvmlite" in heavy_after("import llvmlite")


def test_help_answers_at_once():
    """`polhode --help` takes little more than Python itself.

    The aim is 0.2 s. A busy machine is allowed three times that, of processor time and
    not of the clock; an import that should be lazy costs more.
    """

    def seconds(*words: str) -> float:
        best = float("inf")
        for _ in range(5):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([sys.executable, *words], capture_output=True, check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            best = min(best, used)
        return best

    helping = "from polhode.cli import main; main(['--help'])"
    assert seconds("-c", helping) - seconds("-c", "pass") < 0.6
