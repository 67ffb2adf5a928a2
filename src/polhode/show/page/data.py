"""The numbers of a page: a scene and its curves as JSON, arrays as base64."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.geometry.rotations.quaternion import from_matrix
from polhode.show.drawing.globes import graticule
from polhode.show.drawing.render import extremes
from polhode.show.drawing.scene import Drawn, Scene
from polhode.show.plots.palette import ARROWS, colour, dark_tones
from polhode.show.plots.quantities import series_of

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory

HULL = 1500  # places by which a camera is set up
ROUND_ELLIPSOIDS = 1.35
SECONDS = 20.0  # a motion is replayed faster or slower if it lasts much longer or less


def page_data(scenes: Sequence[Scene], plots: list[dict[str, Any]]) -> str:
    """All numbers as JSON that may stand in a script element.

    Scenes side by side are seen from as far, and their arrows have one scale.
    """
    stages = [_stage(scene) for scene in scenes]
    for word in ("size", "azimuth", "pace"):
        whole = max(stage[word] for stage in stages)
        for stage in stages:
            stage[word] = stages[0][word] if word == "azimuth" else whole
    _share_scales(stages)
    data = {"stages": stages, "plots": plots, "tones": dark_tones()}
    text = json.dumps(data, allow_nan=False, ensure_ascii=True)
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _stage(scene: Scene) -> dict[str, Any]:
    return {
        "times": _pack(scene.times, "<f8"),
        "middle": _list(scene.middle),
        "size": scene.size,
        "coil": scene.coil,
        "hull": _pack(_hull(scene)),
        "azimuth": _azimuth(scene),
        "pace": _pace(scene.times),
        "floor": None if scene.floor is None else scene.floor - scene.middle[2],
        "drift": None if scene.drift is None else _pack(scene.drift, "<f8"),
        "bodies": [_body(body, k, scene) for k, body in enumerate(scene.bodies)],
        "joints": [_glyph(glyph) for glyph in scene.joints],
        "links": [{**x._asdict(), "points": _list(x.points)} for x in scene.links],
        "strands": [_strand(each, scene) for each in scene.strands],
        "globes": [_globe(each) for each in scene.globes],
        "arrows": [_arrows(kind, scene) for kind in scene.arrows],
        "friction": ARROWS["friction"],
        "rolls": _rolls(scene),
        "rollings": [_rolling(each) for each in scene.rollings],
    }


def _share_scales(stages: list[dict[str, Any]]) -> None:
    kinds = [kind for stage in stages for kind in stage["arrows"]]
    for kind in kinds:
        alike = [other["scale"] for other in kinds if other["kind"] == kind["kind"]]
        kind["scale"] = min(alike)


def _strand(strand: Any, scene: Scene) -> dict[str, Any]:
    points = _pack(strand.points - scene.middle)
    return {**strand._asdict(), "points": points, "count": strand.points.shape[1]}


def _globe(globe: Any) -> dict[str, Any]:
    lines = [_pack(line) for line in graticule(globe)]
    return {**globe._asdict(), "centre": _list(globe.centre), "lines": lines}


def _pack(array: Any, kind: str = "<f4") -> str:
    whole = np.ascontiguousarray(array, dtype=kind)
    return base64.b64encode(whole.tobytes()).decode("ascii")


def _list(array: Any) -> Any:
    return np.asarray(array, float).tolist()


def _body(body: Drawn, k: int, scene: Scene) -> dict[str, Any]:
    quaternions = from_matrix(body.rotations)
    track = np.concatenate([quaternions, body.origins - scene.middle], axis=1)
    surfaces = [
        {
            "corners": _pack(surface.corners),
            "triangles": _pack(surface.triangles, "<u4"),
            "hole": surface.is_hole,
            "colour": surface.colour,
        }
        for surface in body.surfaces
    ]
    return {
        "name": body.name,
        "mass": body.mass,
        "centre": _list(body.centre),
        "colour": colour(k),
        "surfaces": surfaces,
        "track": _pack(track),
    }


def _glyph(glyph: Any) -> dict[str, Any]:
    plain = {key: _list(getattr(glyph, key)) for key in ("at", "reach")}
    return {**glyph._asdict(), **plain, "axes": _list(glyph.axes.T)}


def _arrows(kind: Any, scene: Scene) -> dict[str, Any]:
    arrows = [
        {
            "name": arrow.name,
            "cone": arrow.cone,
            "tails": _pack(arrow.tails - scene.middle),
            "vectors": _pack(arrow.vectors),
        }
        for arrow in kind.arrows
    ]
    shown = kind.kind == "angular momentum" and _rolls(scene)
    shown = shown or kind.kind in ("push", "friction", "friction couple")
    return {
        **kind._asdict(),
        "arrows": arrows,
        "colour": ARROWS[kind.kind],
        "shown": shown,
    }


def _rolling(each: Any) -> dict[str, Any]:
    return {
        "body": each.body,
        "corners": _pack(each.surface.corners),
        "triangles": _pack(each.surface.triangles, "<u4"),
        "polhode": _pack(each.polhode),
        "herpolhode": _pack(each.herpolhode),
        "plane": _plane(each),
    }


def _plane(each: Any) -> dict[str, Any] | None:
    if each.normal is None:
        return None
    across = each.herpolhode - each.distance * each.normal
    half = 1.25 * float(np.max(np.linalg.norm(across, axis=1)))
    half = max(half, 0.4 * float(np.max(np.abs(each.surface.corners))))
    return {"normal": _list(each.normal), "distance": each.distance, "half": half}


def _hull(scene: Scene) -> np.ndarray:
    """Places (k, 3) that a camera must hold, from the middle."""
    places = [part for body in scene.bodies for part in (extremes(body), body.path)]
    places += [strand.points.reshape(-1, 3) for strand in scene.strands]
    places += scene.moorings
    for globe in scene.globes:
        path = scene.bodies[globe.body].path if globe.body >= 0 else globe.centre[None]
        ball = np.concatenate(graticule(globe))[::7]
        places.append((path[:: max(len(path) // 8, 1), None] + ball).reshape(-1, 3))
    found = np.concatenate(places) - scene.middle
    # Ellipsoids and their planes go round the bodies.
    wider = ROUND_ELLIPSOIDS if _rolls(scene) else 1.0
    return wider * found[:: max(len(found) // HULL, 1)]


def _rolls(scene: Scene) -> bool:
    """Whether a body moves without torques, so that its ellipsoid rolls on a plane."""
    return any(each.normal is not None for each in scene.rollings)


def _azimuth(scene: Scene) -> float:
    """From where it is seen: across a plane motion, else over a corner."""
    paths = np.concatenate([body.path for body in scene.bodies])
    x, y, _ = np.ptp(paths, axis=0)
    if y < 0.2 * x:
        return float(np.radians(-68))
    return float(np.radians(22 if x < 0.2 * y else -52))


def _pace(times: np.ndarray) -> float:
    """Seconds of the motion for one of the replay, at the speed 1."""
    span = abs(float(times[-1] - times[0]))
    if SECONDS / 20 <= span <= 3 * SECONDS or span == 0:
        return 1.0
    return span / SECONDS


# ------------------------------------------------------------------------ curves


def plots_of(
    motions: Sequence[tuple[Trajectory, Trajectory]], names: Sequence[str] | None
) -> list[dict[str, Any]]:
    """The curves that were asked for, by the names of `show.quantities`.

    Of motions and their frames. Without a wish they are those of three joints and the
    energy. Curves of one unit share a plot; those of a second motion are dashed.
    """
    plots: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    asked = (names,) if isinstance(names, str) else names
    usual = _usual(motions[0][1]) if asked is None else asked
    for stage, (motion, rows) in enumerate(motions):
        known = set(_usual(rows)) if asked is None else set(usual)
        for name in usual:
            if stage and name not in known:
                continue  # another system has other joints
            source = motion if name in ("ledger", "balance") else rows
            for number, each in enumerate(series_of(source, name)):
                group = plots.setdefault((name, each.panel, each.unit), [])
                tint = number if stage else len(group)
                word = f"{each.label} ({stage + 1})" if len(motions) > 1 else each.label
                made = {**_curve(each, rows.t, tint), "name": word, "stage": stage}
                group.append(made)
    hits = sorted({hit.t for hit in motions[0][0].contacts.impacts})
    return [
        {"title": f"{name} [{unit}]" if unit else name, "series": series, "marks": hits}
        for (name, _, unit), series in plots.items()
    ]


def _usual(rows: Trajectory) -> list[str]:
    moving = [j for j in rows.system.joints if j.coordinates]
    names = [j.name if j.coordinates == j.speeds else f"{j.name}.speed" for j in moving]
    rests = [f"{support.name}.push" for support in rows.system.supports]
    return [*names[:3], *(rests[:2] if rows.contacts else ()), "energy"]


def _curve(series: Any, times: np.ndarray, k: int) -> dict[str, Any]:
    """A series at the times of the frames."""
    sign = 1.0 if times[-1] >= times[0] else -1.0
    values = np.interp(sign * times, sign * series.t, series.values)
    packed = _pack(values)
    return {
        "name": series.label,
        "unit": series.unit,
        "values": packed,
        "colour": colour(k),
    }
