"""One hash of what the product computes: a change of names must change no bits.

    python tests/support/fingerprint.py [--lines]

Runs every model of the gallery by its default method, every method on the systems that
it takes, a sweep with events, a file that is resumed, and a linearisation. `--lines`
prints the hash of each, so that two trees can be compared part by part.
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import polhode as ph

SHORT = 0.2  # seconds of motion of each model
ORBIT = 50.0  # of those that orbit, whose steps are long
FIXED = 0.01
ADAPTIVE = ("DormandPrince", "DormandPrince8", "Calvo7", "RadauIIA")
STEPPED = (
    "CommutatorFree4",
    "CommutatorFree5",
    "CommutatorFree6",
    "CrouchGrossman4",
    "EnergyMomentum",
    "GaussLegendre4",
    "GaussLegendre6",
    "GearGuptaLeimkuhler",
    "GeneralisedAlpha",
    "ImplicitMidpoint",
    "MoserVeselov",
    "MuntheKaas4",
    "Rattle",
    "RungeKutta4",
    "SemiImplicitEuler",
    "StormerVerlet",
    "Variational",
)
SYSTEMS = ("double_pendulum", "heavy_top", "four_bar")


def digest(*arrays: Any) -> str:
    """The bytes of some arrays, in order."""
    whole = hashlib.sha256()
    for array in arrays:
        whole.update(np.ascontiguousarray(array, dtype=float).tobytes())
    return whole.hexdigest()[:16]


def of_motion(motion: Any) -> str:
    """Times, coordinates and speeds of all rows."""
    return digest(motion.t, motion.q, motion.z)


def method(name: str) -> Any:
    """A method by its name, with its settings left as they are."""
    kind = getattr(ph, name, None) or getattr(ph.methods, name)
    return kind() if name in ADAPTIVE else kind(FIXED)


def gallery() -> Iterator[tuple[str, str]]:
    """Every model of the gallery by its default method."""
    for name in ph.models.GALLERY:
        state = ph.models.start(name)
        until = ORBIT if "satellite" in name or "pair" in name else SHORT
        yield name, of_motion(ph.simulate(state.system, state, until=until))


def methods() -> Iterator[tuple[str, str]]:
    """Every method on three systems; a method that refuses one says the same again."""
    for system in SYSTEMS:
        state = ph.models.start(system)
        for name in (*ADAPTIVE, *STEPPED):
            try:
                motion = ph.simulate(
                    state.system, state, until=SHORT, method=method(name)
                )
                yield f"{name} of {system}", of_motion(motion)
            except ph.PolhodeError as error:
                yield f"{name} of {system}", f"refused: {type(error).__name__}"


def sweep_with_events() -> Iterator[tuple[str, str]]:
    """Pendulums of many starts, each watched for its passing through the middle."""
    pendulum = ph.models.pendulum()
    hinge = pendulum.joints[0].name
    starts = [pendulum.state({hinge: x}) for x in np.linspace(0.1, 2.0, 37)]
    middle = ph.Event("middle", lambda t, state: state[hinge])
    found = ph.sweep(pendulum, starts, until=2.0, events=[middle])
    yield "sweep", digest(found.q, found.z)
    yield "events of the sweep", digest(found.events.t)


def resumed_file() -> Iterator[tuple[str, str]]:
    """A run to disk that its limit ends, then continued."""
    state = ph.models.start("double_pendulum")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "motion.nc"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ph.simulate(state.system, state, until=20.0, limit=300, to=path)
        yield "resumed", of_motion(ph.resume(path, state.system, limit=10**6))


def linearisation() -> Iterator[tuple[str, str]]:
    """The cart with its pendulum hanging, linearised."""
    linear = ph.linearise(ph.models.cart_pendulum())
    yield "linearised", digest(linear.modes().eigenvalues.view(float))


PARTS = (gallery, methods, sweep_with_events, resumed_file, linearisation)


def main() -> None:
    """Print the hash of all parts."""
    whole = hashlib.sha256()
    for part in PARTS:
        for name, found in part():
            if "--lines" in sys.argv:
                print(f"{found}  {name}", flush=True)
            whole.update(f"{name} {found}\n".encode())
    print(whole.hexdigest()[:32])


if __name__ == "__main__":
    main()
