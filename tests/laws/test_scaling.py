"""Mechanics has no units: in nanometres or light years, the same answers."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.errors import ModelError
from unit_systems import SYSTEMS, Posed, Units, coordinate_units, speed_units

SI = Units()
OTHERS = {
    "nanometres": Units(length=1e-9),
    "gigametres": Units(length=1e9),
    "micrograms": Units(mass=1e-9),
    "megatonnes": Units(mass=1e9),
    "nanoseconds": Units(time=1e-9),
    "decades": Units(time=1e9),
    "cells": Units(length=1e-6, mass=1e-15, time=1e-3),
}
QUICK = [("four_bar", "nanometres"), ("door", "nanometres"), ("spatial_loop", "cells")]
ALL = [(name, word) for name in SYSTEMS for word in OTHERS]


@cache
def posed(name: str, units: Units = SI) -> Posed:
    return SYSTEMS[name](units)


def pairs(quick):
    """Those of the quick suite, and the others of the long one."""
    others = [pytest.param(*p, marks=pytest.mark.long) for p in ALL if p not in quick]
    return pytest.mark.parametrize(("name", "word"), [*quick, *others])


def both(name: str, word: str) -> tuple[tuple[Posed, Units], tuple[Posed, Units]]:
    return (posed(name), SI), (posed(name, OTHERS[word]), OTHERS[word])


def accelerations(given: Posed, units: Units, form=ph.recursive) -> np.ndarray:
    """d/dt [w; v] of all bodies (n, 6), in SI."""
    found = form(given.system).body_accelerations(given.state(units))
    own = np.repeat([1.0, units.length], 3) / units.time**2
    return np.asarray(found) / own


@pairs(QUICK)
def test_assembly_and_mobility_know_no_units(name, word):
    """The same place, to rounding, and the same count, and what is redundant."""
    (one, si), (two, units) = both(name, word)
    here, there = one.state(si), two.state(units)
    assert_close(there.q / coordinate_units(two.system, units), here.q, atol=1e-11)
    speeds = there.z / speed_units(two.system, units)
    assert_close(speeds, here.z, atol=1e-11 * max(1.0, np.max(np.abs(here.z))))
    counts = [ph.mobility(p.system, s) for p, s in ((one, here), (two, there))]
    assert counts[0].rank == counts[1].rank
    assert counts[0].redundant == counts[1].redundant


@pairs(QUICK)
def test_accelerations_and_reactions_know_no_units(name, word):
    """To 1e-9 of the largest, wherever rows are redundant."""
    (one, si), (two, units) = both(name, word)
    found = accelerations(one, si), accelerations(two, units)
    assert_close(found[1], found[0], atol=1e-9 * np.max(np.abs(found[0])))
    here = ph.recursive(one.system).reactions(one.state(si))
    there = ph.recursive(two.system).reactions(two.state(units))
    force = max(np.max(np.abs(w.force)) for w in here.values())
    for key, wrench in here.items():
        other = there[key]
        assert_close(other.force / units.force, wrench.force, atol=1e-9 * force)
        torque = other.torque / (units.force * units.length)
        assert_close(torque, wrench.torque, atol=1e-9 * force)


FORMS = [
    ph.lagrange,
    ph.gauss,
    ph.newton_euler,
    ph.lagrange_first_kind,
    ph.maggi,
    ph.dalembert,
    ph.hamilton,
    ph.udwadia_kalaba,
]
REFUSED = {("spatial_loop", ph.udwadia_kalaba), ("spatial_loop", ph.hamilton)}


@pytest.mark.parametrize("length", [1e-9, 1e-6, 1e6])
@pytest.mark.parametrize("name", ["four_bar", "spatial_loop"])
def test_maggi_chooses_the_same_speeds_in_any_units(name, length):
    """Those that determine the others, and they do."""
    first = ph.maggi(posed(name).system).velocity_names
    assert ph.maggi(posed(name, Units(length=length)).system).velocity_names == first


@pytest.mark.long
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
@pytest.mark.parametrize("word", ["nanometres", "cells"])
@pytest.mark.parametrize("name", ["four_bar", "spatial_loop", "rolling_disc", "door"])
def test_every_form_knows_no_units(name, word, form):
    """Rates of the speeds, by each form's own solve; or no units where it applies.

    Of thin rods on balls the mass matrix is singular: some forms divide by it.
    """
    (one, si), (two, units) = both(name, word)
    if (name, form) in REFUSED:
        words = []
        for given, own in ((one, si), (two, units)):
            with pytest.raises(ModelError, match="mass matrix is singular") as refused:
                accelerations(given, own, form)
            words.append(refused.value.what)
        assert words[0] == words[1]
        return
    found = accelerations(one, si, form), accelerations(two, units, form)
    assert_close(found[1], found[0], atol=1e-8 * np.max(np.abs(found[0])))


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("pendulum", "nanometres"),
        *(
            pytest.param(*pair, marks=pytest.mark.long)
            for pair in ALL
            if pair[0] in ("four_bar", "pendulum", "door") and pair[1] != "nanometres"
        ),
        pytest.param("four_bar", "nanometres", marks=pytest.mark.long),
    ],
)
def test_equilibria_and_modes_know_no_units(name, word):
    """As many places, the same ones, and frequencies times the unit of time."""
    (one, si), (two, units) = both(name, word)
    found = [ph.equilibria(p.system, starts=6) for p in (one, two)]
    assert len(found[0]) == len(found[1])
    tables = []
    for rests, u in zip(found, (si, units), strict=True):
        first = next(iter(one.held))
        ordered = sorted(rests, key=lambda rest: float(np.sum(rest[first])))
        modes = [ph.linearise(r.state.system, r.state).spectrum.all for r in ordered]
        places = [r.state.q / coordinate_units(r.state.system, u) for r in ordered]
        parts = [np.stack([np.abs(m), m.real]) * u.time for m in modes]
        tables.append((places, [np.sort(part) for part in parts]))
    for here, there in zip(*tables, strict=True):
        for a, b in zip(here, there, strict=True):
            assert_close(b, a, atol=1e-8 * max(1.0, np.max(np.abs(a))))


@pytest.mark.long
@pytest.mark.parametrize(("name", "word"), ALL)
def test_a_motion_knows_no_units(name, word):
    """As many steps, and the same end to 1e-9."""
    (one, si), (two, units) = both(name, word)
    ends = []
    for given, u in ((one, si), (two, units)):
        state = given.state(u)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            motion = ph.simulate(given.system, state, until=0.3 * u.time)
            assert motion.ledger is not None
        q = motion.q[-1] / coordinate_units(given.system, u)
        ends.append((q, motion.outcome.accepted))
    assert ends[0][1] == ends[1][1]
    assert_close(ends[1][0], ends[0][0], atol=1e-9)
