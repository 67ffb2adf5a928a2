"""Matter in files: solids, compounds, clouds, given moments, and the fluid round it."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import numpy as np

from polhode.errors import PolhodeError
from polhode.files.issues import Way, nearest
from polhode.files.loads import read_table
from polhode.files.scope import INVALID, Bad, Scope, Writer
from polhode.files.values import (
    DIRECTION,
    FLAG,
    MATRIX,
    NUMBER,
    QUANTITY,
    TEXT,
    THREE,
    Value,
    each,
    is_one_of,
    shorten,
    write_quantity,
)
from polhode.matter import solids
from polhode.matter.axes import X, Y, turn_to
from polhode.matter.cloud import Cloud
from polhode.matter.given import Given, given
from polhode.matter.solids import Compound, Solid
from polhode.matter.submerged import Submerged, submerged, with_added_mass

ROWS = {2: each(each(NUMBER, 2)), 3: each(each(NUMBER, 3))}
ARRAYS = {"corners": ROWS[3], "outline": ROWS[2]}
MADE_OTHERWISE = ("Compound", "Solid", "joined", "pierced", "placed", "mesh")
AMOUNT = {"mass": QUANTITY, "density": QUANTITY}
PLACE = {"shift": THREE, "turn": MATRIX, "cut": FLAG}
MESH = {
    "file": TEXT,
    "scale": NUMBER,
    "vertices": ROWS[3],
    "triangles": ROWS[3],
}


def _dimensions(shape: str) -> dict[str, Value]:
    names = inspect.signature(getattr(solids, shape)).parameters
    own = [n for n in names if n not in ("mass", "density", "along")]
    along = {"along": DIRECTION} if "along" in names else {}
    return {n: ARRAYS.get(n, QUANTITY) for n in own} | along


SHAPES: dict[str, dict[str, Value]] = {
    shape: _dimensions(shape) for shape in solids.__all__ if shape not in MADE_OTHERWISE
}
WORDS = (*SHAPES, "mesh", "joined", "cloud")
MOMENTS = {"mass": QUANTITY, "inertia": THREE, "products": THREE}
MOMENTS |= {"centre": THREE, "about": THREE, "allow_unphysical": FLAG}
CLOUD = {"masses": each(NUMBER), "positions": ROWS[3]}
FLUID = {"density": QUANTITY, "added": each(each(NUMBER, 6), 6)}


def read_matter(scope: Scope, path: Way, table: dict[str, Any]) -> Any:
    """The matter of a body or of a part of one."""
    solid = table.get("solid")
    if solid is None:
        return _read_given(scope, path, table)
    if solid == "joined":
        return _read_compound(scope, path, table)
    if solid == "cloud":
        values = {"solid": TEXT, "cut": FLAG, **CLOUD}
        found = read_table(scope, path, table, values, CLOUD)
        if isinstance(found, Bad):
            return INVALID
        args = found["masses"], found["positions"]
        return scope.built(path, lambda: Cloud(*args))
    if solid == "mesh":
        return _read_mesh(scope, path, table)
    if not is_one_of(solid, SHAPES):
        text = f"{shorten(solid)} is no solid. {nearest(solid, WORDS)}"
        scope.refuse((*path, "solid"), text)
        values = {**AMOUNT, **PLACE}  # what all solids have
        given = {name: table[name] for name in values if name in table}
        read_table(scope, path, given, values, ())
        return INVALID
    own = SHAPES[solid]
    values = {"solid": TEXT, **own, **AMOUNT, **PLACE}
    found = read_table(scope, path, table, values, [k for k in own if k != "along"])
    if isinstance(found, Bad):
        return INVALID
    return _placed(scope, path, found, getattr(solids, solid))


def _placed(scope: Scope, path: Way, found: dict[str, Any], make: Any) -> Any:
    own = {k: v for k, v in found.items() if k not in ("solid", *PLACE)}

    def built() -> Any:
        solid = make(**own)
        if "shift" not in found and "turn" not in found:
            return solid
        shift = found.get("shift", (0.0, 0.0, 0.0))
        return solids.placed(solid, shift, found.get("turn"))

    return scope.built(path, built)


def _read_given(scope: Scope, path: Way, table: dict[str, Any]) -> Any:
    values = {**MOMENTS, "cut": FLAG}
    if "mass" not in table and "inertia" not in table:
        text = 'no matter: give solid = "rod" or the like, or mass and inertia.'
        return scope.refuse(path, text)
    found = read_table(scope, path, table, values, ("mass", "inertia"))
    if isinstance(found, Bad):
        return INVALID
    inertia = found["inertia"]
    if "products" in found:
        (xx, yy, zz), (yz, zx, xy) = inertia, found["products"]
        inertia = [[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]]
    centre = found.get("centre", (0.0, 0.0, 0.0))
    who = repr(str(path[-1]))
    args = (found["mass"], inertia, centre, found.get("about"))
    allow = {"allow_unphysical": found.get("allow_unphysical", False)}
    return scope.built(path, lambda: given(*args, who=who, **allow))


def _read_compound(scope: Scope, path: Way, table: dict[str, Any]) -> Any:
    parts = table.get("parts")
    for key in table:
        if key not in ("solid", "parts", "cut"):
            known = nearest(key, ("parts",))
            scope.refuse((*path, key), f"unknown field. {known}")
    if not isinstance(parts, dict) or not parts:
        return scope.refuse((*path, "parts"), "a joined solid needs parts, by name.")
    found = []
    for name, part in parts.items():
        place = (*path, "parts", name)
        if not isinstance(part, dict):
            return scope.refuse(place, f"{shorten(part)} is no table of a solid.")
        sign = -1.0 if part.get("cut") is True else 1.0
        found.append((name, read_matter(scope, place, part), sign))
    if any(isinstance(part, Bad) for _, part, _ in found):
        return INVALID
    return Compound(tuple(found))


def _read_mesh(scope: Scope, path: Way, table: dict[str, Any]) -> Any:
    values = {"solid": TEXT, **MESH, **AMOUNT, **PLACE}
    found = read_table(scope, path, table, values, ())
    if isinstance(found, Bad):
        return INVALID
    source: Any = (found.pop("vertices", None), found.pop("triangles", None))
    if "file" in found:
        source = inner_path(scope, (*path, "file"), found.pop("file"))
        if isinstance(source, Bad):
            return INVALID
    else:
        source = source[0], np.asarray(source[1], dtype=float).astype(int)
    try:
        return _placed(scope, path, found, lambda **own: solids.mesh(source, **own))
    except (PolhodeError, ValueError, IndexError) as refused:
        return scope.refuse(path, f"no mesh: {refused}")


def inner_path(scope: Scope, path: Way, text: str) -> Any:
    """A path inside the folder of the model; anything else is refused."""
    folder = scope.folder.resolve()
    place = (folder / text).resolve()
    if Path(text).is_absolute() or not place.is_relative_to(folder):
        note = f"{text!r} leads out of the model's folder: files stay inside it."
        return scope.refuse(path, note, is_unsafe=True)
    if not place.is_file():
        return scope.refuse(path, f"there is no file {text!r} beside the model.")
    return place


def read_fluid(scope: Scope, path: Way, dry: Any, table: Any) -> Any:
    """The same matter with the added mass of { density = 1000 } round it."""
    hull = table.get("hull") if isinstance(table, dict) else None
    rest = (
        {k: v for k, v in table.items() if k != "hull"}
        if isinstance(table, dict)
        else table
    )
    found = read_table(scope, path, rest, FLUID, ())
    if hull and not isinstance(hull, dict):
        return scope.refuse((*path, "hull"), f"{shorten(hull)} is no table of a solid.")
    shape = read_matter(scope, (*path, "hull"), hull) if hull else None
    if any(isinstance(part, Bad) for part in (found, dry, shape)):
        return INVALID
    if "added" in found:
        return scope.built(path, lambda: with_added_mass(dry, found["added"]))
    density = found.get("density", 0.0)
    return scope.built(path, lambda: submerged(dry, fluid_density=density, hull=shape))


# ------------------------------------------------------------------- writing


def write_matter(writer: Writer, matter: Any, place: str) -> dict[str, Any]:
    """The table of some matter whose bare numbers are named from a place."""
    if isinstance(matter, Submerged):
        return _write_fluid(writer, matter, place)
    if isinstance(matter, Given):
        return _write_given(writer, matter, place)
    if isinstance(matter, Cloud):
        places = matter.positions.tolist()
        masses = matter.masses.tolist()
        return {"solid": "cloud", "masses": masses, "positions": places}
    if isinstance(matter, Compound):
        parts = {
            name: write_matter(writer, part, f"{place}.{name}")
            | ({"cut": True} if sign < 0 else {})
            for name, part, sign in matter.parts
        }
        return {"solid": "joined", "parts": parts}
    return _write_solid(writer, matter, place)


def _write_solid(writer: Writer, solid: Solid, place: str) -> dict[str, Any]:
    word = "density" if solid.mass is None else "mass"
    table: dict[str, Any] = {"solid": solid.shape}
    table[word] = write_quantity(writer, getattr(solid, word), f"{place}.{word}")
    for name, size in solid.dimensions.items():
        if isinstance(size, np.ndarray):
            table[name] = size.tolist()
        else:
            table[name] = write_quantity(writer, size, f"{place}.{name}")
    turn: Any = solid.turn
    along = [n for n in (X, Y) if np.array_equal(turn, turn_to(n, ""))]
    if turn is not None and along and "along" in SHAPES.get(solid.shape, ()):
        table["along"] = str(along[0])
    elif turn is not None:
        table["turn"] = np.asarray(turn).tolist()
    shift = _written_three(writer, solid.shift, f"{place}.shift")
    return table | ({"shift": shift} if any(shift) else {})


def _write_given(writer: Writer, matter: Given, place: str) -> dict[str, Any]:
    names = ("xx", "yy", "zz", "yz", "zx", "xy")
    entries = [
        write_quantity(writer, entry, f"{place}.inertia.{name}")
        for entry, name in zip(matter.inertia, names, strict=True)
    ]
    table = {"mass": write_quantity(writer, matter.mass, f"{place}.mass")}
    table["inertia"] = entries[:3]
    if any(entries[3:]):
        table["products"] = entries[3:]
    for word in ("centre", "about"):
        column = getattr(matter, word)
        if column is not None and (word == "about" or any(c != 0.0 for c in column)):
            table[word] = _written_three(writer, column, f"{place}.{word}")
    if matter.allow_unphysical:
        table["allow_unphysical"] = True
    return table


def _write_fluid(writer: Writer, matter: Submerged, place: str) -> dict[str, Any]:
    table = write_matter(writer, matter.matter, place)
    if matter.hull is None:
        return table | {"fluid": {"added": np.asarray(matter.added).tolist()}}
    density = matter.fluid_density
    fluid = {"density": write_quantity(writer, density, f"{place}.fluid_density")}
    hull = write_matter(writer, matter.hull, place)
    if hull != table:
        fluid["hull"] = write_matter(writer, matter.hull, f"{place}.hull")
    return table | {"fluid": fluid}


def _written_three(writer: Writer, column: Any, place: str) -> list[Any]:
    pairs = zip(column, "xyz", strict=True)
    return [write_quantity(writer, entry, f"{place}.{axis}") for entry, axis in pairs]
