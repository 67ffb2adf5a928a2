"""Robots as they are: broken inertias, links without mass, prefixes, meshes, xacro."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import polhode as ph
from polhode.errors import ModelError, ModelFileError
from polhode.matter.validity import nearest_physical, require_physical


def inertial(mass, moments, products=(0, 0, 0)):
    (xx, yy, zz), (xy, xz, yz) = moments, products
    return (
        f'<inertial><mass value="{mass}"/><inertia ixx="{xx}" iyy="{yy}" izz="{zz}"'
        f' ixy="{xy}" ixz="{xz}" iyz="{yz}"/></inertial>'
    )


SOUND = inertial(2, (0.1, 0.1, 0.1))


def joint(name, parent, child, kind="revolute", more=""):
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/>'
        f'<child link="{child}"/><axis xyz="0 1 0"/>{more}</joint>'
    )


def loaded(tmp_path, body, **more):
    path = tmp_path / "robot.urdf"
    path.write_text(f'<robot name="r">\n{body}\n</robot>\n')
    return ph.load_urdf(path, **more)


def arm(own):
    return (
        f'<link name="base"/><link name="one">{own}</link>'
        f'<link name="two">{SOUND}</link>'
        + joint("a", "base", "one")
        + joint("b", "one", "two", more='<origin xyz="0 0 0.5"/>')
    )


def moments_of(model, name="one"):
    return next(b for b in model.system.bodies if b.name == name).moments()


@given(
    st.tuples(*[st.floats(-1, 1)] * 6).filter(lambda x: max(map(abs, x)) > 1e-3),
    st.tuples(*[st.floats(-1, 1)] * 3),
)
def test_the_nearest_physical_inertia_is_physical_and_none_is_nearer(six, spreads):
    """A projection on a convex cone: the angle to any other member is not acute."""
    xx, yy, zz, yz, zx, xy = six
    broken = np.array([[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]])
    near = nearest_physical(broken)
    require_physical(1.0, near, who="it")
    S = np.diag(np.abs(spreads))
    other = np.trace(S) * np.eye(3) - S
    assert np.sum((broken - near) * (other - near)) <= 1e-9


def test_rounding_is_put_right_silently(tmp_path):
    """Moments of -2e-22, and sums that miss in the seventh digit, are not told."""
    for own in (
        inertial(1.3, (0, 0, 0), (0, 2.4e-35, 0)),
        inertial(2, (0.1, 0.1, 0.2000001)),
        inertial(2, (-2e-22, 0.1, 0.1)),
    ):
        model = loaded(tmp_path, arm(own))
        assert not [n for n in model.notes if "principal moments" in n]


def test_a_real_break_is_noted_by_link_with_what_is_used(tmp_path):
    """(1, 1, 5) breaks the triangle inequality: (2, 2, 4) is the nearest that holds."""
    model = loaded(tmp_path, arm(inertial(2, (0.1, 0.1, 0.5))))
    note = (
        "link 'one' has principal moments (0.1, 0.1, 0.5) kg m^2, one above the sum of"
        " the others: (0.2, 0.2, 0.4) are used"
    )
    assert note in model.notes
    np.testing.assert_allclose(np.diag(moments_of(model).inertia), [0.2, 0.2, 0.4])


def test_a_break_can_be_refused_or_kept(tmp_path):
    """`refuse` raises by line and link; `keep` takes the numbers, and a file too."""
    body = arm(inertial(2, (0.1, 0.1, 0.5)))
    with pytest.raises(ModelFileError, match="'one' cannot have principal moments"):
        loaded(tmp_path, body, unphysical="refuse")
    model = loaded(tmp_path, body, unphysical="keep")
    np.testing.assert_array_equal(np.diag(moments_of(model).inertia), [0.1, 0.1, 0.5])
    ph.save_model(model.system, tmp_path / "kept.toml")
    again = ph.load_model(tmp_path / "kept.toml")
    np.testing.assert_array_equal(np.diag(moments_of(again).inertia), [0.1, 0.1, 0.5])
    with pytest.raises(ModelError, match="unphysical='keeep'"):
        loaded(tmp_path, body, unphysical="keeep")


def test_moments_without_mass_are_taken_and_told(tmp_path):
    """They resist turning, as little mass far out does."""
    model = loaded(tmp_path, arm(inertial(0, (0.3, 0.3, 0.3))))
    assert any("'one' has principal moments" in n for n in model.notes)
    M = model.system.mass_matrix(0.0, model.system.neutral())
    two = moments_of(model, "two")
    expected = 0.3 + 0.1 + two.mass * 0.5**2
    assert M[0, 0] == pytest.approx(expected)
    with pytest.raises(ModelFileError, match="and no mass"):
        loaded(tmp_path, arm(inertial(0, (0.3, 0.3, 0.3))), unphysical="refuse")


def test_a_joint_that_carries_no_mass_is_fixed_and_told(tmp_path):
    """A finger of empty links has no motion of its own; what has mass moves on."""
    empty = '<link name="tip"/><link name="nail"/>'
    body = arm(SOUND) + empty + joint("c", "two", "tip") + joint("d", "tip", "nail")
    model = loaded(tmp_path, body)
    assert model.system.speeds == 2
    assert sum("it is fixed" in note for note in model.notes) == 2


def test_a_follower_finds_its_driver_by_its_own_prefix(tmp_path):
    """'L_b' that follows 'a' follows 'L_a'; without one such joint it is refused."""
    links = "".join(f'<link name="{n}">{SOUND}</link>' for n in "pqrst")
    both = "".join(
        joint(f"{side}_a", "p", near)
        + joint(f"{side}_b", near, far, more='<mimic joint="a" multiplier="2"/>')
        for side, near, far in (("L", "q", "r"), ("R", "s", "t"))
    )
    model = loaded(tmp_path, links + both)
    drivers = [gear.driver.name for gear in model.system.given.constraints]
    assert drivers == ["L_a", "R_a"]
    assert any("'L_a' is taken, by its prefix" in note for note in model.notes)
    with pytest.raises(ModelFileError, match="there is no joint 'x' to follow"):
        loaded(tmp_path, links + both.replace('joint="a"', 'joint="x"'))


def test_a_follower_of_a_fixed_joint_is_told(tmp_path):
    """A reduced robot keeps its mimics; there is nothing left to follow."""
    more = '<mimic joint="b"/>'
    body = arm(SOUND).replace('"b" type="revolute"', '"b" type="fixed"')
    body += f'<link name="three">{SOUND}</link>' + joint("c", "two", "three", more=more)
    model = loaded(tmp_path, body)
    assert any("does not follow 'b': 'b' is fixed" in note for note in model.notes)


def test_limits_the_wrong_way_round_are_none(tmp_path):
    """Some simulators write a free joint so; it is told."""
    more = '<limit lower="1" upper="-1" effort="0" velocity="0"/>'
    body = f'<link name="base"/><link name="one">{SOUND}</link>'
    model = loaded(tmp_path, body + joint("a", "base", "one", more=more))
    assert np.all(np.isinf(model.system.joints[-1].limits))
    assert any("lower limit 1 above its upper one -1" in n for n in model.notes)


def test_a_xacro_is_told_plainly(tmp_path):
    """It writes URDF and is none; the command that expands it is said."""
    body = '<xacro:include filename="x"/>' + arm(SOUND)
    body = body.replace("<xacro", '<a xmlns:xacro="u"/><xacro', 1)
    with pytest.raises(ModelFileError, match=r"xacro robot\.urdf > robot\.urdf"):
        loaded(tmp_path, body)


CUBE = """v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
f 1 3 2
f 1 2 4
f 2 3 4
f 1 4 3
"""


def visual(geometry, more=""):
    return f"<visual>{more}<geometry>{geometry}</geometry></visual>"


def test_shapes_and_materials_go_with_the_links(tmp_path):
    """Primitives, a mesh by its package, and colours by name; a lost mesh is told."""
    (tmp_path / "arm" / "meshes").mkdir(parents=True)
    (tmp_path / "arm" / "meshes" / "tip.obj").write_text(CUBE)
    own = SOUND + "".join(
        [
            visual('<box size="1 2 3"/>', '<material name="red"/>'),
            visual('<cylinder radius="0.1" length="2"/>', '<origin xyz="0 0 1"/>'),
            visual('<mesh filename="package://arm/meshes/tip.obj" scale="2 2 2"/>'),
            visual('<mesh filename="package://arm/meshes/lost.stl"/>'),
        ]
    )
    red = '<material name="red"><color rgba="1 0 0 1"/></material>'
    folder = tmp_path / "robots"
    folder.mkdir()
    model = loaded(folder, red + arm(own), packages=[tmp_path])
    shapes = next(b for b in model.system.bodies if b.name == "one").shapes
    assert [s.kind for s in shapes] == ["box", "cylinder", "mesh file"]
    assert shapes[0].colour == (1.0, 0.0, 0.0, 1.0)
    assert shapes[1].place.tolist() == [0.0, 0.0, 1.0]
    assert shapes[2].sizes["path"] == tmp_path / "arm" / "meshes" / "tip.obj"
    assert any(note.startswith("1 mesh is not found") for note in model.notes)


def test_a_broken_shape_does_not_stop_a_robot(tmp_path):
    """Nothing moves otherwise without it; its line is told."""
    model = loaded(tmp_path, arm(SOUND + visual('<box size="1 2"/>')))
    assert any("a shape is not shown: line 2" in note for note in model.notes)


def test_what_is_no_shape_is_refused_by_body():
    """Sizes by kind, and numbers that are extents."""
    with pytest.raises(ModelError, match="there is no shape 'cube'"):
        ph.Shape("cube", {"x": 1})
    with pytest.raises(ModelError, match="the radius of a sphere cannot be -1"):
        ph.Shape("sphere", {"radius": -1})
    with pytest.raises(ModelError, match="'rod' cannot be shown as 'box'"):
        ph.Body("rod", ph.solids.rod(mass=1, length=1), shapes=["box"])


LIMITED = '<limit lower="-3" upper="3" effort="9" velocity="9"/></joint>'
# Of Pinocchio 4.1.
MASS = [
    [0.7198045239727812, 0.1088635628666001],
    [0.1088635628666001, 0.30000000000000004],
]
TORQUE = [-6.057006753851197, -3.8024193021713892]
PLACE, SPEED, RATE = np.array([[0.3, -0.6], [0.1, 0.2], [1.0, -1.0]])


def broken(tmp_path):
    """An arm of a link that breaks the triangle inequality, its numbers kept."""
    body = arm(inertial(2, (0.1, 0.1, 0.5)) + visual('<box size="1 1 1"/>'))
    body = body.replace("</joint>", LIMITED)
    off = '<origin xyz="0.1 0.2 -0.3" rpy="0.4 0.5 0.6"/>'
    body = body.replace("<inertial>", f"<inertial>{off}")
    return loaded(tmp_path, body, unphysical="keep").system


def answers(system):
    form, state = ph.recursive(system), ph.State(system, 0.0, PLACE, SPEED)
    return form.mass_matrix(state), form.inverse_dynamics(state, RATE)


def test_kept_inertias_are_those_of_pinocchio(tmp_path):
    """Mass matrix and inverse dynamics of a link as it is written, to 1e-12."""
    pin = pytest.importorskip("pinocchio", reason="the peer Pinocchio is missing")
    M, tau = answers(broken(tmp_path))
    peer = pin.buildModelFromUrdf(str(tmp_path / "robot.urdf"))
    peer.gravity.linear = np.array([0, 0, -9.81])
    data = peer.createData()
    found = pin.rnea(peer, data, PLACE, SPEED, RATE)
    np.testing.assert_allclose(tau, found, rtol=1e-12)
    np.testing.assert_allclose(np.triu(M), np.triu(pin.crba(peer, data, PLACE)), 1e-12)


def test_kept_inertias_are_those_recorded_from_pinocchio(tmp_path):
    """The same numbers as Pinocchio 4.1 gave, without it."""
    M, tau = answers(broken(tmp_path))
    np.testing.assert_allclose(M, MASS, rtol=1e-12)
    np.testing.assert_allclose(tau, TORQUE, rtol=1e-12)
