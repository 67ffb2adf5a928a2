"""Files of tests in the order of how long they took: the longest begin first.

A file stays in one process, since what it compiles serves all its tests. A long one
that begins last would keep one process busy while the others have nothing left to do.
Seconds are those of the last run on this machine, kept in `build`; where there was none
the files below come first.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

KEPT = Path(__file__).parents[2] / "build" / "file_seconds.json"
# Of a first run, longest first.
KNOWN = (
    "tests/laws/test_formulations_agree.py",
    "tests/house/test_documentation.py",
    "tests/integrate/methods/mechanical/test_moreau.py",
    "tests/laws/test_default_form.py",
    "tests/lowering/backends/test_cuda.py",
    "tests/lowering/rules/test_control.py",
    "tests/published/test_contact_motions.py",
    "tests/cli/test_commands.py",
    "tests/integrate/methods/mechanical/test_moreau_tables.py",
    "tests/lowering/test_random_programs.py",
    "tests/integrate/methods/test_every_method.py",
    "tests/integrate/host/test_admission.py",
    "tests/house/test_types.py",
    "tests/house/test_doctests.py",
    "tests/laws/test_prescribed_bodies.py",
    "tests/analyse/equilibria/test_steady_motion.py",
    "tests/laws/test_constants_of_laws.py",
)


def file_of(nodeid: str) -> str:
    return nodeid.partition("::")[0]


def known_seconds() -> dict[str, float]:
    """By file, what it took in the last run, or a place among the known ones."""
    try:
        return json.loads(KEPT.read_text())
    except (OSError, ValueError):
        return {name: float(len(KNOWN) - k) for k, name in enumerate(KNOWN)}


def put_longest_first(items: list[pytest.Item]) -> None:
    """Whole files by their seconds; the order within a file, and of equals, stays."""
    seconds = known_seconds()
    items.sort(key=lambda item: -seconds.get(file_of(item.nodeid), 0.0))


def seconds_of(reports: list[pytest.TestReport]) -> Counter[str]:
    """By file, the seconds of its tests with their set-up."""
    found: Counter[str] = Counter()
    for report in reports:
        found[file_of(report.nodeid)] += report.duration
    return found


def keep(seconds: Counter[str]) -> None:
    """Remember a run; files that were not in it keep what they had."""
    KEPT.parent.mkdir(parents=True, exist_ok=True)
    before = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    rounded = {name: round(each, 1) for name, each in seconds.items()}
    KEPT.write_text(json.dumps({**before, **rounded}, indent=1))
