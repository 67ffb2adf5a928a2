"""`ph.Table`: a function given by data, for every law that takes a function.

smooth    between the data: "linear", "monotone" (cubic without overshoot) or "spline"
beyond    outside of them: "refuse" (no value: a run stops there and says so), "hold"
          (the value at the end), "extend" (a straight line on), "repeat" (a period)
"""

from __future__ import annotations

import csv
import hashlib
import re
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, final

import numpy as np

from polhode.arrays import Array, Scalar
from polhode.errors import ModelError
from polhode.geometry.admission import is_traced
from polhode.matter.tables.pieces import (
    Family,
    Pieces,
    derivative,
    evaluate_1d,
    evaluate_2d,
    integral,
    patches_of,
    pieces_of,
    slope_of_patches,
)

SMOOTH = ("linear", "monotone", "spline")
BEYOND = ("refuse", "hold", "extend", "repeat")
VARIABLES = "xy"


@final
@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """A function of one number, or of two, through given data.

    x        (n,) rising; for two variables the pair (x (n,), y (m,))
    y        (n,) values at x; for two variables (n, m)
    smooth   "linear", "monotone" or "spline"; "monotone" of one variable only
    beyond   "refuse", "hold", "extend" or "repeat", see the module
    name     what printed equations call it

    It is called like a function, in a trace or outside; JAX differentiates it, it is
    compiled with the rest of a law, and equations are read with f(x) and f'(x) in them.

    >>> import polhode as ph
    >>> torque = ph.Table([0, 100, 300], [20.0, 25.0, 10.0], smooth="monotone")
    >>> torque(100.0), torque.derivative(200.0) < 0
    (25.0, True)
    >>> ph.Table(([0, 1], [0, 2]), [[0, 2], [1, 3]])(0.5, 1.0)
    1.5
    """

    x: Any
    y: Any
    _: KW_ONLY
    smooth: str = "linear"
    beyond: str = "refuse"
    name: str = "f"

    def __post_init__(self) -> None:
        _require_word(self.name, "smooth", self.smooth, SMOOTH)
        _require_word(self.name, "beyond", self.beyond, BEYOND)
        if not re.fullmatch(r"[^\W\d]\w*", str(self.name)):
            raise ModelError(
                f"a table cannot be called {self.name!r}.",
                "Printed equations write name(x).",
                'Give a short word, such as name="torque".',
            )
        two = _is_pair(self.x)
        axes = tuple(
            _axis(self.name, a, self.smooth) for a in (self.x if two else [self.x])
        )
        values = _values(self.name, self.y, axes)
        _require_sense(self, axes, values)
        object.__setattr__(self, "x", axes if two else axes[0])
        object.__setattr__(self, "y", values)

    @staticmethod
    def from_csv(path: Any, x: Any = 0, y: Any = 1, **options: Any) -> Table:
        """A table from two columns of a file, by their titles or numbers.

        `x=None` reads a whole sheet of two variables: the first row holds the second
        variable, the first column the first, and the corner is left out of account.

        >>> import tempfile, pathlib
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "torque.csv"
        >>> _ = file.write_text("speed,torque\\n0,20\\n100,25\\n")
        >>> Table.from_csv(file, "speed", "torque")(50.0)
        22.5
        """
        rows = _rows(path)
        if x is None:
            return _sheet(path, rows, options)
        titles = [] if _is_numeric(rows[0]) else [cell.strip() for cell in rows[0]]
        body = rows[1:] if titles else rows
        columns = [_column(path, body, titles, each) for each in (x, y)]
        return Table(*columns, **options)

    @property
    def variables(self) -> int:
        """One or two."""
        return self.y.ndim

    @property
    def range(self) -> Any:
        """(least, largest) of the variable, or a pair of such."""
        ends = tuple((float(a[0]), float(a[-1])) for a in self._axes)
        return ends if self.variables == 2 else ends[0]

    def __call__(self, *values: Any) -> Any:
        """The value at x, or at (x, y); arrays element by element."""
        self._require_inside(values)
        return self._at((0,) * self.variables, values)

    def lookup(self, *values: Any) -> Any:
        """The same for laws, which answer NaN beyond what they know; never refused."""
        return self._at((0,) * self.variables, values)

    def derivative(self, *values: Any, by: int = 0) -> Any:
        """The slope, or the partial derivative by variable 0 or 1."""
        self._require_inside(values)
        orders = tuple(int(k == by) for k in range(self.variables))
        return self._at(orders, values)

    def integral(self) -> Integral:
        """The function whose slope this is, zero at the first x: an energy of a force.

        >>> Table([0, 2], [0.0, 8.0]).integral()(2.0)
        8.0
        """
        if self.variables == 2 or self.beyond == "repeat":
            what = "of two variables" if self.variables == 2 else "that repeats"
            raise ModelError(
                f"the table {self.name!r} {what} has no integral here.",
                "An energy is one function of one length or angle; over a period the"
                " work of a force need not be zero.",
                'Give a table of one variable with beyond="hold" or "extend".',
            )
        return Integral(self)

    def _at(self, orders: tuple[int, ...], values: tuple[Any, ...]) -> Any:
        if is_traced(*values):
            import jax.numpy as jnp

            return self._family.law(orders)(*(jnp.asarray(v, float) for v in values))
        arrays = [np.asarray(v, dtype=float) for v in values]
        return as_plain(self._family.value(orders, *arrays))

    def _require_inside(self, values: tuple[Any, ...]) -> None:
        """Refuse too few numbers, and numbers outside the data where that is asked."""
        if len(values) != self.variables:
            raise ModelError(
                f"the table {self.name!r} is of {self.variables} variables, and is"
                f" called with {len(values)}."
            )
        if self.beyond != "refuse" or is_traced(*values):
            return
        for axis, given in zip(self._axes, values, strict=True):
            value = np.asarray(given, dtype=float)
            wrong = value[(value < axis[0]) | (value > axis[-1])]
            if wrong.size:
                raise ModelError(
                    f"the table {self.name!r} has no value at {wrong.flat[0]:g}.",
                    f"Its data go from {axis[0]:g} to {axis[-1]:g}.",
                    'Give more data, or beyond="hold" to keep the value at the end.',
                )

    @cached_property
    def _axes(self) -> tuple[np.ndarray, ...]:
        return self.x if self.variables == 2 else (self.x,)

    @cached_property
    def _family(self) -> Family:
        if self.variables == 2:
            x, y = self._axes
            patches = patches_of(x, y, self.y, self.smooth, self.beyond)
            return Family(
                *(self.name, VARIABLES, patches),
                evaluate=evaluate_2d,
                differentiate=slope_of_patches,
                period=self._period,
            )
        return family_1d(self.name, self.pieces, self._period)

    @property
    def _period(self) -> tuple[np.ndarray, ...] | None:
        return self._axes if self.beyond == "repeat" else None

    @cached_property
    def pieces(self) -> Pieces:
        """The polynomials of a table of one variable."""
        return pieces_of(self.x, self.y, self.smooth, self.beyond)

    def __fingerprint__(self) -> bytes:
        digest = hashlib.sha256(f"{self.smooth} {self.beyond} {self.name}".encode())
        for array in (*self._axes, self.y):
            digest.update(f"{array.shape}".encode() + array.tobytes())
        return digest.digest()

    def __repr__(self) -> str:
        size = " x ".join(map(str, self.y.shape))
        ends = ", ".join(f"{a[0]:g} to {a[-1]:g}" for a in self._axes)
        return f"Table({self.name!r}, {size} values, {ends}, {self.smooth!r})"


@final
class Integral:
    """The integral of a table of one variable; its derivative is the table itself."""

    def __init__(self, table: Table) -> None:
        self.table = table
        pieces = integral(table.pieces)
        self._family = family_1d(f"F_{table.name}", pieces)

    def __call__(self, x: Array) -> Any:
        """The integral from the first x of the table."""
        if is_traced(x):
            import jax

            # The slope is read as the table's own name, not as that of F.
            whole = jax.custom_jvp(self._family.law((0,)))
            whole.defjvp(lambda at, rate: (whole(at[0]), self.table(at[0]) * rate[0]))
            return whole(jax.numpy.asarray(x, float))
        return as_plain(self._family.value((0,), np.asarray(x, dtype=float)))

    def __fingerprint__(self) -> bytes:
        return b"integral" + self.table.__fingerprint__()

    def __repr__(self) -> str:
        return f"Integral({self.table!r})"


def family_1d(
    name: str, pieces: Pieces, period: tuple[np.ndarray, ...] | None = None
) -> Family:
    """Of one variable."""
    return Family(
        *(name, VARIABLES[:1], pieces),
        evaluate=evaluate_1d,
        differentiate=lambda p, which: derivative(p),
        period=period,
    )


def as_plain(value: Scalar) -> Any:
    """A Python number where there is one number."""
    return float(value) if np.ndim(value) == 0 else value


def _require_word(name: str, what: str, word: Any, known: tuple[str, ...]) -> None:
    if not isinstance(word, str) or word not in known:
        raise ModelError(
            f"the table {name!r} cannot be {what}={word!r}.",
            f"It is one of {', '.join(map(repr, known))}.",
            f"Give {what}={known[0]!r}, for example.",
        )


def _is_pair(x: Array) -> bool:
    """Whether the axes of two variables are given: two lists of numbers."""
    return isinstance(x, tuple | list) and len(x) == 2 and np.ndim(x[0]) == 1


def _real(name: str, given: Any) -> np.ndarray:
    try:
        return np.array(given, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(
            f"the table {name!r} cannot be made of {given!r:.60}.",
            "A table has rows of real numbers, each within the range of a double.",
            "Give a list or an array of numbers.",
        ) from None


def _axis(name: str, given: Any, smooth: str) -> np.ndarray:
    axis = _real(name, given)
    least = 2 if smooth != "spline" else 3
    rises = axis.ndim == 1 and len(axis) >= least and np.all(np.diff(axis) > 0)
    if not rises or not np.all(np.isfinite(axis)):
        raise ModelError(
            f"the table {name!r} has an axis that does not rise: {_shown(axis)}.",
            f"Each x is above the one before, and smooth={smooth!r} needs {least}.",
            "Sort the rows by x, and leave out those that repeat one.",
        )
    axis.setflags(write=False)
    return axis


def _values(name: str, given: Any, axes: tuple[np.ndarray, ...]) -> np.ndarray:
    values = _real(name, given)
    wanted = tuple(map(len, axes))
    if values.shape != wanted or not np.all(np.isfinite(values)):
        raise ModelError(
            f"the table {name!r} has values of shape {values.shape} on axes of"
            f" {wanted}.",
            "There is one finite value at every x.",
            "Give as many values as places: y[i], or y[i][j] at (x[i], y[j]).",
        )
    values.setflags(write=False)
    return values


def _require_sense(table: Table, axes: tuple[np.ndarray, ...], values: Array) -> None:
    """Refuse what has no meaning: monotone in two variables, a period that jumps."""
    if len(axes) == 2 and table.smooth == "monotone":
        raise ModelError(
            f"the table {table.name!r} of two variables cannot be 'monotone'.",
            "A product of monotone cubics may overshoot between its lines.",
            'Give smooth="linear", which never does, or "spline".',
        )
    if table.beyond == "repeat":
        jumps = [
            np.max(np.abs(np.take(values, 0, k) - np.take(values, -1, k)))
            for k in range(len(axes))
        ]
        if max(jumps) > 0:
            raise ModelError(
                f"the table {table.name!r} repeats with a jump of {max(jumps):g}.",
                "After a period the value is the first one again.",
                "Give the first value once more at the end of the period.",
            )


def _shown(axis: np.ndarray) -> str:
    text = np.array2string(axis, threshold=8, precision=6, separator=", ")
    return text.replace("\n", "")


def _rows(path: Any) -> list[list[str]]:
    try:
        with Path(path).open(newline="", encoding="utf-8-sig") as file:
            rows = [row for row in csv.reader(file) if any(c.strip() for c in row)]
    except (OSError, UnicodeDecodeError) as reason:
        raise ModelError(
            f"the table {str(path)!r} cannot be read: {reason}.",
            repair="Give the path of a text file of columns between commas.",
        ) from reason
    if len(rows) < 2:
        raise ModelError(
            f"the table {str(path)!r} has {len(rows)} rows.",
            "It takes two places at least.",
            "Give a file with columns between commas, one row a place.",
        )
    return rows


def _is_numeric(row: list[str]) -> bool:
    try:
        [float(cell) for cell in row]
    except ValueError:
        return False
    return True


def _column(path: Any, rows: list[list[str]], titles: list[str], which: Any) -> Any:
    if isinstance(which, str) and which not in titles:
        raise ModelError(
            f"{str(path)!r} has no column {which!r}.",
            f"Its columns are {', '.join(map(repr, titles)) or 'without titles'}.",
            "Name one of them, or give its number from 0.",
        )
    k = titles.index(which) if isinstance(which, str) else int(which)
    return _numbers(path, [row[k] if k < len(row) else "" for row in rows])


def _numbers(path: Any, cells: list[str]) -> list[float]:
    try:
        return [float(cell) for cell in cells]
    except ValueError as reason:
        raise ModelError(
            f"{str(path)!r} holds no number: {reason}.",
            "Every cell of a column is a number with a point.",
            "Mend the file, or choose another column.",
        ) from reason


def _sheet(path: Any, rows: list[list[str]], options: Any) -> Table:
    second = _numbers(path, rows[0][1:])
    first = _numbers(path, [row[0] for row in rows[1:]])
    return Table(
        (first, second), [_numbers(path, row[1:]) for row in rows[1:]], **options
    )
