"""Shapes of URDF links: boxes, cylinders, spheres, meshes, and their colours."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from polhode.files.report import Report
from polhode.files.robots.packages import find
from polhode.files.robots.urdf_numbers import Robot, number_of, numbers_of, pose_of
from polhode.files.robots.xml_tree import Element
from polhode.matter.shape import Shape

FORMATS = (".stl", ".obj", ".dae", ".ply", ".off", ".glb", ".gltf")


def colours_of(robot: Robot, top: Element) -> dict[str, tuple[float, ...]]:
    """Colours by the names of the robot's materials, wherever they are written."""
    known: dict[str, tuple[float, ...]] = {}
    inner = [m for v in _visuals(top) for m in v.all("material")]
    for material in (*inner, *top.all("material")):
        colour = material.first("color")
        if colour is not None:
            rgba = numbers_of(robot, colour, "rgba", (0.7, 0.7, 0.7, 1.0))
            known[material.attributes.get("name", "")] = rgba
    return known


def shapes_of(robot: Robot, link: Element, word: str = "visual") -> tuple[Shape, ...]:
    """What the <visual> elements of a link show, or the <collision> ones touch with.

    What cannot be shown is noted: an error in a shape does not stop a robot.
    """
    made = []
    for visual in link.all(word):
        trial = replace(robot, report=Report(robot.report.path))
        shape = _shape(trial, visual)
        for issue in trial.report.issues:
            robot.notes.append(f"a shape is not shown: {issue.spot}: {issue.text}")
        if trial.is_sound and shape is not None:
            made.append(shape)
    return tuple(made)


def _shape(robot: Robot, visual: Element) -> Shape | None:
    geometry = visual.first("geometry")
    if geometry is None or not geometry.children:
        return None
    what = geometry.children[0]
    place, axes = pose_of(robot, visual.first("origin"))
    seat: dict[str, Any] = {
        "place": place,
        "axes": axes,
        "colour": _colour(robot, visual),
    }
    if what.tag == "mesh":
        return _mesh(robot, what, seat)
    if what.tag == "box":
        x, y, z = numbers_of(robot, what, "size", (0.0, 0.0, 0.0))
        sizes = {"x": x, "y": y, "z": z}
    elif what.tag == "sphere":
        sizes = {"radius": number_of(robot, what, "radius")}
    elif what.tag in ("cylinder", "capsule"):
        words = ("radius", "length")
        sizes = {word: number_of(robot, what, word) for word in words}
    else:
        robot.notes.append(f"a shape <{what.tag}> is not shown")
        return None
    return robot.built(visual, lambda: Shape(what.tag, sizes, **seat))


def _mesh(robot: Robot, mesh: Element, seat: dict[str, Any]) -> Shape | None:
    name = mesh.attributes.get("filename", "").strip()
    path = find(name, Path(robot.report.path).resolve().parent, robot.packages)
    if path is None:
        robot.lost_meshes.append(name)
        return None
    if path.suffix.lower() not in FORMATS:
        robot.notes.append(f"meshes of the kind {path.suffix!r} are not shown")
        return None
    scale = numbers_of(robot, mesh, "scale", (1.0, 1.0, 1.0))
    return robot.built(
        mesh, lambda: Shape("mesh file", {"path": path}, scale=scale, **seat)
    )


def _colour(robot: Robot, visual: Element) -> tuple[float, ...] | None:
    material = visual.first("material")
    if material is None:
        return None
    own = material.first("color")
    if own is not None:
        return numbers_of(robot, own, "rgba", (0.7, 0.7, 0.7, 1.0))
    return robot.colours.get(material.attributes.get("name", ""))


def _visuals(top: Element) -> list[Element]:
    return [visual for link in top.all("link") for visual in link.all("visual")]
