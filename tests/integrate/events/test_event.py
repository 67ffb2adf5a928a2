"""Events: zeros are met once each, where they are, and what they change is kept."""

from __future__ import annotations

from functools import cache

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from moving import heavy_top, turning
from polhode.errors import IntegrationWarning
from polhode.integrate.events import tracker

G = 9.81
BOUNCE = 0.7


def box(name):
    return ph.Body(name, ph.solids.box(mass=1.0, x=0.1, y=0.1, z=0.1))


@cache
def falling() -> ph.System:
    """Two boxes that fall along the vertical, each by itself."""
    world = ph.World()
    tracks = [
        ph.Prismatic(name, world.origin, box(f"box {name}").origin, axis=ph.Z)
        for name in ("left", "right")
    ]
    return ph.System(tracks, [ph.Weight(G)], name="falling")


@cache
def swinging() -> ph.System:
    """x'' = -x."""
    block = box("block")
    track = ph.Prismatic("track", ph.World().origin, block.origin, axis=ph.X)
    return ph.System([track], [ph.JointSpring(track, 1.0)], name="swinging")


def height(name):
    return lambda t, state: state[name]


def bounced(name, restitution=BOUNCE):
    def reset(t, state):
        return state.changed(speeds={name: -restitution * state.speed(name)})

    return reset


LEFT, RIGHT = height("left"), height("right")
FLOORS = [
    ph.Event("left floor", LEFT, -1, reset=bounced("left")),
    ph.Event("right floor", RIGHT, -1, reset=bounced("right")),
]


def bounces(drop, count, restitution=BOUNCE):
    """Times at which a ball dropped from some height meets the floor."""
    first = np.sqrt(2 * drop / G)
    flights = 2 * first * restitution ** np.arange(1, count)
    return first + np.concatenate([[0.0], np.cumsum(flights)])


def drops(left=1.0, right=2.0, **more):
    return falling().state(left=left, right=right, **more)


def place(t, state):
    return state["track"]


def sine(until=100.0, events=(), **more):
    start = swinging().state(speeds={"track": 1.0})
    return ph.simulate(swinging(), start, until=until, events=events, **more)


def same_bits(a, b):
    pairs = zip(a.steps, b.steps, strict=True)
    return all(np.array_equal(x, y) for x, y in pairs) and str(a.events) == str(
        b.events
    )


# ------------------------------------------------------------------- where they are


def test_a_ball_bounces_when_it_should():
    """Times of bounces are those of the parabolas, heights scale by e^2."""
    motion = ph.simulate(falling(), drops(), until=1.9, events=FLOORS)
    for name, drop in (("left", 1.0), ("right", 2.0)):
        met = motion.events[f"{name} floor"]
        exact = bounces(drop, len(met) + 1)
        assert exact[-2] < 1.9 < exact[-1]
        assert np.allclose(met.t, exact[:-1], rtol=1e-12, atol=0)
        speeds = np.array([event.after.speed(name) for event in met])
        tops = speeds**2 / (2 * G)
        assert np.allclose(tops, drop * BOUNCE ** (2 * np.arange(1, len(met) + 1)))
        assert all(abs(event.before[name]) < 1e-15 for event in met)
        assert all(event.direction == -1 for event in met)
    assert motion.q.min() > -1e-12
    assert motion.outcome.code == "DONE"


def test_zeros_are_those_of_the_interpolant():
    """g of the dense output at the time found is zero to rounding, and not beside."""
    level = ph.Event("level", lambda t, state: state["track"] - 0.3)
    motion = sine(until=50.0, events=level)
    for event in motion.events:
        beside = [motion.at(event.t * (1 + d))["track"] - 0.3 for d in (-1e-12, 1e-12)]
        assert beside[0] * beside[1] < 0
        assert abs(event.before["track"] - 0.3) < 1e-14


@pytest.mark.parametrize("way", [-1, 0, 1])
def test_none_is_missed_and_none_is_doubled(way):
    """sin t has one zero every pi: so many are met, falling, rising or both."""
    motion = sine(until=1000.0, events=ph.Event("middle", place, way))
    first = {0: 1, -1: 1, 1: 2}[way]
    exact = np.pi * np.arange(first, 319, 1 if way == 0 else 2)
    assert np.allclose(motion.events.t, exact, rtol=0, atol=1e-6)
    assert len(motion.events) == len(exact)


def test_backwards_the_same_zeros_are_met():
    """A run back in time meets them in the other order, and from the other side."""
    start = swinging().state(track=1.0, t=20.0)
    event = ph.Event("middle", place, -1)
    motion = ph.simulate(swinging(), start, until=0.0, events=event)
    exact = 20.0 - np.pi * np.array([0.5, 2.5, 4.5])
    assert np.allclose(motion.events.t, exact, rtol=0, atol=1e-8)
    assert all(np.diff(motion.t) < 0)


@pytest.mark.parametrize("spacing", [np.inf, 0.05])
def test_a_function_quicker_than_the_motion_is_followed(spacing):
    """All zeros of sin 40 t are met in steps far longer than their distance."""
    start = falling().state(left=0.0)
    quick = ph.Event("quick", lambda t, state: jnp.sin(40 * t), spacing=spacing)
    motion = ph.simulate(falling(), start, until=3.0, events=quick)
    assert np.max(np.diff(motion.t)) > 0.5
    exact = np.pi / 40 * np.arange(1, 39)
    assert len(motion.events) == len(exact)
    assert np.allclose(motion.events.t, exact, rtol=1e-12, atol=0)


def test_grazing_contact_is_one_event():
    """sin t touches 1 once a turn, passes 0.999 twice, and never meets 1.001."""
    levels = [1.0, 0.999, 1.001]
    events = [
        ph.Event(str(c), lambda t, state, c=c: c - state["track"]) for c in levels
    ]
    motion = sine(until=60.0, events=events)
    touched, twice, never = (motion.events[str(c)] for c in levels)
    assert np.allclose(touched.t, np.pi / 2 + 2 * np.pi * np.arange(10), atol=1e-7)
    assert all(event.is_grazing and event.direction == -1 for event in touched)
    assert len(twice) == 20
    assert [event.direction for event in twice[:4]] == [-1, 1, -1, 1]
    assert len(never) == 0


def test_flips_of_a_tumbling_body_are_half_a_period_apart():
    """w2 ~ sn has its zeros every 2 K/lambda: 19.552867 s, as printed."""
    system = turning(1.0, 2.0, 3.0)
    start = system.state(speeds={"ball": (0.01, 1.0, 0.01)})
    flip = ph.Event("flip", lambda t, state: state.speed("ball")[1])
    motion = ph.simulate(system, start, until=100.0, rtol=1e-12, events=flip)
    gaps = np.diff(motion.events.t)
    assert len(gaps) == 4
    assert np.allclose(gaps, 39.10573419726872 / 2, rtol=1e-8, atol=0)


# ------------------------------------------------------------------- many at once


def test_events_at_one_instant_are_all_met():
    """Two equal drops bounce together: one time, two events, two resets."""
    motion = ph.simulate(falling(), drops(1.0, 1.0), until=1.5, events=FLOORS)
    left, right = (motion.events[f"{name} floor"] for name in ("left", "right"))
    assert np.array_equal(left.t, right.t)
    assert len(left) == len(bounces(1.0, 5)[bounces(1.0, 5) < 1.5])
    assert np.array_equal(motion.q[:, 0], motion.q[:, 1])
    assert np.allclose(left.t, bounces(1.0, len(left)), rtol=1e-12)


@pytest.mark.parametrize("apart", [1e-13, 1e-11, 1e-9, 1e-6])
def test_events_that_are_nearly_at_once_are_all_met(apart):
    """However close, none hides the other."""
    start = drops(1.0, 1.0 + apart)
    motion = ph.simulate(falling(), start, until=1.5, events=FLOORS)
    left, right = (motion.events[f"{name} floor"].t for name in ("left", "right"))
    assert np.allclose(left, bounces(1.0, len(left)), rtol=2e-12)
    assert np.allclose(right, bounces(1.0 + apart, len(left)), rtol=2e-12)
    assert motion.q.min() > -1e-10


@pytest.mark.long
def test_watching_changes_nothing():
    """A run with events that only watch has the bits of one without."""
    watched = sine(events=ph.Event("middle", place))
    plain = sine()
    assert all(map(np.array_equal, watched.steps, plain.steps))


def test_chunks_change_no_bit(monkeypatch):
    """However few attempts a chunk makes, rows and events are the same."""
    whole = ph.simulate(falling(), drops(), until=2.2, events=FLOORS)
    grazing = ph.Event("top", lambda t, state: 1.0 - state["track"])
    touches = sine(until=60.0, events=grazing)
    monkeypatch.setattr(tracker, "ATTEMPTS", 2)
    parts = ph.simulate(falling(), drops(), until=2.2, events=FLOORS)
    assert len(whole.events) == 8
    assert same_bits(whole, parts)
    assert len(touches.events) == 10
    assert same_bits(touches, sine(until=60.0, events=grazing))


def test_each_run_of_a_batch_has_its_own_events():
    """The same rows and events as alone."""
    starts = [drops(1.0, 2.0), drops(0.3, 0.3), drops(5.0, 0.1)]
    together = ph.simulate(falling(), starts, until=0.75, events=FLOORS)
    alone = [ph.simulate(falling(), s, until=0.75, events=FLOORS) for s in starts]
    assert len({len(motion.events) for motion in together}) == 3
    assert all(map(same_bits, together, alone))


# ------------------------------------------------------------------- the ends


def test_a_zero_at_the_end_is_met_and_at_the_start_is_past():
    """Runs that follow each other meet each zero once."""
    event = ph.Event("middle", place)
    first = sine(until=np.pi, events=event, rtol=1e-12)
    assert len(first.events) == 1
    assert abs(first.events.t[0] - np.pi) < 1e-10
    second = ph.simulate(swinging(), first.final, until=2 * np.pi + 0.1, events=event)
    assert len(second.events) == 1
    assert abs(second.events.t[0] - 2 * np.pi) < 1e-8


def test_a_terminal_event_ends_the_run():
    """Its row is the last; nothing is wrong, and the outcome says what happened."""
    stop = ph.Event("quarter", lambda t, state: state.speed("track"), terminal=True)
    motion = sine(events=stop)
    assert motion.outcome.code == "EVENT"
    assert motion.outcome.is_complete
    assert "was ended by its event 'quarter' at t = 1.570796" in str(motion.outcome)
    assert motion.t[-1] == motion.events.t[0]
    assert abs(motion.t[-1] - np.pi / 2) < 1e-9
    # The last step is a part of a longer one: the motion in it is the same.
    whole = sine(until=2.0)
    times = np.linspace(motion.t[-2], motion.t[-1], 7)
    assert np.allclose(motion.resampled(times).q, whole.resampled(times).q, atol=1e-14)
    # And from there it goes on, without meeting the same zero again.
    further = ph.simulate(swinging(), motion.final, until=5.0, events=stop)
    assert abs(further.t[-1] - 3 * np.pi / 2) < 1e-8


def test_a_ball_that_starts_on_the_floor_does_not_fall_through():
    """A reset that is due at the start is made there; one that has been made is not."""
    down = drops(0.0, 1.0, speeds={"left": -1.0})
    motion = ph.simulate(falling(), down, until=0.1, events=FLOORS)
    assert [event.t for event in motion.events["left floor"]] == [0.0]
    assert motion["left"].speeds[1, 0] == BOUNCE
    assert motion.at(0.05)["left"] == pytest.approx(BOUNCE * 0.05 - G * 0.05**2 / 2)
    up = drops(0.0, 1.0, speeds={"left": 1.0})
    assert not len(ph.simulate(falling(), up, until=0.1, events=FLOORS).events)


def test_a_reset_at_the_end_is_made():
    """The last state is the one after it."""
    end = np.sqrt(2 / G)
    motion = ph.simulate(falling(), drops(), until=end, events=FLOORS)
    assert len(motion.events) == 1
    assert motion.final.speed("left") == pytest.approx(BOUNCE * G * end)
    assert motion.t[-1] == motion.t[-2] == end


def test_bounces_that_accumulate_are_stopped():
    """Zeno: infinitely many in a finite time; the run says so and keeps its rows."""
    with pytest.warns(IntegrationWarning, match=r"accumulate, infinitely many in a"):
        motion = ph.simulate(falling(), drops(), until=9.0, events=FLOORS)
    last = np.sqrt(2 / G) * (1 + BOUNCE) / (1 - BOUNCE)
    assert motion.outcome.code == "INTEG"
    assert motion.t[-1] == pytest.approx(last, rel=1e-8)
    assert motion.q.min() > -1e-10
    assert "'left floor' was the last of 10 within" in str(motion.outcome)


def test_quick_bounces_late_in_time_are_not_zenos():
    """Counted from another age, as spacecraft do, a ball bounces as it does today."""
    late = 1.7e9
    start = drops(1.0, 50.0, t=late)
    motion = ph.simulate(falling(), start, until=late + 2.52, events=FLOORS)
    assert motion.outcome.code == "DONE"
    assert len(motion.events) == 12
    met = motion.events["left floor"].t - late
    assert np.allclose(met, bounces(1.0, 12), rtol=0, atol=1e-4)


def test_a_ball_that_stays_down_is_stopped():
    """A reset that leaves it where it would pass at once cannot be gone on from."""
    sticky = ph.Event("floor", LEFT, -1, reset=bounced("left", 0.0))
    with pytest.warns(IntegrationWarning, match="accumulate"):
        motion = ph.simulate(falling(), drops(), until=9.0, events=sticky)
    assert motion.t[-1] == pytest.approx(np.sqrt(2 / G), rel=1e-7)


# ------------------------------------------------------------------- kinds of runs


@pytest.mark.long
@pytest.mark.parametrize(
    "method", [ph.methods.RungeKutta4(0.03), ph.methods.DormandPrince8()]
)
def test_any_method_meets_events(method):
    """Fixed steps go on from an event by equal steps to the end."""
    motion = ph.simulate(falling(), drops(), until=1.9, events=FLOORS, method=method)
    for name, drop in (("left", 1.0), ("right", 2.0)):
        met = motion.events[f"{name} floor"].t
        assert np.allclose(met, bounces(drop, len(met)), rtol=1e-11)
    assert len(motion.events) == 6
    assert motion.t[-1] == 1.9


def test_sampled_runs_meet_the_same_events():
    """Only samples are kept, and the events are those of the whole run."""
    whole = ph.simulate(falling(), drops(), until=1.9, events=FLOORS)
    times = np.linspace(0.0, 1.9, 77)
    some = ph.simulate(falling(), drops(), until=1.9, events=FLOORS, samples=times)
    assert str(some.events) == str(whole.events)
    assert np.array_equal(some.q, whole.resampled(times).q)


def test_parts_of_a_motion_have_their_own_events():
    """Cut anywhere, at a bounce too, and joined again: each event once."""
    motion = ph.simulate(falling(), drops(), until=1.9, events=FLOORS)
    for k in range(1, len(motion)):
        first, second = motion[: k + 1], motion[k:]
        assert all(first.events.t <= motion.t[k])
        assert all(second.events.t >= motion.t[k])
        whole = first + second
        assert np.array_equal(whole.events.t, motion.events.t)
        assert np.array_equal(whole.t, motion.t)
        assert whole.outcome == motion.outcome
    assert len(motion.events[1:3]) == 2
    assert motion.events[1:3]["left floor"].names == ("left floor",)


def test_energy_that_resets_take_is_in_the_ledger():
    """What bounces lose is the work of events, and the ledger balances."""
    motion = ph.simulate(falling(), drops(), until=1.9, events=FLOORS)
    ledger = motion.ledger()
    lost = [
        (event.after.z @ event.after.z - event.before.z @ event.before.z) / 2
        for event in motion.events
    ]
    assert ledger.work["events"][-1] == pytest.approx(sum(lost))
    assert np.max(np.abs(ledger.balance)) < 1e-12 * ledger.scale


@pytest.mark.long
def test_events_of_turning_and_of_constrained_bodies():
    """States at events lie on their manifold and keep the constraints."""
    top = heavy_top()
    start = top.state(speeds={"ball": (0.4, 0.0, 30.0)})
    tilted = ph.Event("flat", lambda t, state: state["ball"][1], terminal=True)
    motion = ph.simulate(top, start, until=5.0, events=tilted)
    assert motion.outcome.code == "EVENT"
    assert abs(np.linalg.norm(motion.final.q) - 1) < 1e-14
    bob, world = ph.Particle("bob", 1.0), ph.World()
    rod = ph.Distance(world.origin, bob.mass_centre, 1.0)
    held = ph.System([bob], [ph.Weight(G)], [rod], name="held")
    low = ph.Event("low", lambda t, state: state["bob"][0])
    motion = ph.simulate(held, held.state(bob=(1.0, 0, 0)), until=3.0, events=low)
    assert len(motion.events) == 3
    for event in motion.events:
        bob_at, speed = event.before["bob"], event.before.speed("bob")
        assert abs(np.linalg.norm(bob_at) - 1) < 1e-14
        assert abs(bob_at @ speed) < 1e-13
        assert abs(bob_at[0]) < 1e-12
