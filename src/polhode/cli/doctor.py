"""`polhode doctor`: what is installed, what this machine can do, what works."""

from __future__ import annotations

import platform
import sys
from typing import Annotated, Any, TypeAlias

from cyclopts import Parameter

from polhode.cli.words import Json

EmptyCache: TypeAlias = Annotated[
    bool,
    Parameter(
        negative=(),
        show_default=False,
        help="Remove all compiled code first, and close its folder to other users.",
    ),
]
WORKS, MISSING = "works", "missing"
LIBRARIES = {
    "jax": "traces and derivatives",
    "llvmlite": "native code",
    "numpy": "arrays",
    "scipy": "roots and eigenvalues",
    "sympy": "equations that people read",
    "trimesh": "meshes",
    "matplotlib": "pictures",
    "latex2mathml": "equations on pages",
    "xarray": "results with labels",
    "h5netcdf": "files of motions",
}
EXTRAS = {
    "cupy-cuda13x": ("gpu", "kernels on a GPU"),
    "viser": ("view", "live 3D"),
    "imageio-ffmpeg": ("view", "films as MP4"),
    "pyarrow": ("scale", "tables of sweeps"),
    "distributed": ("scale", "sweeps on clusters"),
}


def doctor(*, json: Json = False, empty_cache: EmptyCache = False) -> int:
    """Say what is installed, which backends work, and where compiled code is kept.

    Ends with code 1 if a library is missing, or native code or XLA does not work.
    Examples: polhode doctor; polhode doctor --json; polhode doctor --empty-cache
    """
    from polhode.cli.answers import console, print_json

    if empty_cache:
        _empty_cache()
    facts = examine()
    if json:
        print_json(facts)
    else:
        where = console()
        for title, rows in facts.items():
            where.print(_table(title, rows))
    needed = [facts["backends"]["llvm"], facts["backends"]["xla"]]
    works = all(answer == WORKS for answer in needed)
    return 0 if works and MISSING not in facts["libraries"].values() else 1


def examine() -> dict[str, dict[str, str]]:
    """Everything that the doctor looks at, by subject."""
    return {
        "machine": _machine(),
        "backends": {"llvm": _try("llvm"), "xla": _try("xla"), "cuda": _cuda()},
        "libraries": {name: _version(name) for name in LIBRARIES},
        "extras": {
            name: _version(name, f"no (pip install 'polhode[{extra}]')")
            for name, (extra, _) in EXTRAS.items()
        },
    }


def _machine() -> dict[str, str]:
    from polhode.lowering.backends import cache
    from polhode.lowering.backends.llvm.native import host, host_lanes
    from polhode.lowering.backends.runner import available_threads

    refused = cache.refusal()
    return {
        "polhode": _version("polhode"),
        "python": f"{platform.python_version()} on {sys.platform}",
        "processor": f"{host()[0]} ({platform.machine()})",
        "lanes": f"{host_lanes()} systems at a time in a vector register",
        "threads": str(available_threads()),
        "cache": f"not used: {refused}" if refused else str(cache.directory()),
    }


def _empty_cache() -> None:
    from polhode.errors import FileError
    from polhode.lowering.backends import cache
    from polhode.lowering.backends.private_folder import Untrusted

    try:
        cache.empty()
    except Untrusted as reason:
        raise FileError(
            "the cache of compiled code cannot be emptied.",
            f"{reason}.",
            "Choose another folder by POLHODE_CACHE, or let its owner remove it.",
        ) from None


def _try(backend: str) -> str:
    """Compile and run a small function there; whatever goes wrong is an answer."""
    try:
        import polhode as ph

        program = ph.compile(_square, 3.0, backend=backend)
        return WORKS if float(program(4.0)) == 16.0 else "gives a wrong result"
    except Exception as reason:
        return f"does not work: {type(reason).__name__}: {reason}"


def _square(x: Any) -> Any:
    return x * x


def _cuda() -> str:
    """Whether a GPU answers; no GPU is not a fault."""
    said = _try("cuda")
    if said == WORKS:
        from polhode.lowering.backends.cuda.device import current_device

        return f"{WORKS}; {_worth(current_device().singles_a_double)}"
    return said.replace("does not work", "not here").partition("\n")[0]


def _worth(singles: int) -> str:
    """What the double precision of a card is worth, in which all is computed."""
    if singles <= 0:
        return "it does not tell how quick its double precision is"
    share = f"double precision at 1/{singles} of its single precision"
    if singles > 4:
        return f"{share}: expect no more than a few processor cores"
    return share


def _version(name: str, missing: str = MISSING) -> str:
    from importlib import metadata

    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return missing


def _table(title: str, rows: dict[str, str]) -> Any:
    from rich.table import Table

    purposes = LIBRARIES | {name: purpose for name, (_, purpose) in EXTRAS.items()}
    table = Table(title=title, title_justify="left", box=None, show_header=False)
    for name, value in rows.items():
        table.add_row(f"  {name}", value, purposes.get(name, ""))
    return table
