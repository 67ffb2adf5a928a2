"""The motion of a system: rows of time, coordinates and speeds, by name and by time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, final

import numpy as np

from polhode.arrays import Scalar, itself
from polhode.integrate.events.event import NO_EVENTS, Events
from polhode.integrate.field.dense_output import Steps, bare, evaluate
from polhode.integrate.inputs.inputs import UNFED, InputLog
from polhode.integrate.kernel.outcome import Outcome
from polhode.integrate.methods.mechanical.moreau import Moreau
from polhode.integrate.methods.method import Method
from polhode.integrate.results import export
from polhode.integrate.results.body_motion import BodyMotion, JointMotion, at_rows
from polhode.integrate.results.checkpoint import Checkpoint
from polhode.integrate.results.contact_log import (
    NO_CONTACTS,
    ContactLog,
    SupportMotion,
)
from polhode.integrate.results.indexing import (
    admit_choice,
    admit_times,
    is_choice,
    no_controller,
    not_asked,
    require_rows,
)
from polhode.integrate.results.moreau_contacts import stepped_support
from polhode.integrate.results.quantity import Quantity
from polhode.matter.parameter import Table
from polhode.system.state import State

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations
    from polhode.integrate.audit.ledger import Ledger
    from polhode.system.system import System


@final
@dataclass(frozen=True, eq=False, repr=False)
class Trajectory:  # limit: a motion is asked by row, by name, by time and as a whole
    """One motion, from its first row to its last.

    t (n,), q (n, nq), z (n, nz). `motion["rod"]` is how a body moves, `motion["hinge"]`
    how a joint does, `motion[3:8]` some rows, `motion.at(1.5)` the state at a time;
    `one + other` is one motion after the other.

    outcome   how the run ended; not always at the time that was requested
    method    that made it, and `note`, why it was picked
    is_dense  whether every step was kept, so that times between rows can be asked
    checkpoint   where the run ended, to go on from; None of a part of a motion
    events    what happened on the way: `motion.events["floor"].t`
    inputs    what it was driven by: `motion.inputs["motor"]`
    cause     what plain Python raised, if that ended the run
    contacts  modes and impacts of supports; `motion["rest"]` asks them by name
    """

    equations: Equations
    method: Method
    steps: Steps
    outcome: Outcome
    table: Table
    note: str
    is_dense: bool
    checkpoint: Checkpoint | None = None
    events: Events = NO_EVENTS
    inputs: InputLog = UNFED
    cause: BaseException | None = None
    contacts: ContactLog = NO_CONTACTS

    __copy__ = __deepcopy__ = itself

    def __post_init__(self) -> None:
        for part in self.steps:
            part.setflags(write=False)

    # ----------------------------------------------------------------- rows

    @property
    def system(self) -> System:
        """What moves."""
        return self.equations.system

    @property
    def t(self) -> np.ndarray:
        """Times (n,)."""
        return self.steps.t

    @property
    def q(self) -> np.ndarray:
        """Coordinates (n, nq)."""
        return self.steps.x[:, : self.system.coordinates]

    @property
    def z(self) -> np.ndarray:
        """The system's speeds (n, nz), whatever velocities the equations have."""
        y = self.steps.x[:, self.system.coordinates :]
        core = self.equations.functions
        if core.start is core.speeds:  # they are the same velocities
            return y
        return at_rows(self, "speeds")

    def __len__(self) -> int:
        return len(self.t)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice) or is_choice(key):
            return self._part(key)
        if isinstance(key, int | np.integer) and not isinstance(key, bool):
            return State(self.system, self.t[key], self.q[key], self.z[key])
        bodies = [body.name for body in self.system.bodies]
        if key in bodies:
            return BodyMotion(self, bodies.index(key))
        joints = [joint.name for joint in self.system.joints]
        if key in joints:
            return self.joint(key)
        supports = [support.name for support in self.system.supports]
        if key in supports and isinstance(self.method, Moreau):
            return stepped_support(self, supports.index(key))
        if key in supports and self.contacts:
            return SupportMotion(self, supports.index(key))
        raise not_asked(self, key)

    def _part(self, key: Any) -> Trajectory:
        """Some of the rows; dense where they are neighbours."""
        dense = self.is_dense and isinstance(key, slice) and key.step in (None, 1)
        if is_choice(key):
            key = admit_choice(self, key)
        try:
            rows = self.steps.part(key)
        except (TypeError, ValueError) as reason:
            raise not_asked(self, key) from reason
        ends = (rows.t.min(), rows.t.max()) if len(rows.t) else (np.inf, np.inf)
        events = self.events.within(*ends)
        contacts = self.contacts.at_rows(np.arange(len(self))[key])
        part = replace(self, steps=rows, is_dense=dense, checkpoint=None)
        return replace(part, events=events, contacts=contacts)

    def __contains__(self, name: Any) -> bool:
        system = self.system
        parts = (*system.bodies, *system.joints, *system.supports)
        return any(name == part.name for part in parts)

    def joint(self, name: str) -> JointMotion:
        """How a joint moves; for one that has the name of its body."""
        edge = self.system.edge(name)
        return JointMotion(self.t, self.q[:, edge.q], self.z[:, edge.z], self, edge)

    def controller(self, name: str = "controller") -> np.ndarray:
        """The states (n, k) of a controller along the motion, by its name."""
        drive, first = self.inputs.inputs.drive, self.steps.x.shape[1]
        first -= len(drive.first_states)
        for group in drive.groups:
            if group.name == name and group.width:
                start = first + group.first
                return self.steps.x[:, start : start + group.width]
        raise no_controller(self, name)

    @property
    def final(self) -> State:
        """The last state."""
        require_rows(self)
        return self[len(self) - 1]

    # ----------------------------------------------------------------- times

    def at(self, t: Scalar) -> State:
        """The state at a time between the first row and the last."""
        return self.resampled([t])[0]

    def resampled(self, times: Any) -> Trajectory:
        """The motion at other times, from the dense output of its method."""
        times = admit_times(self, times)
        x = evaluate(self.steps, times)
        on_rows = np.isin(times, self.t)
        rows = replace(self, steps=bare(times, x), is_dense=False, checkpoint=None)
        ahead = np.searchsorted(self.t, times, side="left")
        nearest = np.clip(ahead, 0, max(len(self) - 1, 0))
        rows = replace(rows, contacts=self.contacts.at_rows(nearest))
        return rows if np.all(on_rows) else project_rows(rows)

    def ledger(self) -> Ledger:
        """Energy, work, momenta and constraints along the motion, balanced."""
        from polhode.integrate.audit.ledger import ledger_of

        require_rows(self)
        return ledger_of(self)

    def save(self, path: Any) -> None:
        """Into a netCDF-4 file, for `ph.load_motion` to read and `ph.resume` to go on.

        A path that ends in .csv takes a table: time, coordinates and speeds.
        """
        from polhode.integrate.storage.save import save

        save(self, path)

    def columns(self) -> dict[str, np.ndarray]:
        """Columns by name: 't', each coordinate, and 'speed of ...' each speed."""
        return export.columns_of(self)

    def to_pandas(self) -> Any:
        """The columns as a `pandas.DataFrame`."""
        import pandas

        return pandas.DataFrame(self.columns())

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The rows as a table of Arrow: pandas, polars and duckdb read it."""
        from polhode.integrate.results.arrow import motion_table, stream_of

        return stream_of([motion_table(self)], requested_schema)

    def to_xarray(self) -> Any:
        """An `xarray.Dataset` with q over (time, coordinate) and z over (time, speed).

        Names and units are with them.
        """
        return export.dataset_of(self)

    def logs(
        self, rates: Mapping[str, float]
    ) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Quantities at rates of their own, Hz: {"rod.position": 50} -> (t, values)."""
        return export.logs_of(self, rates)

    def measured(self, quantity: Any) -> np.ndarray:
        """Values (n, ...) at all rows of a `ph.Quantity`, a law (t, state) or a name.

        `motion.measured(lambda t, state: state["shoulder"] + state["elbow"])`; names
        are those of plots: `motion.measured("craft.euler_angles")` is (n, 3).
        """
        if isinstance(quantity, str):
            from polhode.show.plots.quantities import values_of

            return values_of(self, quantity)
        if not isinstance(quantity, Quantity):
            quantity = Quantity("quantity", quantity)
        return quantity.along(self)

    def plot(
        self,
        *names: str | Quantity,
        against: str = "t",
        degrees: bool = False,
        theme: str = "light",
    ) -> Any:
        """Quantities by name, with labels and units; see `show.quantities`.

        A `ph.Quantity` is one of your own. With `degrees`, angles and their rates are
        in degrees. `motion.plot("hinge.speed", against="hinge")` is a phase portrait.
        `theme` is "light" or "dark".
        """
        from polhode.show.plots.plot import plot

        return plot(self, names, against, degrees=degrees).themed(theme)

    def picture(
        self,
        at: Any = None,
        view: Any = None,
        *,
        follow: Any = None,
        axes: str = "world",
        theme: str = "light",
        beside: Trajectory | None = None,
    ) -> Any:
        """The bodies at a time or at several, drawn in 3D; see `show.still`."""
        from polhode.show.drawing.snapshot import picture

        seen = {"follow": follow, "axes": axes, "theme": theme, "beside": beside}
        return picture(self, at, view, **seen)

    def film(
        self,
        path: Any,
        *,
        speed: float = 1.0,
        view: Any = None,
        follow: Any = None,
        axes: str = "world",
        theme: str = "light",
        beside: Trajectory | None = None,
    ) -> Any:
        """Write a .gif or .mp4 of the motion; `speed=0.5` is slow; see `show.film`."""
        from polhode.show.drawing.film import film

        seen = {"follow": follow, "axes": axes, "theme": theme, "beside": beside}
        return film(self, path, speed=speed, view=view, **seen)

    def report(
        self,
        path: Any,
        *,
        plots: Sequence[str] | None = None,
        equations: Any = True,
        compare: Any = None,
        frames: int | None = None,
        follow: Any = None,
        axes: str = "world",
        theme: str | None = None,
        beside: Trajectory | None = None,
    ) -> Any:
        """Write a report of the motion: a .pdf, .md or .html file.

        The keywords are those of a page, for a .html alone.
        """
        from polhode.show.report.report import report

        return report(
            self,
            path,
            plots=plots,
            equations=equations,
            compare=compare,
            frames=frames,
            follow=follow,
            axes=axes,
            theme=theme,
            beside=beside,
        )

    def page(
        self,
        path: Any = None,
        *,
        plots: Sequence[str] | None = None,
        equations: Any = True,
        compare: Any = None,
        frames: int | None = None,
        follow: Any = None,
        axes: str = "world",
        theme: str | None = None,
        beside: Trajectory | None = None,
    ) -> Any:
        """Write one HTML file with replay, curves, equations; see `show.page.page`.

        Without a path a notebook shows it inline.
        """
        from polhode.show.page.page import page

        return page(
            self,
            path,
            plots=plots,
            equations=equations,
            compare=compare,
            frames=frames,
            follow=follow,
            axes=axes,
            theme=theme,
            beside=beside,
        )

    def show(
        self,
        *,
        frames: int | None = None,
        browser: bool | None = None,
        wait: bool | None = None,
        follow: Any = None,
        axes: str = "world",
        theme: str | None = None,
        beside: Trajectory | None = None,
    ) -> Any:
        """A 3D replay: in a notebook inline, else live in the browser of this machine.

        See `show.notebook.show`.
        """
        from polhode.show.notebook import show

        seen = {"follow": follow, "axes": axes, "theme": theme, "beside": beside}
        return show(self, frames=frames, browser=browser, wait=wait, **seen)

    def __add__(self, later: Trajectory) -> Trajectory:
        if not isinstance(later, Trajectory):
            return NotImplemented
        from polhode.integrate.results.concatenate import one_after_the_other

        return one_after_the_other(self, later)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from polhode.show.notebook import trajectory_html

        return trajectory_html(self)

    def __repr__(self) -> str:
        end = "" if self.outcome.is_complete else f"; {self.outcome}"
        span = f"{self.t[0]:g} to {self.t[-1]:g} s" if len(self) else "no row"
        return (
            f"Trajectory({self.system.name!r}, {span}, {len(self)} rows,"
            f" {self.outcome.accepted} steps by {self.note}{end})"
        )


def project_rows(motion: Trajectory) -> Trajectory:
    """Values between steps put back on their manifold and on the constraints."""
    system = motion.system
    if system.supports:
        q = np.array([system.normalised(row) for row in motion.q])
        return replace(
            motion,
            steps=motion.steps._replace(x=np.concatenate([q, motion.z], axis=1)),
        )
    is_plain = system.coordinates == system.speeds and not system.constraints
    if not motion.equations.row_names and is_plain:
        return motion
    return replace(motion, steps=motion.steps._replace(x=at_rows(motion, "settled")))
