"""Density of air over height: exponential, by a table, or by a law of the user.

A law answers density(height, t), kg/m^3 of metres above the surface and of seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any, TypeAlias, final

import numpy as np

from polhode.actions.coefficient import coefficient
from polhode.actions.user_law import given
from polhode.arrays import Array, Scalar, namespace, read_by_name
from polhode.double import doubled
from polhode.errors import ModelError
from polhode.matter.parameter import (
    NOMINAL,
    Parameter,
    Quantity,
    Table,
    at,
    parameters_in,
)
from polhode.matter.quantities.constants import values_of


@final
@dataclass(frozen=True, eq=False)
class ExponentialAtmosphere:
    """rho = density exp(-(h - height)/scale)

    >>> ExponentialAtmosphere(3.7e-12, height=400e3, scale=58.5e3).density
    Parameter('air.density', 3.7e-12)
    """

    density: Quantity
    height: Quantity
    scale: Quantity
    _: KW_ONLY
    name: str = "air"

    def __post_init__(self) -> None:
        units = {"density": "kg/m^3", "height": "m", "scale": "m"}
        for what, unit in units.items():
            value = coefficient(self.name, what, getattr(self, what), unit=unit)
            object.__setattr__(self, what, value)
        if at(self.scale) == 0:
            raise ModelError(
                f"the scale height of {self.name!r} is zero.",
                "It is the height over which density falls to a third.",
                "Give it in metres: some 6e4 at 400 km over the Earth.",
            )

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Density, height and scale."""
        return parameters_in((self.density, self.height, self.scale))

    def at(self, height: Scalar, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """The density (kg/m^3)."""
        above = (height - at(self.height, table)) / at(self.scale, table)
        return at(self.density, table) * namespace(height, above).exp(-above)


@final
@dataclass(frozen=True, eq=False)
class TableAtmosphere:
    """Densities (n,) kg/m^3 at heights (n,) m, exponential between and beyond them.

    >>> TableAtmosphere([0.0, 1000.0], [1.2, 0.3]).at(500.0).round(12)
    np.float64(0.6)
    """

    heights: Any
    densities: Any
    name: str = "air"

    def __post_init__(self) -> None:
        h, rho = (np.array(x, dtype=float) for x in (self.heights, self.densities))
        sound = h.ndim == 1 and h.shape == rho.shape and len(h) > 1
        if not sound or not np.all(np.diff(h) > 0) or not np.all(rho > 0):
            raise ModelError(
                f"the air of {self.name!r} has heights {h.shape} and densities"
                f" {rho.shape} that do not fit.",
                "Heights rise from row to row, and densities are above zero.",
                "Give two lists of one length, from the ground up.",
            )
        for name, value in (("heights", h), ("densities", rho)):
            value.setflags(write=False)
            object.__setattr__(self, name, value)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """None: the table is given."""
        return ()

    def at(self, height: Scalar, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """The density (kg/m^3)."""
        return read_by_name("rho", self._at)(height)

    @cached_property
    def _at(self) -> Callable[..., Any]:
        def density(height: Array) -> Any:
            import jax.numpy as jnp

            h, log = jnp.asarray(self.heights), jnp.asarray(np.log(self.densities))
            k = jnp.searchsorted(h, height, side="right") - 1
            k = jnp.clip(k, 0, len(self.heights) - 2)
            part = (height - h[k]) / (h[k + 1] - h[k])
            return jnp.exp(log[k] + part * (log[k + 1] - log[k]))

        return doubled(density)


Atmosphere: TypeAlias = ExponentialAtmosphere | TableAtmosphere | Callable[..., Any]


def density_law(
    name: str, air: Any, constants: Mapping[str, Any]
) -> Callable[..., Any]:
    """density(height, t, table) of an atmosphere, or of a law of the user."""
    if hasattr(air, "at"):
        return air.at

    def law(height: Array, t: Scalar, values: Mapping[str, Any]) -> Any:
        return given(name, air, {"height": height, "t": t}, constants=values)

    called = doubled(law)
    return lambda height, t, table: called(
        1.0 * height, 1.0 * t, values_of(constants, table)
    )


# Heights (km) and densities of a standard atmosphere at mean activity of the Sun, after
# the exponential model of Wertz (U.S. Standard Atmosphere 1976, CIRA-72 above 25 km).
_HEIGHTS = (
    *(0, 25, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120, 130, 140, 150, 180, 200),
    *(250, 300, 350, 400, 450, 500, 600, 700, 800, 900, 1000),
)
_DENSITIES = (
    *(1.225, 3.899e-2, 1.774e-2, 3.972e-3, 1.057e-3, 3.206e-4, 8.770e-5, 1.905e-5),
    *(3.396e-6, 5.297e-7, 9.661e-8, 2.438e-8, 8.484e-9, 3.845e-9, 2.070e-9),
    *(5.464e-10, 2.789e-10, 7.248e-11, 2.418e-11, 9.518e-12, 3.725e-12, 1.585e-12),
    *(6.967e-13, 1.454e-13, 3.614e-14, 1.170e-14, 5.245e-15, 3.019e-15),
)
EARTH_AIR = TableAtmosphere(1e3 * np.array(_HEIGHTS), _DENSITIES, "Earth's air")
