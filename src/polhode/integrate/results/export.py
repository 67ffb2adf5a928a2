"""Motions as tables for others: columns, xarray, pandas, logs at chosen rates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.arrays import Scalar
from polhode.errors import IntegrationError
from polhode.integrate.results.indexing import require_rows

# Samples of one quantity: more are a mistake in the unit of the rate.
MOST = 1e8
QUANTITIES = (
    *("position", "orientation", "velocity", "angular_velocity"),
    *("acceleration", "angular_acceleration"),
    *("coordinates", "speeds", "reaction"),
)

if TYPE_CHECKING:
    from polhode.integrate.results.motions import Motions
    from polhode.integrate.results.trajectory import Trajectory
    from polhode.system.system import System


def columns_of(motion: Trajectory) -> dict[str, np.ndarray]:
    """Columns by name: 't', each coordinate, and 'speed of ...' each speed."""
    system = motion.system
    speeds = [f"speed of {name}" for name in system.speed_names]
    names = ["t", *system.coordinate_names, *speeds]
    whole = np.concatenate([motion.t[:, None], motion.q, motion.z], axis=1)
    return dict(zip(names, whole.T.copy(), strict=True))


def dataset_of(motion: Trajectory | Motions) -> Any:
    """An `xarray.Dataset` with q over (time, coordinate) and z over (time, speed).

    Of several motions with the same times there is a dimension `run` before them. The
    attribute `units` is there where all columns have one unit; `unit` and `speed_unit`
    have that of each.
    """
    import xarray

    single = motion.t.ndim == 1
    first: Any = motion if single else motion[0]
    system = first.system
    if not single and not np.all(motion.t == motion.t[:1]):
        raise IntegrationError(
            f"{len(motion)} motions of {system.name!r} have times of their own.",
            "One table has one column of times.",
            "Simulate with samples=..., take motions.resampled(times), or make a table"
            " of each motion.",
        )
    lead = () if single else ("run",)
    rows = {
        "q": ((*lead, "time", "coordinate"), motion.q, _common(system, "units")),
        "z": ((*lead, "time", "speed"), motion.z, _common(system, "speed_units")),
    }
    places = {
        "time": ("time", motion.t if single else motion.t[0], {"units": "s"}),
        "coordinate": list(system.coordinate_names),
        "speed": list(system.speed_names),
        "unit": ("coordinate", _units(system, "units")),
        "speed_unit": ("speed", _units(system, "speed_units")),
    }
    return xarray.Dataset(rows, places, {"title": f"motion of {system.name}"})


def logs_of(
    motion: Trajectory, rates: Mapping[str, float]
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Quantities recorded at rates of their own: {"rod.position": 50.0} -> (t, values).

    Rates are in Hz; samples are at the first time plus k/rate, exactly.
    """
    if not isinstance(rates, Mapping):
        raise IntegrationError(
            f"{rates!r} gives no rates by name.",
            "Each quantity is recorded at a rate of its own, in Hz.",
            'Give {"rod.position": 50.0}.',
        )
    require_rows(motion)
    found = {}
    for name, rate in rates.items():
        part, _, word = str(name).rpartition(".")
        times = _log_times(motion, name, rate)
        found[name] = (times, _value(motion.resampled(times), part, word))
    return found


def _log_times(motion: Trajectory, name: str, rate: Scalar) -> np.ndarray:
    is_rate = isinstance(rate, int | float | np.number) and np.isfinite(rate)
    span = abs(motion.t[-1] - motion.t[0])
    if not (is_rate and rate > 0 and span * rate < MOST):
        raise IntegrationError(
            f"{name!r} cannot be recorded at {rate!r} Hz.",
            "A rate is a positive number of samples a second, and of samples there are"
            f" at most {MOST:.0e}.",
            "Give rate > 0, or a shorter part of the motion.",
        )
    sign = 1.0 if motion.t[-1] >= motion.t[0] else -1.0
    count = int(np.floor(span * rate * (1 + 1e-12))) + 1
    times = motion.t[0] + sign * np.arange(count) / rate
    times[-1] = sign * min(sign * times[-1], sign * motion.t[-1])
    return times


def _value(motion: Trajectory, part: str, word: str) -> np.ndarray:
    whole = motion[part] if part else None
    if whole is None or word not in QUANTITIES or not hasattr(whole, word):
        raise IntegrationError(
            f"{part or word!r} of {motion.system.name!r} has no {word!r} to record.",
            "A body has position, orientation, velocity, acceleration and the angular"
            " ones; a joint has coordinates, speeds and reaction.",
            'Name them so: {"rod.position": 50.0}.',
        )
    return getattr(whole, word)


def _common(system: System, word: str) -> dict[str, str]:
    """The unit of all columns as pint reads it, where they have one in common."""
    found = set(_units(system, word))
    return {"units": found.pop() or "dimensionless"} if len(found) == 1 else {}


def _units(system: System, word: str) -> list[str]:
    return [unit for joint in system.joints for unit in getattr(joint, word)]
