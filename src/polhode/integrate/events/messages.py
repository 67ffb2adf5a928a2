"""The words in which the host tells why a run ended."""

from __future__ import annotations

from typing import NamedTuple

from polhode.integrate.events.context import Guide
from polhode.integrate.events.locate import Crossing
from polhode.integrate.kernel.chunk import Cursor
from polhode.system.state import State


class Told(NamedTuple):
    """Why the host ended a run, and what was raised, if anything was."""

    sentence: str
    cause: BaseException | None = None


def stopped(
    guide: Guide, cursor: Cursor, what: str, cause: BaseException | None = None
) -> Told:
    """A run that cannot go on: what failed, and what that raised."""
    name = guide.equations.system.name
    why = (
        f" ({type(cause).__name__}: {cause})" if cause and "raised" not in what else ""
    )
    return Told(
        f"{name!r} stopped at t = {float(cursor.t):.9g} s, after"
        f" {int(cursor.accepted)} steps: {what}{why}. What was reached is kept.",
        cause,
    )


def ending(guide: Guide, crossing: Crossing, state: State) -> Told:
    """A run that has met a terminal event."""
    event, name = guide.events[crossing.event], guide.equations.system.name
    at = f"t = {float(state.t):.12g} s"
    return Told(f"{name!r} was ended by its event {event.name!r} at {at}.")


def zeno(guide: Guide, crossing: Crossing, cursor: Cursor) -> Told:
    """A run whose events accumulate."""
    event, name = guide.events[crossing.event], guide.equations.system.name
    span = float(cursor.t) - float(cursor.recent[0])
    return Told(
        f"{name!r} stopped at t = {float(cursor.t):.9g} s: the event {event.name!r} was"
        f" the last of {len(cursor.recent)} within {abs(span):.3g} s. Such events"
        " accumulate, infinitely many in a finite time (Zeno), and no run passes them."
        " End the run there with terminal=True, or let the reset hold what comes to"
        " rest; what was reached is kept."
    )
