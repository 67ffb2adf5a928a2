"""Robots in URDF: what is taken, what is noted, what is refused."""

from __future__ import annotations

import re

import numpy as np
import pytest

import polhode as ph
from polhode.errors import ModelError, ModelFileError, UnsafeFile
from robots import ROBOTS, text_of

INERTIAL = (
    '<inertial><mass value="2"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1"'
    ' iyz="0" izz="0.1"/></inertial>'
)


def loaded(tmp_path, body, **more):
    """The robot with these elements, each on a line."""
    path = tmp_path / "robot.urdf"
    path.write_text(f'<robot name="r">\n{body}\n</robot>\n')
    return ph.load_urdf(path, **more)


def links(*names):
    return "\n".join(f'<link name="{name}">{INERTIAL}</link>' for name in names)


def joint(name, parent, child, kind="revolute", more=""):
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/>'
        f'<child link="{child}"/><axis xyz="0 1 0"/>{more}</joint>'
    )


def test_limits_damping_and_mimics_are_taken(tmp_path):
    """Numbers of the file are those of the joint, its damper and its gear."""
    more = (
        '<origin xyz="0 0 1"/><limit lower="-1" upper="2" effort="5" velocity="3"/>'
        '<dynamics damping="0.7" friction="0.1"/>'
    )
    follow = '<mimic joint="a" multiplier="-2" offset="0.5"/>'
    body = "\n".join(
        [
            links("base", "one", "two"),
            joint("a", "base", "one", more=more),
            joint("b", "one", "two", more=follow),
        ]
    )
    model = loaded(tmp_path, body)
    system = model.system
    held = {j.name: j for j in system.joints}
    assert held["a"].limits[1].tolist() == [2.0]
    assert held["a"].effort_limits[0].tolist() == [-5.0]
    assert system.parameters["a.damping"] == 0.7
    gear = system.given.constraints[0]
    assert (gear.ratio.value, gear.offset.value) == (-2.0, 0.5)
    assert any("limits of speed" in note for note in model.notes)
    assert any("dry friction of joint 'a'" in note for note in model.notes)


def test_roll_pitch_and_yaw_turn_about_the_parent_axes(tmp_path):
    """R = Rz(yaw) Ry(pitch) Rx(roll): x goes where yaw after pitch puts it."""
    more = '<origin xyz="1 2 3" rpy="0.3 0.4 0.5"/>'
    body = links("base", "one") + joint("a", "base", "one", more=more)
    system = loaded(tmp_path, body).system
    poses = system.poses(0.0, system.neutral())
    place = [b.name for b in system.bodies].index("one")
    np.testing.assert_allclose(poses.origins[place], [1, 2, 3])
    c, s = np.cos, np.sin
    x = [c(0.5) * c(0.4), s(0.5) * c(0.4), -s(0.4)]
    z = poses.rotations[place] @ [0.0, 0.0, 1.0]
    np.testing.assert_allclose(poses.rotations[place] @ [1.0, 0.0, 0.0], x)
    assert z[2] == pytest.approx(c(0.4) * c(0.3))


def test_the_base_is_fixed_or_free(tmp_path):
    """Six freedoms more where nothing holds the root."""
    body = links("base", "one") + joint("a", "base", "one")
    assert loaded(tmp_path, body).system.speeds == 1
    assert loaded(tmp_path, body, base="free").system.speeds == 7
    with pytest.raises(ModelError, match="cannot be held by base='fre'"):
        loaded(tmp_path, body, base="fre")


@pytest.mark.parametrize("name", ROBOTS)
def test_a_robot_can_be_written_as_a_model_file(name, tmp_path):
    """From URDF to TOML and back: the same inertia at the same place."""
    path = tmp_path / "robot.urdf"
    path.write_text(text_of(name))
    system = ph.load_urdf(path).system
    ph.save_model(system, tmp_path / "robot.toml")
    again = ph.load_model(tmp_path / "robot.toml").system
    q = system.local(system.neutral(), np.linspace(-1, 1, system.speeds))
    np.testing.assert_allclose(
        again.mass_matrix(0.0, q), system.mass_matrix(0.0, q), rtol=1e-12, atol=1e-14
    )


def test_two_parents_are_refused_by_name(tmp_path):
    """A link that two joints place is told with both parents."""
    body = "\n".join(
        [
            links("base", "one", "two"),
            joint("a", "base", "one"),
            joint("b", "base", "two"),
            joint("c", "one", "two"),
        ]
    )
    with pytest.raises(ModelError) as refused:
        loaded(tmp_path, body)
    assert refused.value.what == (
        "'robot.urdf' is no tree: link 'two' has two parents, 'base' and 'one'."
    )
    assert refused.value.code == "MODEL"


def test_a_cycle_without_the_world_is_named(tmp_path):
    """Links that place each other in a ring are told in order."""
    body = "\n".join(
        [
            links("base", "a", "b", "c"),
            joint("1", "a", "b"),
            joint("2", "b", "c"),
            joint("3", "c", "a"),
        ]
    )
    with pytest.raises(ModelError) as refused:
        loaded(tmp_path, body)
    assert "'a' -> 'b' -> 'c' -> 'a' is a cycle with no path to the world" in str(
        refused.value
    )
    assert refused.value.code == "MODEL"


def test_a_robot_that_cannot_move_is_told_so(tmp_path):
    """All joints fixed and the root fixed, too: there is no motion."""
    body = links("base", "one") + joint("a", "base", "one", "fixed")
    with pytest.raises(ModelError, match="does not move: all its joints are fixed"):
        loaded(tmp_path, body)
    assert loaded(tmp_path, body, base="free").system.speeds == 6


def test_joints_of_links_without_mass_are_the_reason_that_is_told(tmp_path):
    """The types of the joints are right: it is the mass that is missing."""
    body = "<link name='base'/><link name='one'/>" + joint("a", "base", "one")
    with pytest.raises(ModelError, match="nothing that its 1 joints carry has mass"):
        loaded(tmp_path, body)


def test_two_roots_are_refused(tmp_path):
    """Parts that nothing joins are not one robot."""
    with pytest.raises(ModelError, match="has 2 roots: 'a', 'b'"):
        loaded(tmp_path, links("a", "b"))


WHOLE = {
    "two parents": links("base", "one", "two")
    + joint("a", "base", "one")
    + "\n"
    + joint("b", "base", "two")
    + joint("c", "one", "two"),
    "a cycle": links("base", "a", "b") + joint("1", "a", "b") + joint("2", "b", "a"),
    "two roots": links("a", "b"),
    "nothing moves": links("base", "one") + joint("a", "base", "one", "fixed"),
    "nothing has mass": "<link name='base'/>\n<link name='one'/>"
    + joint("a", "base", "one"),
    "no link": joint("a", "base", "one"),
    "no root": links("a", "b") + joint("1", "a", "b") + joint("2", "b", "a"),
    "a link of its own": links("a", "b") + joint("1", "a", "b") + joint("2", "b", "b"),
    "a name of another": links("base", "one", "base") + joint("a", "base", "one"),
    "an unknown parent": links("base", "one") + joint("a", "bse", "one"),
    "a joint without axis": links("base", "one")
    + joint("a", "base", "one").replace("0 1 0", "0 0 0"),
}


@pytest.mark.parametrize("case", WHOLE)
def test_every_refusal_has_its_line(tmp_path, case):
    """Also what only the robot as a whole is refused for."""
    with pytest.raises(ModelError) as refused:
        loaded(tmp_path, WHOLE[case])
    spots = [int(n) for n in re.findall(r"line (\d+), column \d+", str(refused.value))]
    assert spots
    count = len((tmp_path / "robot.urdf").read_text().splitlines())
    assert all(1 <= line <= count for line in spots)


def test_a_link_with_two_parents_is_told_with_the_lines_of_both_joints(tmp_path):
    """What must be taken out is one of them."""
    with pytest.raises(ModelError) as refused:
        loaded(tmp_path, WHOLE["two parents"])
    lines = (tmp_path / "robot.urdf").read_text().splitlines()
    found = re.findall(
        r"line (\d+), column (\d+): <joint name='(\w)'>", str(refused.value)
    )
    assert {name for _, _, name in found} >= {"b", "c"}
    for line, column, name in found:
        tag = lines[int(line) - 1][int(column) - 1 :]
        assert tag.startswith("<joint")
        assert f"{name}" in tag[:20]


def test_all_errors_of_a_robot_are_told_at_once(tmp_path):
    """Lines, words and the nearest names."""
    bad = INERTIAL.replace('value="2"', 'value="heavy"')
    body = "\n".join(
        [
            '<link name="base"/>',
            f'<link name="one">{bad}</link>',
            joint("a", "bse", "one", kind="revolut"),
            joint("b", "base", "one", more='<origin xyz="1 2"/>'),
        ]
    )
    with pytest.raises(ModelFileError) as refused:
        loaded(tmp_path, body)
    text = str(refused.value)
    assert "line 4, column 1: joint 'a' has the type 'revolut'. Did you mean" in text
    assert "there is no link 'bse'. Did you mean 'base'?" in text
    body = body.replace("bse", "base").replace('"revolut"', '"fixed"')
    body = body.replace(joint("a", "base", "one", kind="fixed"), "")
    with pytest.raises(ModelFileError) as refused:
        loaded(tmp_path, body)
    text = str(refused.value)
    assert "value is no finite number: 'heavy'" in text
    assert "xyz has 2 numbers, not 3" in text


@pytest.mark.parametrize("text", ["1_0", "0x10", "nan", "1e400", "1,5", "1f", "."])
def test_what_only_python_reads_as_a_number_is_refused(tmp_path, text):
    """Ten is not 1_0: other programs stop there, or read one."""
    link = f'<link name="one"><inertial><mass value="{text}"/></inertial></link>'
    with pytest.raises(ModelFileError, match="value is no finite number"):
        loaded(tmp_path, f'<link name="base"/>{link}' + joint("a", "base", "one"))


BOMB = """<?xml version="1.0"?>
<!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
<robot name="&b;"/>
"""
OUTSIDE = """<?xml version="1.0"?>
<!DOCTYPE r SYSTEM "file:///etc/passwd">
<robot name="r"/>
"""


@pytest.mark.parametrize("text", [BOMB, OUTSIDE], ids=["laughs", "outside"])
def test_entities_are_refused_for_safety(tmp_path, text):
    """No document type is read: nothing grows, nothing outside is opened."""
    path = tmp_path / "robot.urdf"
    path.write_text(text)
    with pytest.raises(UnsafeFile, match=r"document type .line 2, column") as refused:
        ph.load_urdf(path)
    assert refused.value.code == "SEC"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("<robot", "line 1, column 1: this is no XML"),
        ("<robot></robt>", "mismatched tag"),
        ("<sdf/>", "<sdf> is no <robot>"),
        ("<robot/>", "the robot has no <link>"),
        ("<a>" * 100_000, "more than 24 levels"),
        ('<robot><link name="a" name="b"/></robot>', "duplicate attribute"),
    ],
)
def test_what_is_no_robot_is_refused_by_line(tmp_path, text, words):
    """Empty, cut, crossed, other and deep files each have their sentence."""
    path = tmp_path / "robot.urdf"
    path.write_text(text)
    with pytest.raises(ModelFileError) as refused:
        ph.load_urdf(path)
    assert words in str(refused.value)
