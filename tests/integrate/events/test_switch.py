"""Switches in the loop: modes hold between events, records come with them."""

from __future__ import annotations

from functools import cache

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from polhode.errors import IntegrationError, IntegrationWarning
from polhode.integrate.events import handle
from polhode.integrate.events.switch import Change, Guard, Switch, Switching
from track import MOTOR, driven

G, BOUNCE, MASS = 9.81, 0.7, 0.1


@cache
def ball() -> ph.System:
    """A ball above a floor."""
    return ph.System([ph.Particle("ball", MASS)], [ph.Weight(G)], name="ball")


def bounce(t, q, z, fired, table):
    """Bounces are counted; the impulse, and what is lost, are told."""
    impulse = MASS * (1 + BOUNCE) * jnp.abs(z[2])
    lost = MASS * (1 - BOUNCE**2) * z[2] ** 2 / 2
    after = z.at[2].multiply(-BOUNCE)
    modes = {"bounces": table["bounces"] + 1}
    return Change(q, after, modes, jnp.stack([impulse, lost])[None])


@cache
def counted() -> Switching:
    floor = Guard("floor", -1, changes=True)
    law = Switch(lambda t, q, z, table: q[2:], (floor,), bounce, records=2)
    return Switching((law,), {"bounces": 0.0})


def test_a_counter_counts_bounces_and_impulses_are_told():
    """The mode is the number of bounces so far; momentum and energy lost add up."""
    start = ball().state(ball=(0, 0, 1.0))
    motion = ph.simulate(ball(), start, until=2.0, events=counted())
    t, count = motion.inputs["bounces"]
    assert np.array_equal(count, np.arange(len(motion.events) + 1))
    assert np.array_equal(t[1:], motion.events.t)
    first = np.sqrt(2 / G)
    flights = 2 * first * BOUNCE ** np.arange(1, len(motion.events))
    exact = first + np.concatenate([[0.0], np.cumsum(flights)])
    assert np.allclose(motion.events.t, exact, rtol=1e-12)
    speeds = G * first * BOUNCE ** np.arange(len(motion.events))
    impulse, lost = motion.events.records.T
    assert np.allclose(impulse, MASS * (1 + BOUNCE) * speeds, rtol=1e-12)
    ledger = motion.ledger()
    assert ledger.work["events"][-1] == pytest.approx(-np.sum(lost), rel=1e-12)
    assert np.max(np.abs(ledger.balance)) < 1e-12 * ledger.scale


def thermostat(t, q, z, fired, table):
    """Guard 0 (too cold) switches the heating on, guard 1 (too warm) off."""
    return Change(q, z, {MOTOR: jnp.where(fired[0] != 0, 1.0, -1.0)})


@cache
def heated() -> Switching:
    """z' = u: u is +-1, and z stays between 0 and 1. Only one guard is awake."""

    def values(t, q, z, table):
        heats = table[MOTOR] > 0
        return jnp.stack([jnp.where(heats, 1.0, z[0]), jnp.where(heats, 1 - z[0], 1.0)])

    guards = (Guard("cold", -1, changes=True), Guard("warm", -1, changes=True))
    return Switching((Switch(values, guards, thermostat),), {MOTOR: 1.0})


def test_a_thermostat_switches_by_its_mode():
    """The equations read the mode: a saw-tooth between two limits, one second each."""
    system = driven()
    motion = ph.simulate(system, system.rest(), until=7.5, events=heated())
    assert np.allclose(motion.events.t, np.arange(1.0, 8.0), rtol=1e-12)
    assert [e.name for e in motion.events[:3]] == ["warm", "cold", "warm"]
    assert motion.final.speed("track") == pytest.approx(0.5, rel=1e-10)
    times, force = motion.inputs[MOTOR]
    assert np.array_equal(force, [1, -1, 1, -1, 1, -1, 1, -1])
    assert np.array_equal(times[1:], motion.events.t)
    assert motion.z.min() > -1e-12
    assert motion.z.max() < 1 + 1e-12


def test_modes_of_many_runs_are_those_of_each():
    """In lanes, in a sweep and alone: the same bits; modes may begin apart."""
    start = ball().state(ball=(0, 0, 1.0))
    heights = [ball().state(ball=(0, 0, h)) for h in (1.0, 0.4, 2.5)]
    alone = [ph.simulate(ball(), h, until=1.3, events=counted()) for h in heights]
    lanes = ph.simulate(ball(), heights, until=1.3, events=counted())
    found = ph.sweep(ball(), heights, until=1.3, events=counted())
    for k, motion in enumerate(alone):
        assert np.array_equal(lanes[k].q, motion.q)
        assert np.array_equal(lanes[k].events.records, motion.events.records)
        assert np.array_equal(found.final_q[k], motion.q[-1])
        assert np.array_equal(found.events.of(k).t, motion.events.t)
    assert len({len(motion.events) for motion in alone}) == 3
    apart = Switching(counted().switches, {"bounces": np.array([0.0, 10.0])})
    pair = ph.simulate(ball(), [start, start], until=1.3, events=apart)
    counts = [motion.inputs["bounces"][1] for motion in pair]
    assert np.array_equal(counts[0] + 10, counts[1])


def test_switches_and_events_are_met_together():
    """A watched top between bounces, in the order of time."""
    top = ph.Event("top", lambda t, state: state.speed("ball")[2], -1)
    start = ball().state(ball=(0, 0, 1.0))
    motion = ph.simulate(ball(), start, until=1.6, events=[counted(), top])
    names = [event.name for event in motion.events]
    assert names == ["floor", "top", "floor", "top", "floor"]
    assert np.all(np.diff(motion.events.t) > 0)
    assert motion.events["top"][0].before is motion.events["top"][0].after


def test_a_change_that_leads_nowhere_stops_the_run():
    """A speed that is no number: the run ends with a reason, its rows kept."""

    def lost(t, q, z, fired, table):
        return Change(q, z * jnp.nan, {})

    floor = Guard("floor", -1, changes=True)
    law = Switching((Switch(lambda t, q, z, table: q[2:], (floor,), lost),))
    start = ball().state(ball=(0, 0, 1.0))
    with pytest.warns(IntegrationWarning, match="the reset of 'floor' failed"):
        motion = ph.simulate(ball(), start, until=2.0, events=law)
    assert motion.outcome.code == "FORCE"
    assert motion.t[-1] == pytest.approx(np.sqrt(2 / G))
    assert np.all(np.isfinite(motion.z))


def test_modes_that_are_none_are_refused():
    """Numbers of a shape that no run has, or that are not finite."""
    start = ball().state(ball=(0, 0, 1.0))
    for first in (np.nan, np.zeros((3, 2)), np.zeros((1, 1, 1))):
        laws = Switching(counted().switches, {"bounces": first})
        with pytest.raises(IntegrationError, match="the mode 'bounces' cannot begin"):
            ph.simulate(ball(), start, until=1.0, events=laws)


def test_the_host_is_not_asked_for_plain_bounces(monkeypatch):
    """A thousand bounces without one look of the host."""
    looks = []
    monkeypatch.setattr(handle, "examine_step", lambda *given: looks.append(given))

    def reset(t, state):
        return state.changed(speeds={"ball": -1.0 * state.speed("ball")})

    elastic = ph.Event("floor", lambda t, state: state["ball"][2], -1, reset=reset)
    start = ball().state(ball=(0, 0, 1.0))
    motion = ph.simulate(ball(), start, until=900.0, events=elastic)
    assert len(motion.events) == int((900 / np.sqrt(2 / G) + 1) / 2)
    assert not looks
    assert motion.final["ball"][2] <= 1 + 1e-6


@pytest.mark.parametrize("kind", ["list", "random", "float", "nonlocal"])
def test_resets_that_are_not_functions_are_asked_each_time(kind):
    """What counts, draws or asks for a value is plain Python, and runs as such."""
    draw, seen, turns = np.random.default_rng(1), [], 0

    def reset(t, state):
        nonlocal turns
        factor = -1.0
        if kind == "list":
            seen.append(1)
        elif kind == "random":
            factor = -draw.uniform(0.5, 1.0)
        elif kind == "float":
            factor = -1.0 if float(t) > 0 else 0.0
        else:
            turns += 1
            factor = -1.0 / turns
        return state.changed(speeds={"ball": factor * state.speed("ball")})

    floor = ph.Event("floor", lambda t, state: state["ball"][2], -1, reset=reset)
    start = ball().state(ball=(0, 0, 1.0))
    motion = ph.simulate(ball(), start, until=1.9, events=floor)
    ratios = [e.after.z[2] / e.before.z[2] for e in motion.events]
    assert len(ratios) >= 2
    if kind == "list":
        assert len(seen) >= len(ratios)
    if kind == "random":
        assert len(set(ratios)) == len(ratios)
    if kind == "nonlocal":
        assert np.allclose(np.diff(1 / np.array(ratios)), -1.0)


def test_a_reset_is_made_with_the_values_of_its_own_call():
    """What it closes over may change between two runs: so does the motion."""
    bounce = {"by": 0.5}

    def reset(t, state):
        return state.changed(speeds={"ball": -bounce["by"] * state.speed("ball")})

    floor = ph.Event("floor", lambda t, state: state["ball"][2], -1, reset=reset)
    start = ball().state(ball=(0, 0, 1.0))
    for by in (0.5, 0.9):
        bounce["by"] = by
        met = ph.simulate(ball(), start, until=0.6, events=floor).events[0]
        assert met.after.z[2] == pytest.approx(-by * met.before.z[2], rel=1e-14)
