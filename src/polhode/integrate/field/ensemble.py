"""An ensemble: runs of one system drawn from distributions, each by its number.

Run k of an ensemble is the same whoever makes it, in whatever order and beside whatever
others: its numbers come from streams that are named by the seed, by the quantity and by
the block of runs in which k lies. More runs, or another quantity that is drawn, change
nothing of those that there were. So an ensemble travels to a cluster as a few numbers,
and each worker draws the runs that it makes.

    stream(quantity, b) = Philox(SeedSequence([seed, digest(quantity)], (b,)))
    run k is row k mod 1024 of block b = k div 1024
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, final

import numpy as np

from polhode.errors import ModelError, PolhodeError
from polhode.geometry.rotations import quaternion
from polhode.integrate.field.distribution import (
    DISTRIBUTIONS,
    Distribution,
    distribution_from,
    table_of,
)
from polhode.integrate.field.states import States, unchecked
from polhode.system.check import require_consistent
from polhode.system.members import suggestion
from polhode.system.state import State

if TYPE_CHECKING:
    from polhode.system.system import System

# Runs that one stream draws: a stream costs some 20 us to begin.
BLOCK = 1024
DRAWN = ("coordinates", "turns", "speeds", "parameters")
MOST = 10**12  # runs: more are a mistake


class Drawn(NamedTuple):
    """Some runs of an ensemble: their states, and parameter -> a value for each."""

    states: States
    parameters: dict[str, np.ndarray]


@final
@dataclass(frozen=True, eq=False, repr=False)
class Ensemble:
    """Runs of a system from drawn states and with drawn parameters.

    start         the state about which they are drawn; what is not drawn is as there
    runs          how many; run k is the same for any number of them
    seed          a whole number
    coordinates   coordinate -> its distribution: "hinge", "orbit.x"
    turns         joint with a quaternion -> distribution of each component of the
                  rotation vector (rad, in the body) by which it is turned from start
    speeds        speed -> its distribution: "hinge", "orbit.wx"
    parameters    parameter -> its distribution

    `ph.sweep(system, ensemble, until=...)` runs it. Where constraints hold, each state
    that was drawn is put on them, `system.consistent`.

    >>> import polhode as ph
    >>> start = ph.models.start("pendulum")
    >>> mass = {"m": ph.distributions.Normal(1, 0.1)}
    >>> drawn = ph.Ensemble(start, 10**6, seed=7, parameters=mass)
    >>> drawn.part(0, 3).parameters["m"].round(4).tolist() == drawn.part(
    ...     0, 2000).parameters["m"][:3].round(4).tolist()
    True
    """

    start: State
    runs: int
    seed: int = 0
    coordinates: Mapping[str, Distribution] = field(default_factory=dict)
    turns: Mapping[str, Distribution] = field(default_factory=dict)
    speeds: Mapping[str, Distribution] = field(default_factory=dict)
    parameters: Mapping[str, Distribution] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.start, State):
            raise ModelError(
                f"an ensemble cannot be drawn about {self.start!r}.",
                "It is drawn about a state of a system.",
                "Give system.state(...), or ph.models.start(...).",
            )
        for word, least, most in (("runs", 1, MOST), ("seed", 0, 2**63)):
            _require_whole(word, getattr(self, word), least, most)
        system = self.start.system
        system.require_parameters(self.parameters)
        plain = [n for j in system.joints for n in _plain_coordinates(j)]
        turning = [joint.name for joint in system.joints if _quaternion(joint)]
        known = {
            "coordinates": plain,
            "turns": turning,
            "speeds": list(system.speed_names),
            "parameters": list(system.parameters),
        }
        for word, names in known.items():
            for name, own in getattr(self, word).items():
                _require_known(word, name, names)
                if type(own) not in DISTRIBUTIONS.values():
                    raise ModelError(
                        f"{name!r} of an ensemble cannot be drawn from {own!r}.",
                        "It is drawn from a distribution.",
                        "Give one of ph.distributions: Normal(mean, deviation),"
                        " Uniform(low, high) or Choice(values).",
                    )

    @property
    def system(self) -> System:
        """Whose runs they are."""
        return self.start.system

    def __len__(self) -> int:
        return self.runs

    def part(self, first: int, stop: int) -> Drawn:
        """The runs from `first` to before `stop`."""
        system, start, count = self.system, self.start, stop - first
        q, z = np.tile(start.q, (count, 1)), np.tile(start.z, (count, 1))
        for name, own in self.coordinates.items():
            q[:, system.coordinate_names.index(name)] = self._draw(
                f"coordinate {name}", own, (first, stop)
            )[:, 0]
        for name, own in self.turns.items():
            turn = self._draw(f"turn {name}", own, (first, stop), 3)
            at = system.coordinate_names.index(f"{name}.qw")
            q[:, at : at + 4] = _turned(q[:, at : at + 4], turn)
        for name, own in self.speeds.items():
            z[:, system.speed_names.index(name)] = self._draw(
                f"speed {name}", own, (first, stop)
            )[:, 0]
        table = {
            name: self._draw(f"parameter {name}", own, (first, stop))[:, 0]
            for name, own in self.parameters.items()
        }
        return Drawn(self._placed(q, z), table)

    def _placed(self, q: np.ndarray, z: np.ndarray) -> States:
        """States on their constraints; those that cannot be are faults."""
        system, t = self.system, np.full(len(q), float(self.start.t))
        faults: dict[int, PolhodeError] = {}
        for k in range(len(q)) if system.constraints else ():
            try:
                state = system.consistent(State(system, t[k], q[k], z[k]))
                state = require_consistent(state)
                q[k], z[k] = state.q, state.z
            except PolhodeError as error:
                faults[k] = error
        found = unchecked(system, t, q, z)
        object.__setattr__(found, "faults", faults)
        return found

    def _draw(
        self, name: str, own: Distribution, span: tuple[int, int], width: int = 1
    ) -> np.ndarray:
        """Numbers (runs, width) of one quantity, block by block."""
        first, stop = span
        begin, end = first // BLOCK, -(-stop // BLOCK)
        word = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")
        blocks = []
        for block in range(begin, end):
            seeds = np.random.SeedSequence([int(self.seed), word], spawn_key=(block,))
            stream = np.random.Generator(np.random.Philox(seeds))
            blocks.append(own.draw(stream, (BLOCK, width)))
        return np.concatenate(blocks)[first - begin * BLOCK : stop - begin * BLOCK]

    def described(self) -> dict[str, Any]:
        """All that it draws from, as numbers and words of a model file."""
        found: dict[str, Any] = {"runs": int(self.runs), "seed": int(self.seed)}
        for word in DRAWN:
            if own := getattr(self, word):
                found[word] = {name: table_of(d) for name, d in own.items()}
        return found

    def digest(self) -> str:
        """The hash of what it draws from, and of the state about which it does."""
        start = [float(self.start.t), self.start.q.tolist(), self.start.z.tolist()]
        text = json.dumps([self.described(), start], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def __repr__(self) -> str:
        return f"Ensemble({self.system.name!r}: {self.runs} runs, seed {self.seed})"


def ensemble_from(start: State, described: Mapping[str, Any]) -> Ensemble:
    """An ensemble from what `described` says of it, about a state."""
    drawn = {
        word: {name: distribution_from(own) for name, own in described[word].items()}
        for word in DRAWN
        if word in described
    }
    return Ensemble(start, described["runs"], described.get("seed", 0), **drawn)


def _turned(q: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """Quaternions (n, 4) turned by rotation vectors (n, 3) in the body: q exp(turn)."""
    whole = quaternion.product(q, quaternion.exp(turn))
    return np.asarray(quaternion.normalised(whole))


def _quaternion(joint: Any) -> bool:
    return f"{joint.name}.qw" in joint.coordinate_names


def _plain_coordinates(joint: Any) -> list[str]:
    """The coordinates of a joint but the parts of a quaternion."""
    parts = {f"{joint.name}.{word}" for word in ("qw", "qx", "qy", "qz")}
    own = joint.coordinate_names
    return [name for name in own if name not in parts or not _quaternion(joint)]


def _require_whole(word: str, value: Any, least: int, most: int) -> None:
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not is_whole or not least <= value <= most:
        raise ModelError(
            f"an ensemble cannot have {word} {value!r}.",
            f"It is a whole number from {least} to {most:g}.",
            f"Give {word}={max(least, 7)}.",
        )


def _require_known(word: str, name: str, known: list[str]) -> None:
    if name in known:
        return
    why = f"Known are {', '.join(known) or 'none'}."
    if word == "coordinates" and name.rpartition(".")[2] in ("qw", "qx", "qy", "qz"):
        why = "It is a part of a unit quaternion, which is turned and not added to."
        repair = f"Give turns={{{name.rpartition('.')[0]!r}: ...}}."
    else:
        repair = suggestion(name, known)
    raise ModelError(f"an ensemble has no {word[:-1]} {name!r} to draw.", why, repair)
