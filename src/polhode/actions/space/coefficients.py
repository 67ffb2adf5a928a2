"""Tables of coefficients from the files in which they are published.

gravity     ICGEM's format (.gfc): rows `gfc n m C S ...`, fully normalised
magnetism   the IGRF's table: rows `g n m ...` and `h n m ...`, a column a year, nT
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from polhode.errors import ModelError

NANOTESLA = 1e-9


def gravity_coefficients(path: Any, degree: int) -> tuple[np.ndarray, np.ndarray]:
    """C and S (n + 1, n + 1) up to a degree, for `HarmonicGravity`.

    `path` is a file of the International Centre for Global Earth Models. Its header's
    GM and radius belong to the coefficients: give them as `mu` and `radius`.
    """
    C, S = np.zeros((2, degree + 1, degree + 1))
    found = 0
    for words in _rows(path, ("gfc", "gfct")):
        n, m = int(words[1]), int(words[2])
        if n <= degree:
            C[n, m], S[n, m] = (_number(word) for word in words[3:5])
            found = max(found, n)
    _require_degree(path, degree, found)
    return C, S


def magnetic_coefficients(
    path: Any, year: float, degree: int = 13
) -> tuple[np.ndarray, np.ndarray]:
    """g and h (n + 1, n + 1) in tesla at a year, for `HarmonicField`.

    `path` is the IGRF's table of coefficients as text. Between the years of its columns
    they are interpolated; after the last they go on by its secular variation.
    """
    years = _years(path)
    if not years[0] <= year <= years[-1] + 5:
        raise ModelError(
            f"{Path(path).name!r} has no magnetic field of {year:g}.",
            f"Its columns are of {years[0]:g} to {years[-1]:g}, and last five years.",
            "Take a newer table of the IGRF, or another year.",
        )
    g, h = np.zeros((2, degree + 1, degree + 1))
    found = 0
    for words in _rows(path, ("g", "h")):
        n, m = int(words[1]), int(words[2])
        if n > degree:
            continue
        values = np.array([_number(word) for word in words[3:]])
        nominal, drift = values[: len(years)], values[len(years) :]
        value = np.interp(year, years, nominal)
        if len(drift) and year > years[-1]:
            value += drift[-1] * (year - years[-1])
        (g if words[0] == "g" else h)[n, m] = NANOTESLA * value
        found = max(found, n)
    _require_degree(path, degree, found)
    return g, h


def _years(path: Any) -> np.ndarray:
    """The years of the columns: in the line that begins with g/h."""
    heads = [*_rows(path, ("g/h",))]
    words = heads[0][3:] if heads else []
    years = [float(word) for word in words if word.replace(".", "", 1).isdigit()]
    if not years:
        raise ModelError(
            f"{Path(path).name!r} is no table of the IGRF.",
            "A line `g/h n m 1900.0 1905.0 ...` says which years its columns are of.",
            "Give the coefficients as they are published, in text.",
        )
    return np.array(years)


def _rows(path: Any, firsts: tuple[str, ...]) -> list[list[str]]:
    """The words of all lines that begin with one of some words."""
    text = Path(path).read_text(encoding="utf-8", errors="replace")
    lines = [line.split() for line in text.splitlines()]
    return [words for words in lines if len(words) > 3 and words[0] in firsts]


def _number(word: str) -> float:
    """A number, also as Fortran writes it: 1.0D-06."""
    return float(word.replace("D", "e").replace("d", "e"))


def _require_degree(path: Any, degree: int, found: int) -> None:
    if found < degree:
        raise ModelError(
            f"{Path(path).name!r} has coefficients up to degree {found}, not {degree}.",
            "A table that is cut short would be another field.",
            f"Ask for degree={found} or less.",
        )
