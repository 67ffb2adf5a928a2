"""The attacks: what they call is there, and each kind can be tried."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

from source_tree import ROOT

MODULES = sorted(path.stem for path in (ROOT / "attacks").glob("*.py"))
SOAK = "soak"  # a try is a minute


@pytest.fixture(scope="module")
def attacks():
    sys.path.insert(0, str(ROOT))
    yield importlib.import_module("attacks.register").ATTACKS
    sys.path.remove(str(ROOT))


def test_every_attack_is_there_to_be_run(attacks):
    """They use inner names, which no other test would miss after a renaming."""
    for module in MODULES:
        importlib.import_module(f"attacks.{module}")
    names = [attack.name for attack in attacks]
    assert len({*names}) == len(names) >= 60
    assert all(attack.tries > 0 for attack in attacks)


@pytest.mark.long
def test_every_attack_holds_twice(attacks):
    """Two tries a kind: that its fault can still be made, and does no harm."""
    for attack in attacks:
        if not attack.name.startswith(SOAK):
            command = [sys.executable, "-m", "attacks", "--exactly", attack.name]
            found = subprocess.run(
                [*command, "--tries", "2"], cwd=ROOT, capture_output=True, text=True
            )
            assert found.returncode == 0, found.stdout + found.stderr
