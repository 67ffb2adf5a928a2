"""Events and resets that fail: refused at the door, or told of with the rows kept."""

from __future__ import annotations

from functools import cache

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from polhode.errors import FileError, IntegrationError, IntegrationWarning
from track import MOTOR, driven

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
    with pytest.warns(IntegrationWarning, match="event 'root' is not finite"):
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


def test_what_rests_on_a_floor_does_not_fall_through_it():
    """From rest it would pass, a moment later: its reset is made there."""
    system = dropped()

    def bounce(t, state):
        return state.changed(speeds={"box": -0.5 * state.speed("box")})

    floor = ph.Event("floor", height, direction=-1, reset=bounce)
    for speed in (0.0, -1e-12):
        start = system.state(box=0.0, speeds={"box": speed})
        with pytest.warns(IntegrationWarning, match="Zeno"):
            motion = ph.simulate(system, start, until=1.0, events=floor)
        assert abs(motion.q[-1, 0]) < 1e-12
    up = ph.Event("ceiling", height, direction=1, reset=bounce)
    free = ph.simulate(system, system.rest(), until=1.0, events=up)
    assert free.q[-1, 0] < -4.0
    assert not len(free.events)


@pytest.mark.parametrize("dt", [0.1, 0.05])
def test_resets_at_the_instants_of_samples_are_made_once(dt):
    """Multiples of one time differ by their rounding from those of another."""

    def kicked(t, state):
        return state.changed(speeds={"track": state.speed("track") + 0.1})

    kick = ph.Event("kick", lambda t: jnp.sin(np.pi * t / 0.2), reset=kicked)
    tick = ph.Event("tick", lambda t: jnp.sin(np.pi * t / 0.1))
    inputs = {MOTOR: ph.Sampled(lambda t, state: 0.0, dt)}
    wish = {"until": 3.0, "inputs": inputs, "events": [kick, tick]}
    motion = ph.simulate(driven(), driven().rest(), **wish)
    assert motion.outcome.is_complete
    assert np.allclose(motion.events["kick"].t, 0.2 * np.arange(1, 16), atol=1e-12)
    assert np.allclose(motion.events["tick"].t, 0.1 * np.arange(1, 31), atol=1e-12)
    assert abs(motion.z[-1, 0] - 1.5) < 1e-9


@pytest.mark.parametrize("stored", [False, True])
def test_where_a_run_ended_is_kept_beside_its_samples(stored, tmp_path):
    """Its last state is its own, and not that of the last sample before."""
    wish = {"to": tmp_path / "a.nc"} if stored else {}
    low = ph.Event("low", height, terminal=True)
    for samples in (5, [1.5]):
        found = ph.simulate(
            dropped(), dropped().state(box=1.0), until=1.9, samples=samples,
            events=low, **wish,
        )  # fmt: skip
        assert found.final.t == found.outcome.t == found.events["low"].t[0]
        assert abs(found.final["box"]) < 1e-12
        if stored:
            assert np.array_equal(ph.load_motion(wish["to"]).t, found.t)
            again = ph.resume(wish["to"], dropped(), events=low)
            assert np.array_equal(again.q, found.q)
            wish["to"].unlink()
    end = float(np.sqrt(2 / G))
    at_one = ph.simulate(
        dropped(), dropped().state(box=1.0), until=1.9, samples=[0.1, end], events=low
    )
    assert len(at_one) == 2 or at_one.t[-1] != at_one.t[-2]


def test_a_run_goes_on_with_events_of_its_own_kind(tmp_path):
    """Another way, an end or a reset under the old name would be another run."""
    path, low = tmp_path / "a.nc", ph.Event("low", height)
    with pytest.warns(IntegrationWarning, match="limit"):
        ph.simulate(dropped(), dropped().state(box=1.0), until=1.9, limit=3,
                    events=low, to=path)  # fmt: skip
    for kind in ({"direction": 1}, {"terminal": True}, {"reset": lambda t, s: s}):
        other = ph.Event("low", height, **kind)
        with pytest.raises(FileError, match="other kinds of events"):
            ph.resume(path, dropped(), events=other, limit=10**6)
    assert ph.resume(path, dropped(), events=low, limit=10**6).outcome.code == "DONE"
