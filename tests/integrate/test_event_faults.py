"""Events and resets that fail: refused at the door, or told of with the rows kept."""

from __future__ import annotations

from functools import cache

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from polhode.errors import IntegrationError, IntegrationWarning

G = 9.81


@cache
def dropped() -> ph.System:
    """A box that falls along the vertical."""
    box = ph.Body("box", ph.solids.box(mass=1.0, x=0.1, y=0.1, z=0.1))
    track = ph.Prismatic("box", ph.World().origin, box.origin, axis=ph.Z)
    return ph.System([track], [ph.Weight(G)], name="dropped")


def drop(events, until=1.9, box=1.0):
    start = dropped().state(box=box)
    return ph.simulate(dropped(), start, until=until, events=events)


def height(t, state):
    """How high the box is."""
    return state["box"]


def test_resets_that_fail_stop_the_run():
    """What was raised is attached; rows until then are kept."""

    def broken(t, state):
        raise ZeroDivisionError("no")

    def nothing(t, state):
        return None

    for reset, words in ((broken, "ZeroDivisionError: no"), (nothing, "not None")):
        event = ph.Event("floor", height, -1, reset=reset)
        with pytest.warns(IntegrationWarning, match="the reset of 'floor' failed"):
            motion = ph.simulate(
                dropped(), dropped().state(box=1.0), until=1.9, events=event
            )
        assert motion.outcome.code == "FORCE"
        assert words in str(motion.outcome)
        assert isinstance(motion.cause, ZeroDivisionError | TypeError)
        assert motion.t[-1] == pytest.approx(np.sqrt(2 / G))
        assert np.all(np.isfinite(motion.q))


def test_an_event_without_a_number_stops_the_run():
    """Refused at the start, told of later."""
    root = ph.Event("root", lambda t, state: jnp.sqrt(state["box"] - 0.5) - 0.1)
    with pytest.warns(IntegrationWarning, match="event 'root' gives no number"):
        motion = ph.simulate(
            dropped(), dropped().state(box=1.0), until=1.9, events=root
        )
    assert np.all(np.isfinite(motion.q))
    assert 0 <= motion.t[-1] < np.sqrt(1 / G)
    with pytest.raises(IntegrationError, match="its event 'root' is nan"):
        drop(root, box=0.4)


def test_events_that_are_none_are_refused():
    """Names, directions, functions and spans are checked before the run."""
    for words, make in (
        ("cannot have the direction 2", lambda: ph.Event("a", height, 2)),
        ("function of event 'a' is 3", lambda: ph.Event("a", 3)),
        ("reset of event 'a' is 3", lambda: ph.Event("a", height, reset=3)),
        ("spacing of 0", lambda: ph.Event("a", height, spacing=0)),
    ):
        with pytest.raises(IntegrationError, match=words):
            make()
    for words, events in (
        ("two events are called 'a'", [ph.Event("a", height), ph.Event("a", height)]),
        ("is not an event", [3]),
        ("gives 2 numbers", [ph.Event("a", lambda t, state: jnp.ones(2))]),
    ):
        with pytest.raises(IntegrationError, match=words):
            drop(events)
    with pytest.raises(IntegrationError, match="no event 'b'"):
        ph.simulate(
            dropped(), dropped().state(box=1.0), until=0.1, events=ph.Event("a", height)
        ).events["b"]
