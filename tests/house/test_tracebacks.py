"""What is printed of a refusal ends at the user's own line."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

import polhode as ph
from polhode.public.elsewhere import ATTRIBUTES

SCRIPT = """
import polhode as ph

def build():
    rod = ph.Body("rod", ph.solids.rod(mass=1, length=1))
    return ph.System([ph.Revolute("hinge", ph.World().origin, rod.origin, axis=ph.Y)])

build().state(hing=1.0)
"""


def printed(tmp_path, script, **environment):
    import os

    path = tmp_path / "script.py"
    path.write_text(script)
    own = {**os.environ, **environment}
    done = subprocess.run(
        [sys.executable, path], capture_output=True, text=True, env=own, check=False
    )
    return done.stderr


def test_inner_frames_are_left_out(tmp_path):
    """One frame of the script, none of the package; all of them when asked for."""
    short = printed(tmp_path, SCRIPT)
    assert short.count("File ") == 1
    assert "build().state(hing=1.0)" in short
    assert "Did you mean 'hinge'" in short
    assert "state.py" in printed(tmp_path, SCRIPT, POLHODE_TRACEBACK="full")


def test_other_errors_are_printed_as_they_were(tmp_path):
    """A bug of Python's own keeps all its frames."""
    script = "import polhode\n\n\ndef f():\n    return 1 / 0\n\n\nf()\n"
    assert printed(tmp_path, script).count("File ") == 2


@pytest.mark.parametrize(
    ("name", "here"),
    [
        ("Hinge", "ph.Revolute"),
        ("BallJoint", "ph.Spherical"),
        ("Gravity", "ph.Weight"),
        ("animate", "motion.show"),
        ("tyre", "ph.vehicles.Tyre"),
        ("ReactionWheel", "ph.space.wheel_cluster"),
    ],
)
def test_names_of_other_tools_point_at_ours(name, here):
    """The error says what it is called here."""
    with pytest.raises(AttributeError, match=f"{name!r}; it is {here}"):
        getattr(ph, name)


def test_every_name_that_is_pointed_at_exists():
    """No pointer leads nowhere, and none hides a name of ours."""
    from polhode import PUBLIC
    from polhode.public.elsewhere import ELSEWHERE

    for name, words in ELSEWHERE.items():
        assert name not in PUBLIC
        for place in re.findall(r"ph\.[\w.]*\w", words):
            found = ph
            for part in place.split(".")[1:]:
                found = getattr(found, part)


def test_attributes_of_other_tools_point_at_ours():
    """What a noun does not have is told with its place, and no pointer hides ours."""
    system = ph.models.pendulum()
    motion = ph.simulate(system, system.state(hinge=1.0), until=0.5)
    linear = ph.linearise(system)
    cart = ph.models.cart_pendulum()
    response = ph.linearise(cart, inputs=["push"]).response([1.0])
    nouns = {
        "Trajectory": motion,
        "BodyMotion": motion["rod"],
        "Linear": linear,
        "Response": response,
        "System": system,
        "Equations": ph.lagrange(system),
        "State": motion.final,
        "Body": system["rod"],
        "World": ph.World(),
    }
    assert set(nouns) == set(ATTRIBUTES)
    for kind, noun in nouns.items():
        for word, place in ATTRIBUTES[kind].items():
            with pytest.raises(AttributeError, match=re.escape(f"it is {place} here")):
                getattr(noun, word)
