"""Shapes that bodies bring along: in stills, and on pages."""

from __future__ import annotations

import json

import numpy as np
import pytest

import polhode as ph
from polhode.show.drawing.render import drawing_of
from polhode.show.drawing.scene import scene_of
from polhode.show.drawing.surface import Surface, ellipsoid_surface
from polhode.show.drawing.visual import MOST, surfaces_of_shapes, thin_out
from polhode.show.page.data import page_data

TETRAHEDRON = """v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
f 1 3 2
f 1 2 4
f 2 3 4
f 1 4 3
"""
RED = (1.0, 0.0, 0.0, 0.5)


@pytest.fixture
def mesh(tmp_path):
    path = tmp_path / "tip.obj"
    path.write_text(TETRAHEDRON)
    return path


def pendulum(shapes):
    """A bar with shapes, and a second without mass and without any."""
    bar = ph.Body("bar", ph.solids.rod(mass=1, length=1), shapes=shapes)
    end = ph.Body.from_inertia("end", mass=0.0, inertia=(0, 0, 0))
    hinge = ph.Revolute("hinge", ph.World().origin, bar.point(0, 0, 0.5), axis=ph.Y)
    weld = ph.Fixed("weld", bar.point(0, 0, -0.5), end.origin)
    return ph.System([hinge, weld], [ph.Weight(9.81)])


def motion_of(system):
    return ph.simulate(system, system.state(hinge=0.5), until=0.1)


def test_a_mesh_file_is_placed_scaled_and_mirrored(mesh):
    """Corners by scale, axes and place; a mirror keeps triangles facing outwards."""
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    shape = ph.Shape(
        "mesh file", {"path": mesh}, place=(1, 2, 3), axes=turn, scale=(2, -3, 4)
    )
    (surface,) = surfaces_of_shapes([shape])
    low, high = surface.corners.min(axis=0), surface.corners.max(axis=0)
    np.testing.assert_allclose(low, [1, 2, 3], atol=1e-12)
    np.testing.assert_allclose(high, [4, 4, 7], atol=1e-12)
    a, b, c = np.moveaxis(surface.corners[surface.triangles], 1, 0)
    volume = np.sum(a * np.cross(b, c)) / 6
    assert volume == pytest.approx(2 * 3 * 4 / 6)


def test_only_shapes_are_seen_where_there_are_any(mesh):
    """The bar in its own colour; what has no shape, no joints and no arms are drawn."""
    box = ph.Shape("box", {"x": 0.1, "y": 0.1, "z": 1.0}, colour=RED)
    motion = motion_of(pendulum([box]))
    drawing = drawing_of(motion)
    assert drawing.scene.is_clad
    assert set(map(tuple, drawing.paints[0])) == {RED}
    assert np.ptp(drawing.triangles[1].reshape(-1, 3), axis=0).max() == 0.0
    assert drawing.scene.joints == drawing.arms == ()
    motion.picture(at=0.0)  # a point without extent hurts nobody


def test_a_page_has_the_colours_of_shapes():
    """Each surface its own, none where the body's serves."""
    box = ph.Shape("box", {"x": 0.1, "y": 0.1, "z": 1.0}, colour=RED)
    ball = ph.Shape("sphere", {"radius": 0.1}, place=(0, 0, -0.5))
    scene = scene_of(motion_of(pendulum([box, ball])), 5)
    surfaces = json.loads(page_data([scene], []))["stages"][0]["bodies"][0]["surfaces"]
    assert [s["colour"] for s in surfaces] == [list(RED), None]


def test_bodies_without_shapes_are_seen_as_before():
    """Matter has its own surface, and massless links are dots."""
    scene = scene_of(motion_of(pendulum([])), 5)
    assert not scene.is_clad
    assert scene.joints
    assert np.ptp(scene.bodies[1].surfaces[0].corners, axis=0).max() > 0


def test_a_mesh_that_cannot_be_read_is_told_and_the_matter_is_seen(tmp_path):
    """A picture is drawn all the same."""
    path = tmp_path / "bad.stl"
    path.write_text("solid nothing")
    system = pendulum([ph.Shape("mesh file", {"path": tmp_path / "none.stl"})])
    motion = motion_of(system)
    with pytest.warns(UserWarning, match=r"the mesh 'none\.stl' is not shown"):
        scene = scene_of(motion, 5)
    assert len(scene.bodies[0].surfaces[0].corners) > 3


def test_thinning_keeps_the_form():
    """Fewer triangles, the same extent and nearly the same volume."""
    fine = ellipsoid_surface(1, 2, 3)
    for _ in range(2):  # each triangle into four
        a, b, c = np.moveaxis(fine.corners[fine.triangles], 1, 0)
        ab, bc, ca = (a + b) / 2, (b + c) / 2, (c + a) / 2
        four = [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
        corners = np.concatenate([np.stack(each, axis=1) for each in four])
        triangles = np.arange(3 * len(corners)).reshape(-1, 3)
        fine = Surface(corners.reshape(-1, 3), triangles)
    thin = thin_out(fine)
    assert len(fine.triangles) > MOST >= len(thin.triangles) > MOST // 10

    def volume(surface):
        a, b, c = np.moveaxis(surface.corners[surface.triangles], 1, 0)
        return np.sum(a * np.cross(b, c)) / 6

    assert volume(thin) == pytest.approx(volume(fine), rel=0.05)
    np.testing.assert_allclose(np.ptp(thin.corners, axis=0), [2, 4, 6], rtol=0.05)


def test_colours_and_units_of_collada_are_taken(tmp_path):
    """Centimetres and a red material, as a modeller wrote them."""
    pytest.importorskip("collada", reason="pycollada, which reads DAE, is missing")
    path = tmp_path / "tip.dae"
    path.write_text(COLLADA)
    (surface,) = surfaces_of_shapes([ph.Shape("mesh file", {"path": path})])
    np.testing.assert_allclose(surface.corners.max(axis=0), [0.01, 0.01, 0.0])
    assert surface.colour[:3] == pytest.approx((1.0, 0.0, 0.0), abs=0.01)


COLLADA = """<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
 <asset><unit name="centimeter" meter="0.01"/><up_axis>Z_UP</up_axis></asset>
 <library_effects><effect id="e"><profile_COMMON><technique sid="t"><phong>
  <diffuse><color>1 0 0 1</color></diffuse></phong></technique></profile_COMMON>
 </effect></library_effects>
 <library_materials><material id="m"><instance_effect url="#e"/></material>
 </library_materials>
 <library_geometries><geometry id="g"><mesh>
  <source id="p"><float_array id="a" count="9">0 0 0 1 0 0 0 1 0</float_array>
   <technique_common><accessor source="#a" count="3" stride="3">
    <param name="X" type="float"/><param name="Y" type="float"/>
    <param name="Z" type="float"/></accessor></technique_common></source>
  <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
  <triangles count="1" material="red">
   <input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles>
 </mesh></geometry></library_geometries>
 <library_visual_scenes><visual_scene id="s"><node>
  <instance_geometry url="#g"><bind_material><technique_common>
   <instance_material symbol="red" target="#m"/></technique_common></bind_material>
  </instance_geometry></node></visual_scene></library_visual_scenes>
 <scene><instance_visual_scene url="#s"/></scene>
</COLLADA>
"""
