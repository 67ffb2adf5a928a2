"""Where the meshes of a robot are: `package://` paths by a list of folders."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

PARENTS = 6  # folders above a file in which its own package is looked for


def folders_of(packages: Any) -> tuple[Path, ...]:
    """The folders of a search list: one path, or several."""
    if packages is None:
        return ()
    if isinstance(packages, str | os.PathLike):
        return (Path(packages),)
    return tuple(Path(folder) for folder in packages)


def find(name: str, home: Path, packages: Iterable[Path]) -> Path | None:
    """The file that a robot's file names, or None where there is none.

    package://arm/meshes/hand.stl is `arm/meshes/hand.stl` in a folder of the list, of
    ROS_PACKAGE_PATH, or above the robot's own file; a folder of the list may also be
    the package itself. Other paths are relative to the robot's file.
    """
    scheme, mark, rest = name.partition("://")
    if not mark:
        return _first([home / name])
    rest = unquote(rest)
    if scheme == "file":
        return _first([Path(rest), home / rest.lstrip("/")])
    package, _, inner = rest.partition("/")
    return _first(_places(package, inner, home, packages))


def _places(
    package: str, inner: str, home: Path, packages: Iterable[Path]
) -> Iterator[Path]:
    for folder in (*packages, *_of_ros(), home, *home.parents[:PARENTS]):
        yield folder / package / inner
        if folder.name == package:
            yield folder / inner
    # Files that were copied without their package: the path inside it, above them.
    for folder in (*packages, home, *home.parents[:PARENTS]):
        yield folder / inner


def _of_ros() -> list[Path]:
    text = os.environ.get("ROS_PACKAGE_PATH", "")
    return [Path(folder) for folder in text.split(os.pathsep) if folder]


def _first(places: Iterable[Path]) -> Path | None:
    for place in places:
        try:
            if place.is_file():
                return place
        except (OSError, ValueError):  # a name that no file can have
            continue
    return None
