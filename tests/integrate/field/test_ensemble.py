"""Ensembles: a run is the same by its number, whoever draws it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import polhode as ph
from moving import double_pendulum, four_bar, heavy_top
from polhode.errors import ModelError
from polhode.integrate.field.distribution import distribution_from, table_of
from polhode.integrate.field.ensemble import BLOCK, ensemble_from


def drawn(runs: int = 5000, **more) -> ph.Ensemble:
    start = double_pendulum().state(shoulder=1.0, elbow=0.5)
    quantities = {"coordinates": {"shoulder": ph.distributions.Uniform(-1.0, 2.0)}}
    quantities |= {"speeds": {"elbow": ph.distributions.Normal(0.5, 2.0)}, **more}
    return ph.Ensemble(start, runs, seed=3, **quantities)


@given(st.integers(0, 4990), st.integers(1, 200))
def test_a_run_is_the_same_in_any_part(first, count):
    """Alone, within blocks and across their edges."""
    whole = drawn().part(0, 5000).states
    part = drawn().part(first, min(5000, first + count)).states
    assert np.array_equal(part.q, whole.q[first : first + count])
    assert np.array_equal(part.z, whole.z[first : first + count])


def test_more_runs_and_more_quantities_change_none():
    """Streams are by the name of what is drawn."""
    few = drawn(10).part(0, 10).states
    other = drawn(10**9, turns={}, parameters={}).part(0, 10).states
    assert np.array_equal(few.q, other.q)
    elbow = {
        "shoulder": ph.distributions.Uniform(-1.0, 2.0),
        "elbow": ph.distributions.Normal(0.0, 1.0),
    }
    more = drawn(10, coordinates=elbow).part(0, 10).states
    assert np.array_equal(few.q[:, 0], more.q[:, 0])
    assert np.array_equal(few.z, more.z)
    assert not np.array_equal(few.q[:, 1], more.q[:, 1])


def test_draws_have_their_distributions():
    """Mean and deviation within four standard errors; no two blocks alike."""
    states = drawn(8 * BLOCK).part(0, 8 * BLOCK).states
    n = 8 * BLOCK
    assert abs(states.q[:, 0].mean() - 0.5) < 4 * np.sqrt(9 / 12 / n)
    assert states.q[:, 0].min() >= -1.0
    assert states.q[:, 0].max() <= 2.0
    assert abs(states.z[:, 1].mean() - 0.5) < 4 * 2.0 / np.sqrt(n)
    assert abs(states.z[:, 1].std() - 2.0) < 4 * 2.0 / np.sqrt(2 * n)
    blocks = states.z[:, 1].reshape(8, BLOCK)
    correlation = np.corrcoef(blocks) - np.eye(8)
    assert np.abs(correlation).max() < 5 / np.sqrt(BLOCK)
    assert set(
        ph.distributions.Choice([1, 2]).draw(np.random.default_rng(0), (50,))
    ) == {1.0, 2.0}


def test_quaternions_are_turned_and_constraints_kept():
    """Drawn states are states: on the sphere, and on the loop."""
    top = heavy_top()
    turned = ph.Ensemble(
        top.rest(), 200, turns={"ball": ph.distributions.Normal(0.0, 0.2)}
    )
    q = turned.part(0, 200).states.q
    assert np.abs(np.linalg.norm(q, axis=1) - 1).max() < 1e-15
    # |turn|/2 is the angle between quaternions: its mean square is 3 sigma^2.
    cosine = np.clip(np.abs(q @ top.rest().q), 0, 1)
    assert np.mean((2 * np.arccos(cosine)) ** 2) == pytest.approx(3 * 0.2**2, rel=0.25)
    with pytest.raises(ModelError, match="part of a unit quaternion"):
        ph.Ensemble(
            top.rest(), 2, coordinates={"ball.qx": ph.distributions.Normal(0, 1)}
        )
    linkage = four_bar()
    crank = linkage.coordinate_names[0]
    start = linkage.consistent(linkage.rest())
    near = float(start.q[0])
    some = ph.Ensemble(
        start, 3, coordinates={crank: ph.distributions.Normal(near, 0.01)}
    )
    states = some.part(0, 3).states
    assert not states.faults
    assert np.ptp(states.q[:, 0]) > 0


def test_what_is_described_is_the_ensemble_again():
    """In files, in folders and on the way to workers."""
    one = drawn(parameters={})
    again = ensemble_from(one.start, one.described())
    assert again.digest() == one.digest()
    assert drawn(5001).digest() != one.digest()
    for own in (
        ph.distributions.Normal(1, 2),
        ph.distributions.Uniform(-1, 1),
        ph.distributions.Choice([3, 4]),
    ):
        assert distribution_from(table_of(own)) == own


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ph.distributions.Normal(0, -1), "deviation is zero or more"),
        (lambda: ph.distributions.Normal(float("nan"), 1), "finite"),
        (lambda: ph.distributions.Uniform(2, 1), "lower end comes first"),
        (lambda: ph.distributions.Choice([]), "nothing can be chosen"),
        (lambda: distribution_from({"gauss": [0, 1]}), "is no distribution"),
        (lambda: distribution_from({"normal": [0]}), "Its numbers are mean, deviation"),
        (lambda: drawn(0), "cannot have runs 0"),
        (
            lambda: drawn(coordinates={"sholder": ph.distributions.Normal(0, 1)}),
            "'shoulder'",
        ),
        (lambda: drawn(speeds={"elbow": 3.0}), "cannot be drawn from 3.0"),
        (lambda: ph.Ensemble(3, 2), "cannot be drawn about 3"),
    ],
)
def test_what_cannot_be_drawn_is_refused(make, words):
    """In words that say what was meant."""
    with pytest.raises(ModelError, match=words):
        make()
