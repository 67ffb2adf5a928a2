"""The direction of imports: lower rooms never know higher ones."""

from __future__ import annotations

import graphlib
import importlib
import inspect

import pytest

from polhode.doors import DOORS, is_door
from source_tree import HALL, ROOMS, imports, package

# A library -> the only modules (and what is below them) that may import it.
LIBRARIES = {
    "llvmlite": ("polhode.lowering",),
    "jaxtyping": ("polhode.public.shapes",),
    "cupy": ("polhode.lowering",),
    "torch": ("polhode.lowering.native_torch",),
    "sympy": (
        "polhode.lowering.reading.sympy_reader",
        "polhode.lowering.reading",
        "polhode.formulation.reading.read",
        "polhode.formulation.reading.positions",
        "polhode.models",  # written as users write, with symbols of their own
        "polhode.formulation.reading.contact_reading",
        "polhode.formulation.reading.where_lines",
    ),
    "matplotlib": ("polhode.show",),
    "viser": ("polhode.show",),
    "jinja2": ("polhode.show",),
    "rich": ("polhode.cli", "polhode.integrate.host.progress"),
    "h5py": ("polhode.integrate.storage",),
    "h5netcdf": ("polhode.integrate.storage",),
    "pyarrow": (
        "polhode.integrate.results.arrow",
        "polhode.integrate.storage.parts.parquet",
    ),
    "dask": (),  # by its executor alone, which the user brings
    "cyclopts": ("polhode.cli",),
    "gymnasium": ("polhode.control.gym_environment",),
}
SOURCES = {source.module: source for source in package()}


def resolved(name: str) -> str:
    """The module that an imported name lies in."""
    while name and name not in SOURCES:
        name = name.rpartition(".")[0]
    return name


def inner_imports(module: str) -> list[tuple[str, str, int]]:
    """What a module imports of the package: module, inside which function, line."""
    found = []
    for each in imports(SOURCES[module]):
        if each.name.split(".")[0] == "polhode":
            found.append((resolved(each.name), each.inside, each.line))
    return found


def may_import(here: str, there: str) -> bool:
    """Whether a module of the one room may import the other room."""
    if there in HALL:
        return True
    if here in HALL:
        return False
    if here == "":  # the front of the house loads names when they are asked for
        return False
    if here in ("models", "verification"):
        return there in ("", "models", here)
    if there == "":
        return here == "cli"
    if there == "models":
        return here == "cli"
    return ROOMS.index(there) <= ROOMS.index(here)


def test_every_folder_is_a_room():
    """The rooms are those of the plan, and have their number."""
    assert {source.room for source in SOURCES.values()} <= {"", *ROOMS, *HALL}


def test_a_room_imports_only_lower_rooms():
    """Nothing flows back: only a listed door opens a higher room."""
    upwards = [
        f"{source.place}:{line} imports {target}"
        for module, source in SOURCES.items()
        for target, inside, line in inner_imports(module)
        if not may_import(source.room, SOURCES[target].room)
        if not is_door(f"{module}:{inside}")
    ]
    assert not upwards, "\n".join(upwards)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_has_no_cycle_inside(room):
    """The modules of a room can be read in an order without looking ahead."""
    inside = [m for m, source in SOURCES.items() if source.room == room]
    graph = {
        module: {
            target
            for target, function, _ in inner_imports(module)
            if not function and target in inside and target != module
        }
        for module in inside
    }
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


# Drawers of a room, lowest first; modules at its root are its verbs, above them all.
DRAWERS = {
    "integrate": (
        *(
            "field",
            "methods",
            "kernel",
            "inputs",
            "events",
            "contact",
            "results",
            "audit",
        ),
        *("host", "storage", ""),
    ),
}


@pytest.mark.parametrize("room", DRAWERS)
def test_a_drawer_imports_only_lower_drawers(room):
    """What runs is read from the equations up to the verbs."""
    upwards = [
        f"{SOURCES[module].place}:{line} imports {target}"
        for module in SOURCES
        if SOURCES[module].room == room
        for target, inside, line in inner_imports(module)
        if SOURCES[target].room == room and not inside
        if rank(room, target) > rank(room, module)
    ]
    assert not upwards, "\n".join(upwards)


def rank(room: str, module: str) -> int:
    """Where the drawer of a module is among those of its room."""
    parts = module.split(".")[2:]
    drawer = parts[0] if parts and parts[0] in DRAWERS[room] else ""
    return DRAWERS[room].index(drawer)


def test_libraries_stay_in_their_rooms():
    """A library that one room is for is imported nowhere else."""
    astray = [
        f"{source.place}:{each.line} imports {each.name}"
        for module, source in SOURCES.items()
        for each in imports(source)
        if not at_home(each.name.split(".")[0], module)
    ]
    assert not astray, "\n".join(astray)


def at_home(library: str, module: str) -> bool:
    """Whether the module may import the library."""
    homes = LIBRARIES.get(library, ("polhode",))
    return any(module == home or module.startswith(home + ".") for home in homes)


@pytest.mark.parametrize("door", sorted(DOORS) or [None])
def test_a_door_is_a_short_method_that_opens_its_room(door):
    """Each listed door exists, is needed, and opens the room that it says."""
    if door is None:
        assert DOORS == {}
        return
    module, method = door.split(":")
    opened = {
        SOURCES[target].room
        for target, inside, _ in inner_imports(module)
        if inside == method
    }
    assert DOORS[door] in opened
    assert not may_import(SOURCES[module].room, DOORS[door])
    found = importlib.import_module(module)
    for name in method.split("."):
        found = getattr(found, name)
    assert inspect.getdoc(found)


def test_plots_of_answers_open_the_room_of_pictures_alone():
    """What `plot` of an answer may open without being listed."""
    opened = {
        SOURCES[target].room
        for module in SOURCES
        for target, inside, _ in inner_imports(module)
        if module.startswith("polhode.analyse.") and inside.endswith(".plot")
        if not may_import("analyse", SOURCES[target].room)
    }
    assert opened == {"show"}


def test_a_cycle_and_a_look_upwards_would_be_seen():
    """The rules refuse what they are for."""
    assert may_import("matter", "geometry")
    assert not may_import("geometry", "matter")
    assert not may_import("show", "cli")
    assert not may_import("show", "models")
    assert not may_import("models", "geometry")
    assert not may_import("verification", "geometry")
    assert not may_import("models", "verification")
    assert may_import("verification", "models")
    assert not may_import("errors", "lowering")
    assert not at_home("sympy", "polhode.lowering.ir.fold")
    assert at_home("sympy", "polhode.lowering.reading.ring")
