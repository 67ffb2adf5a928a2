"""Tests lie where their subject lies: `tests/<room>/<drawer>/test_<file>.py`.

A law about several modules lies in the folder of their room or drawer, under a name
that no module of the room has.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from source_tree import PACKAGE, ROOT

TESTS = ROOT / "tests"


def rooms() -> list[Path]:
    """The folders of tests that are named after a room."""
    return [f for f in sorted(TESTS.iterdir()) if (PACKAGE / f.name).is_dir()]


def drawers(room: str) -> dict[str, set[Path]]:
    """module -> the folders of a room in which one of that name lies."""
    found: dict[str, set[Path]] = defaultdict(set)
    for path in (PACKAGE / room).rglob("*.py"):
        found[path.stem].add(path.parent.relative_to(PACKAGE))
    return found


def misplaced(room: Path, tests: Path = TESTS) -> list[str]:
    """Tests of a module that do not lie where it lies, or in no drawer at all."""
    known, found = drawers(room.name), []
    for path in sorted(room.rglob("test_*.py")):
        here = path.parent.relative_to(tests)
        own = known.get(path.stem.removeprefix("test_"), {here})
        if here not in own or not (PACKAGE / here).is_dir():
            found.append(f"{path.relative_to(tests)}: {sorted(map(str, own))}")
    return found


def test_tests_mirror_the_source():
    """Who changes a file finds its test without a search, and the other way."""
    found = [line for room in rooms() for line in misplaced(room)]
    assert not found, "\n".join(found)


def test_a_test_in_a_wrong_folder_is_seen(tmp_path):
    """That of a module of another drawer, and one in a folder that is no drawer."""
    room = tmp_path / "integrate"
    for name in ("kernel/test_packing.py", "host/test_packing.py", "odd/test_law.py"):
        (room / name).parent.mkdir(parents=True)
        (room / name).touch()
    found = misplaced(room, tests=tmp_path)
    assert [line.partition(":")[0] for line in found] == [
        "integrate/host/test_packing.py",
        "integrate/odd/test_law.py",
    ]
