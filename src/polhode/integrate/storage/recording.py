"""What a file holds, without its model; with it, a motion again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from polhode.errors import FileError, StateError
from polhode.integrate.kernel.outcome import Outcome
from polhode.integrate.results.body_motion import JointMotion
from polhode.integrate.storage import model_text
from polhode.integrate.storage.layout import names_and_units
from polhode.integrate.storage.paths import admit_path
from polhode.integrate.storage.reading import Content, content_of
from polhode.system.members import suggestion

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations
    from polhode.integrate.results.trajectory import Trajectory
    from polhode.system.system import System


def load_motion(path: Any, *, span: tuple[float, float] | None = None) -> Recording:
    """What a file of a motion holds; of a long one only a span of time, if asked.

    Nothing in the file is run. Damaged, foreign and newer files are refused.
    `ph.load_motion(path).of()` is the motion.
    """
    place = admit_path(path)
    found = Recording(content_of(place, span=_admit_span(span)))
    if span is not None and len(found.t):
        low, high = np.min(found.t), np.max(found.t)
        if max(span) < low or min(span) > high:
            raise FileError(
                f"{str(place)!r} has nothing from {min(span):g} to {max(span):g} s.",
                f"Its motion runs from {found.t[0]:g} to {found.t[-1]:g} s.",
                "Give a span=(first, last) within.",
            )
    return found


def _admit_span(span: Any) -> tuple[float, float] | None:
    if span is None:
        return None
    try:
        first, last = (float(t) for t in span)
        is_span = np.isfinite(first) and np.isfinite(last)
    except (TypeError, ValueError):
        is_span = False
    if not is_span:
        raise FileError(
            f"span={span!r} is no span of time.",
            "It is two times, in seconds.",
            "Give span=(first, last).",
        )
    return first, last


@final
@dataclass(frozen=True, eq=False, repr=False)
class Recording:
    """The numbers of a motion and what the file says of them.

    t (n,), x (n, width) with `names` and `units`; `recording["hinge"]` is how a joint
    moves. `header` has the model in words, method, parameters and versions.
    """

    content: Content

    @property
    def header(self) -> dict[str, Any]:
        """Model, method, parameters, versions, in words and numbers."""
        return self.content.header

    @property
    def t(self) -> np.ndarray:
        """Times (n,)."""
        return self.content.steps.t

    @property
    def x(self) -> np.ndarray:
        """Coordinates, then velocities (n, width)."""
        return self.content.steps.x

    @property
    def names(self) -> list[str]:
        """What the columns of x are called."""
        return names_and_units(self.header)[0]

    @property
    def units(self) -> list[str]:
        """Their units; those of a formulation's own velocities are not said."""
        return names_and_units(self.header)[1]

    @property
    def outcome(self) -> Outcome:
        """How the run ended, or where its file ends if it was killed."""
        ending, name = self.content.ending, self.header["model"]["name"]
        if ending:
            return Outcome(**ending)
        t = float(self.t[-1]) if len(self.t) else float(self.header["start"][0][0])
        return Outcome(
            "INTERRUPTED",
            t,
            f"the file of {name!r} ends at t = {t:.9g} s, short of"
            f" {self.header['until']:.9g} s: the run was killed, or still runs."
            " ph.resume goes on with it.",
            *self._counts(),
        )

    def _counts(self) -> tuple[int, int]:
        names = [e[0] for e in self.header["cursor_layout"] if e[1] == "counts"]
        single = dict(
            zip(names, self.content.stepper_state.counts.tolist(), strict=False)
        )
        return single.get(".accepted", 0), single.get(".rejected", 0)

    def __getitem__(self, joint: str) -> JointMotion:
        joints = self.header["model"]["joints"]
        known = [each["name"] for each in joints]
        if joint not in known:
            raise StateError(
                f"the file of {self.header['model']['name']!r} has no joint {joint!r}.",
                "Without its model a motion is indexed by the names of joints.",
                suggestion(joint, known),
            )
        own = joints[known.index(joint)]
        names = self.names
        q = [names.index(name) for name in own["coordinates"]]
        speeds = [f"speed of {name}" for name in own["speeds"]]
        z = [names.index(name) for name in speeds if name in names]
        return JointMotion(self.t, self.x[:, q], self.x[:, z])

    @property
    def system(self) -> System:
        """The model, from its text in the file; refused where laws are Python's."""
        return model_text.read(self.content.path, self.header)

    def of(
        self, model: System | Equations | None = None, inputs: Any = None
    ) -> Trajectory:
        """The motion of the model that was run; another is refused.

        Without a model it is made from its text in the file. One with laws of Python,
        or moved by other equations than usual, is given again, and so are inputs.
        """
        from polhode.integrate.storage.resume import trajectory_from

        return trajectory_from(self, self.system if model is None else model, inputs)

    def __getattr__(self, name: str) -> Any:
        from polhode.integrate.results.trajectory import Trajectory

        if not name.startswith("_") and hasattr(Trajectory, name):
            raise AttributeError(
                f"a recording has numbers only, and no {name!r}; with its model it is"
                f" a motion: ph.load_motion(path).of().{name}"
            )
        raise AttributeError(f"a recording has no {name!r}")

    def to_xarray(self) -> Any:
        """The numbers as an `xarray.Dataset`: x over time and entry."""
        import xarray

        rows = {"x": (("time", "entry"), self.x)}
        places = {"time": self.t, "entry": self.names, "unit": ("entry", self.units)}
        return xarray.Dataset(rows, places, {"title": self.header["model"]["name"]})

    def __repr__(self) -> str:
        name, span = self.header["model"]["name"], "no row"
        if len(self.t):
            span = f"{self.t[0]:g} to {self.t[-1]:g} s"
        made = self.header["method"]["name"]
        return f"Recording({name!r}, {span}, {len(self.t)} rows by {made})"
