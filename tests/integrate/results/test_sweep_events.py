"""Events of many runs at once: those of each run alone, to the last bit."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import polhode as ph
from moving import double_pendulum
from polhode.errors import FileError, IntegrationError, IntegrationWarning
from polhode.integrate import sweep
from polhode.integrate.host import batch_loop

G = 9.81


@cache
def ball() -> ph.System:
    """A ball above a floor."""
    return ph.System([ph.Particle("ball", 0.1)], [ph.Weight(G)], name="ball")


def height(t, state):
    return state["ball"][2]


def bounced(t, state):
    return state.changed(speeds={"ball": -0.7 * state.speed("ball")})


FLOOR = ph.Event("floor", height, -1, reset=bounced)
LAST = ph.Event("high", lambda t, state: height(t, state) - 3.0, 1, terminal=True)
TOP = ph.Event("top", lambda t, state: state.speed("ball")[2], -1)
EVENTS, NAMES = [FLOOR, TOP, LAST], ("floor", "top", "high")


def thrown(count: int = 9) -> ph.States:
    """From the floor itself, from above it, upwards and down."""
    q, z = np.zeros((count, 3)), np.zeros((count, 3))
    q[:, 2] = np.linspace(0.0, 2.0, count)
    z[:, 2] = np.linspace(-5.0, 8.0, count)
    return ph.States(ball(), 0.0, q, z)


def require_same(found, alone, names) -> None:
    """Events, ends and sentences of a sweep are those of runs by themselves."""
    for k, motion in enumerate(alone):
        assert found.outcome(k) == motion.outcome
        for name in names:
            one, other = found.events.of(k)[name], motion.events[name]
            assert np.array_equal(one.t, other.t)
            assert [e.direction for e in one] == [e.direction for e in other]
            for side in ("before", "after"):
                pairs = zip(one, other, strict=True)
                assert all(
                    np.array_equal(getattr(a, side).z, getattr(b, side).z)
                    for a, b in pairs
                )


@pytest.mark.parametrize("room", [128, 1])
def test_bounces_of_a_sweep_are_those_of_each_ball(monkeypatch, room):
    """Resets, also at the very start, an end by an event, and one only seen."""
    monkeypatch.setattr(batch_loop, "ROOM", room)
    found = ph.sweep(ball(), thrown(), until=1.5, events=EVENTS)
    alone = [ph.simulate(ball(), s, until=1.5, events=EVENTS) for s in thrown()]
    require_same(found, alone, NAMES)
    for k, motion in enumerate(alone):
        assert np.array_equal(found.final_q[k], motion.q[-1])
        assert np.array_equal(found.final_z[k], motion.z[-1])
        assert found.t[k, -1] == motion.t[-1]
    ended = [motion.outcome.code == "EVENT" for motion in alone]
    assert 0 < sum(ended) < len(alone)
    assert len(found.failed) == 0
    assert found.events.of(0)["floor"].t[0] == 0.0
    columns = found.events.columns()
    assert len(columns["t"]) == len(found.events) == sum(len(m.events) for m in alone)
    assert "'floor'" in repr(found.events)


def test_samples_between_events_are_those_of_each_run():
    """Before a bounce, at one, and after it; of an ended run its last state."""
    fall = np.sqrt(2 * 1.0 / G)  # of the ball from 1 m
    times = np.sort([0.0, 0.2, fall, 0.5, 0.9, 1.2, 1.5])
    wish = {"until": 1.5, "events": EVENTS, "samples": times}
    found = ph.sweep(ball(), thrown(), **wish)
    alone = ph.simulate(ball(), thrown(), **wish)
    require_same(found, alone, NAMES)
    for k, motion in enumerate(alone):
        assert np.array_equal(found.q[k][: len(motion)], motion.q)
        assert np.array_equal(found.z[k][: len(motion)], motion.z)
        assert np.all(found.t[k][len(motion) :] == found.t[k, -1])


@pytest.mark.long
def test_close_grazing_and_quick_events_are_met_in_a_sweep():
    """Three zeros in a step, one touched, and many: none is missed by the lookout."""
    import jax.numpy as jnp

    events = [
        ph.Event("thrice", lambda t: (t - 0.5) * (t - 0.501) * (t - 0.502)),
        ph.Event("touched", lambda t: (t - 0.7) ** 2),
        ph.Event("quick", lambda t: jnp.sin(150 * t)),
    ]
    found = ph.sweep(ball(), thrown(2), until=1.0, events=events)
    counts = [len(found.events.of(1)[name]) for name in ("thrice", "touched", "quick")]
    assert counts == [3, 1, int(150 / np.pi)]


@pytest.mark.long
def test_a_sweep_backwards_and_by_fixed_steps_meets_the_same():
    """Any method and direction; the values of parameters are the runs' own."""
    low = ph.Event("low", lambda t, state: state["shoulder"])
    system = double_pendulum()
    start = system.state(shoulder=1.0, elbow=0.3)
    masses = {"lower.mass": np.array([0.3, 0.7, 2.0])}
    for more in (
        {"until": -2.0},
        {"until": 2.0, "method": ph.methods.RungeKutta4(0.01)},
    ):
        found = ph.sweep(system, start, events=low, parameters=masses, **more)
        alone = ph.simulate(system, start, events=low, parameters=masses, **more)
        require_same(found, alone, ("low",))
        assert len({float(found.events.of(k).t[0]) for k in range(3)}) == 3


def test_runs_that_cannot_go_on_from_an_event_are_told_of():
    """Zeno's bounces end one run with its sentence; the other goes on."""
    q, z = np.array([[0, 0, 0.5], [0, 0, 50.0]]), np.zeros((2, 3))
    states = ph.States(ball(), 0.0, q, z)
    with pytest.warns(IntegrationWarning, match="1 of 2 runs stopped; run 0.*Zeno"):
        found = ph.sweep(ball(), states, until=3.0, events=EVENTS)
    assert list(found.failed) == [0]
    assert found.outcome(1).code == "DONE"


def test_events_of_a_sweep_are_kept_on_disk(tmp_path, monkeypatch):
    """Parts have them, in the numbers of their runs; another sweep is refused."""
    monkeypatch.setattr(sweep, "SLAB", 4)
    wish = {"until": 1.5, "events": EVENTS, "samples": 3}
    memory = ph.sweep(ball(), thrown(), **wish)
    stored = ph.sweep(ball(), thrown(), **wish, to=tmp_path / "a")
    whole = stored.whole()
    assert np.array_equal(whole.events.t, memory.events.t)
    assert np.array_equal(whole.events.run, memory.events.run)
    assert np.array_equal(whole.events.after, memory.events.after)
    assert [whole.outcome(k) for k in range(9)] == [memory.outcome(k) for k in range(9)]
    assert [stored.outcome(k) for k in (0, 5)] == [memory.outcome(k) for k in (0, 5)]
    with pytest.raises(FileError, match="has another sweep in it"):
        ph.sweep(ball(), thrown(), **{**wish, "events": [FLOOR]}, to=tmp_path / "a")


def test_what_a_sweep_cannot_watch_is_refused():
    """Things that are no events, starts past a limit."""
    with pytest.raises(IntegrationError, match="is not an event"):
        ph.sweep(ball(), thrown(), until=1.0, events=3)
    guard = ph.Event("guard", lambda t, s: height(t, s) - 1.0, required=True)
    with pytest.raises(IntegrationError, match="'guard' has passed by 1"):
        ph.sweep(ball(), thrown(), until=1.0, events=guard)


def test_an_audited_sweep_books_resets(monkeypatch):
    """As the ledger of a run alone; resets in plain Python cut steps on the host."""
    told = []

    def by_python(t, state):
        told.append(t)
        x, y, z = (float(v) for v in state.speed("ball"))
        return state.changed(speeds={"ball": (x, y, -0.8 * z)})

    floor = ph.Event("floor", height, -1, reset=by_python)
    for event in (FLOOR, floor):
        wish = {"until": 1.0, "events": event, "rtol": 1e-9}
        swept = ph.sweep(ball(), thrown(), audited=True, **wish)
        assert np.max(np.abs(swept.ledger.balance)) < 1e-9
        alone = ph.simulate(ball(), thrown()[0], **wish).ledger()
        for name, work in alone.work.items():
            assert swept.ledger.work[name][0] == pytest.approx(work[-1], abs=1e-12)
    assert len(told) > 2
