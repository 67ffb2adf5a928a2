"""Every element of machines, vehicles, space and the sea is tried, told and written.

Each has a test, a page, and a place in model files; that each is seen in pictures is in
`tests/files/test_machines.py` and `tests/show/drawing/`.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import polhode as ph
from polhode.files.kinds import ACTIONS, CONSTRAINTS, SUPPORTS

ROOT = Path(__file__).parents[2]
ROOMS = ("machines", "vehicles", "space", "marine")
# Not of a kind of its own in model files, and where it is said there.
WITHIN = {
    "Pulley": "a stop of a rope",
    "flywheel": "a joint and a body",
    "ackermann_angles": "a number",
    "submerged": "matter of a body",
    "with_added_mass": "matter of a body",
    **dict.fromkeys(("LinearTyre", "FialaTyre", "MagicFormula"), "the law of a tyre"),
    **dict.fromkeys(("ExponentialAtmosphere", "TableAtmosphere", "EARTH_AIR"), "air"),
    **dict.fromkeys(("DipoleField", "HarmonicField", "EARTH_FIELD"), "a field"),
    **dict.fromkeys(
        ("FixedPlace", "KeplerianEphemeris", "MoonEphemeris", "TableEphemeris"),
        "an ephemeris",
    ),
    **dict.fromkeys(("EARTH", "MOON", "SUN", "Planet"), "numbers of an action"),
    **dict.fromkeys(
        ("gravity_coefficients", "magnetic_coefficients", "sunlit_fraction"),
        "numbers of an action",
    ),
    **dict.fromkeys(
        (
            "Accelerometer",
            "Gyroscope",
            "StarTracker",
            "attitude_feedback",
            "detumbling",
            "momentum_dumping",
        ),
        "a law of a run, in Python",
    ),
    **dict.fromkeys(("WheelCluster", "pyramid", "wheel_cluster"), "wheel motors"),
    **dict.fromkeys(
        ("Epoch", "LocalFrame", "local_rate", "lvlh", "perifocal", "rotating", "rtn"),
        "a frame or a time, of answers",
    ),
}
# What a function returns, told with the function.
RETURNED = {"WheelCluster"}


def texts(folder: str, ending: str) -> str:
    """The text of all files of a folder, those of the house aside."""
    files = (ROOT / folder).rglob(f"*.{ending}")
    return "\n".join(p.read_text() for p in files if "house" not in p.parts)


ELEMENTS = [(room, name) for room in ROOMS for name in getattr(ph, room).__all__]


def has_word(name: str, text: str) -> bool:
    """Whether it stands there, not as a part of another."""
    return re.search(rf"\b{name}\b", text) is not None


@pytest.mark.parametrize("room", ROOMS)
def test_every_element_has_a_test_and_a_page(room):
    """By its name, in the tests of the rooms and in the pages for users."""
    tests, pages = texts("tests", "py"), texts("docs/how-to", "md")
    names = [name for name in getattr(ph, room).__all__ if name not in RETURNED]
    assert [name for name in names if not has_word(name, tests)] == []
    assert [name for name in names if not has_word(name, pages)] == []


def test_every_element_has_a_place_in_model_files():
    """A kind makes it, or it is said within one; the page of model files has both."""
    kinds = [k for known in (ACTIONS, CONSTRAINTS, SUPPORTS) for k in known.values()]
    made = {part.__name__ for k in kinds for part in (k.noun, k.make) if part}
    words = {kind.word for kind in kinds}
    missing = [
        name
        for _, name in ELEMENTS
        if name not in made and name not in words and name not in WITHIN
    ]
    assert missing == []
    page = (ROOT / "docs/model-files.md").read_text()
    assert [k.word for k in kinds if f"`{k.word}`" not in page] == []


def test_what_is_said_within_a_kind_is_there():
    """No exception outlives what it excepts."""
    assert set(WITHIN) <= {name for _, name in ELEMENTS}
