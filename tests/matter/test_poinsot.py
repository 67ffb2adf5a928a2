"""Poinsot's construction: the ellipsoid rolls on a plane that rests."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.matter.poinsot import poinsot

J = np.diag([1.0, 2.0, 3.0])


@pytest.fixture(scope="module")
def motion():
    """A free body of three moments, spinning near its middle axis."""
    body = ph.Body.from_inertia("body", mass=1.0, inertia=[1.0, 2.0, 3.0])
    system = ph.System([ph.Free("free", ph.World().origin, body.origin)])
    start = system.state(speeds={"free": (0.3, 2.0, 0.4, 0, 0, 0)})
    return ph.simulate(system, start, until=8.0, rtol=1e-12)


def test_polhode_and_herpolhode_of_a_free_motion(motion):
    """The pole is on the ellipsoid and on the invariable plane, and rolls.

    x . J x = 1 on the body; x . n = h in the world, with n and h at rest; and the two
    curves have the same length of arc, for the pole is the point at rest.
    """
    body = motion["body"]
    curves = poinsot(J, body.orientation, body.angular_velocity)
    assert_close(
        np.einsum("ni,ij,nj->n", curves.polhode, J, curves.polhode),
        np.ones(len(motion)),
        rtol=1e-12,
    )
    assert_close(
        curves.normal - curves.normal[0], np.zeros((len(motion), 3)), atol=1e-9
    )
    assert_close(curves.distance, np.full(len(motion), curves.distance[0]), rtol=1e-9)
    heights = np.sum(curves.herpolhode * curves.normal, axis=1)
    assert_close(heights, curves.distance, rtol=1e-9)
    fine = motion.resampled(np.linspace(0, 8, 8001))["body"]
    rolled = poinsot(J, fine.orientation, fine.angular_velocity)
    arcs = [np.linalg.norm(np.diff(c, axis=0), axis=1).sum() for c in rolled[:2]]
    assert_close(arcs[0], arcs[1], rtol=1e-5)


def test_the_plane_touches_the_ellipsoid():
    """At the pole the ellipsoid's normal J x is along H."""
    spin = np.array([[0.3, 2.0, 0.4]])
    curves = poinsot(J, np.eye(3)[None], spin)
    touching = (curves.polhode @ J)[0]
    assert_close(touching / np.linalg.norm(touching), curves.normal[0], rtol=1e-14)


def test_a_body_at_rest_has_no_pole():
    """NaN, and no warning of a division."""
    curves = poinsot(J, np.eye(3)[None], np.zeros((1, 3)))
    assert np.all(np.isnan(curves.polhode))
    assert np.all(np.isnan(curves.distance))
