"""Laws of inertia about a point: transport, rotation, joining, validity."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from closeness import assert_close
from polhode.errors import (
    FrameMismatch,
    ModelError,
    PolhodeError,
    UnphysicalInertia,
)
from polhode.geometry.frame import Frame
from polhode.geometry.point import Point
from polhode.geometry.vector import Dyadic, Vector, skew
from polhode.matter import solids, spread
from polhode.matter.cloud import (
    centre_of_points,
    inertia_of_points,
    static_moment_of_points,
)
from polhode.matter.inertia import (
    Inertia,
    joined,
    moment,
    placed,
    principal,
    removed,
    spatial,
    static_moment,
    transport,
)
from polhode.matter.rigid_body import Body
from strategies_geometry import Motion, columns, generators, pose_between
from strategies_matter import clouds, inertias, instant, oracles, random_cloud


def about(inertia: Inertia, column) -> Point:
    return Point(inertia.frame, column)


@given(inertias(), columns, columns)
def test_transport_forgets_its_route(inertia, a, b):
    """The inertia about B is one, reached directly or by way of A."""
    a, b = about(inertia, a), about(inertia, b)
    by_way, direct = transport(transport(inertia, a), b), transport(inertia, b)
    scale = np.max(np.abs(transport(inertia, a).dyadic.components))
    assert_close(by_way, direct, rtol=1e-13, atol=1e-14 * scale)


@given(inertias(), columns)
def test_no_point_beats_the_mass_centre(inertia, p):
    """About parallel axes the least moment is the central one."""
    central = transport(inertia, inertia.centre)
    gain = np.asarray(transport(inertia, about(inertia, p))) - np.asarray(central)
    assert np.linalg.eigvalsh(gain)[0] >= -1e-12 * np.max(np.abs(gain))


def test_rod_about_its_end():
    """m l^2/12 about the middle, m l^2/3 about the end."""
    rod = Body("rod", solids.rod(mass=2, length=3))
    across = Vector([1, 0, 0], rod.frame)
    assert_close(moment(rod.inertia, across), 2 * 3**2 / 12)
    end = rod.point(0, 0, 1.5)
    assert_close(moment(transport(rod.inertia, end), across), 2 * 3**2 / 3)


@pytest.mark.row("I-14")
@given(oracles(), columns)
def test_huygens_holds_between_any_two_points(oracle, q):
    """I_Q = I_R + S_R [r] + [r] S_R - m [r][r], R the mass centre or not."""
    for R in (oracle.x[0], oracle.centre):
        S_R = spread.static_moment(oracle.mass, oracle.centre - R)
        ours = spread.huygens(oracle.inertia(R), S_R, oracle.mass, R - q)
        assert_close(ours, oracle.inertia(q), rtol=1e-12)
    r = skew(oracle.centre - q)
    central = oracle.inertia(oracle.centre) - oracle.mass * (r @ r)
    assert_close(central, oracle.inertia(q), rtol=1e-12)


@given(inertias(), columns)
def test_transport_is_huygens(inertia, p):
    """The noun's transport by spreads and the theorem by static moments agree."""
    point = about(inertia, p)
    r_QR = (inertia.point - point).components
    S_R = static_moment(inertia).components
    theorem = spread.huygens(np.asarray(inertia), S_R, inertia.mass, r_QR)
    assert_close(transport(inertia, point), theorem, rtol=1e-12)


@pytest.mark.row("I-08")
@given(oracles())
def test_inertia_is_the_sum_of_spreads(oracle):
    """I_Q = sum m (r.r 1 - r r) = -sum m [r][r]; the two printed forms fail."""
    Q = oracle.x[0]
    truth = oracle.inertia(Q)
    assert_close(inertia_of_points(oracle.masses, oracle.x, Q), truth)
    r = skew(oracle.x - Q)
    assert_close(-np.einsum("k,kij,kjl->il", oracle.masses, r, r), truth)
    swapped = truth.copy()
    swapped[1, 1], swapped[2, 2] = truth[2, 2], truth[1, 1]
    unit = np.array([0.0, 1.0, 0.0])
    # The moment about y is the energy of a unit spin about it, doubled.
    spin = np.cross(unit, oracle.x - Q)
    energy = oracle.masses @ np.sum(spin**2, axis=1)
    assert_close(unit @ truth @ unit, energy)
    assert abs(unit @ swapped @ unit - energy) > 1e-3 * energy  # ERR-003-17
    assert unit @ -truth @ unit < 0  # ERR-003-16: no moment is negative


@pytest.mark.row("I-08")
def test_inertia_comes_from_particles_density_or_shape():
    """A rod as a shape, as a density and as its two-point equivalent agree."""
    from polhode.matter.continuum import sampled

    length = 0.8
    shape = solids.rod(mass=1.2, length=length).moments().inertia
    density = sampled(lambda u: (0 * u, 0 * u, u), [(-0.4, 0.4)], 1.2 / length, 8)
    half = length / np.sqrt(12)
    points = np.array([[0, 0, half], [0, 0, -half]])
    assert_close(density.moments().inertia, shape)
    assert_close(inertia_of_points(np.array([0.6, 0.6]), points, np.zeros(3)), shape)


@pytest.mark.row("I-06")
@given(oracles())
def test_static_moment_is_skew_and_minus_the_first_moment(oracle):
    """S_Q = -sum m [P - Q] = -m [G - Q]: skew, and S a = -sum m (P - Q) x a."""
    Q = oracle.x[0]
    S = static_moment_of_points(oracle.masses, oracle.x, Q)
    assert_close(S, spread.static_moment(oracle.mass, oracle.r_QG), rtol=1e-12)
    assert_close(S, -S.T, rtol=0)
    x, y, z = oracle.masses @ (oracle.x - Q)
    assert_close(S, -np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]))
    a = np.array([0.3, -1.2, 0.7])
    truth = -oracle.masses @ np.cross(oracle.x - Q, a)
    assert_close(S @ a, truth)
    assert np.max(np.abs(-(S @ a) - truth)) > 1e-3 * np.max(np.abs(truth))  # 003-18


@pytest.mark.row("I-06", "I-18")
@given(generators)
def test_body_components_stay_the_same_along_a_motion(rng):
    """Components of S_Q and I_Q along body axes do not depend on time."""
    motion, cloud = Motion.random(rng), random_cloud(rng)
    Q = cloud.positions[0]
    S_B = static_moment_of_points(cloud.masses, cloud.positions, Q)
    I_B = inertia_of_points(cloud.masses, cloud.positions, Q)
    for t in (-1.0, 0.2, 1.3):
        R, p = instant(motion, t)[0]
        x = cloud.positions @ R.T + p
        S = static_moment_of_points(cloud.masses, x, x[0])
        I = inertia_of_points(cloud.masses, x, x[0])
        assert_close(spread.rotated(S, R.T), S_B, rtol=1e-12)
        assert_close(spread.rotated(I, R.T), I_B, rtol=1e-12)


@pytest.mark.row("I-11")
@given(oracles(), columns)
def test_static_moment_changes_pole_by_the_mass(oracle, q):
    """S_Q = S_R - m [R - Q] = -m [G - Q]."""
    R = oracle.x[0]
    S_R = static_moment_of_points(oracle.masses, oracle.x, R)
    S_Q = static_moment_of_points(oracle.masses, oracle.x, q)
    moved = spread.transport_static_moment(S_R, oracle.mass, R - q)
    assert_close(moved, S_Q, rtol=1e-12)
    assert_close(-oracle.mass * skew(oracle.centre - q), S_Q, rtol=1e-12)


@pytest.mark.row("I-10")
@given(oracles())
def test_mass_centre_has_no_static_moment_and_moves_with_the_body(oracle):
    """G = sum m P/m, S_G = 0; its velocity and acceleration are a body point's."""
    G = centre_of_points(oracle.masses, oracle.x)
    scale = oracle.mass * np.max(np.abs(oracle.x))
    S_G = static_moment_of_points(oracle.masses, oracle.x, G)
    assert_close(S_G, np.zeros((3, 3)), atol=1e-13 * scale)
    r, w, alpha = oracle.r_QG, oracle.w, oracle.alpha
    v_G = centre_of_points(oracle.masses, oracle.v)
    assert_close(v_G, oracle.v[0] + np.cross(w, r), rtol=1e-11)
    a_G = centre_of_points(oracle.masses, oracle.a)
    rigid = oracle.a[0] + np.cross(alpha, r) + np.cross(w, np.cross(w, r))
    assert_close(a_G, rigid, rtol=1e-11)


@given(clouds, generators)
def test_mass_centre_of_a_system_is_that_of_its_bodies(cloud, rng):
    """Two clouds' centres, weighted by their masses, give the union's."""
    other = random_cloud(rng, 5)
    one, two, both = (c.moments() for c in (cloud, other, cloud | other))
    weighed = (one.mass * one.centre + two.mass * two.centre) / (one.mass + two.mass)
    assert_close(weighed, both.centre, rtol=1e-13)


@pytest.mark.row("I-01")
@given(inertias(), generators)
def test_no_operation_changes_the_mass(inertia, rng):
    """Transport, placing, joining and parting neither make nor lose mass."""
    frame = Frame("table")
    pose = pose_between(rng, of=inertia.frame, seen_from=frame)
    moved = placed(transport(inertia, about(inertia, rng.normal(size=3))), pose)
    assert moved.mass == inertia.mass
    other = replace(moved, name="copy")
    whole = joined(moved, other)
    assert_close(whole.mass, 2 * inertia.mass, rtol=1e-15)
    assert_close(removed(whole, other).mass, inertia.mass, rtol=1e-15)
    matrix = spatial(moved).matrix
    assert_close(matrix[3:, 3:], inertia.mass * np.eye(3), rtol=1e-15)


@pytest.mark.row("I-01")
def test_a_body_cannot_change_its_mass():
    """Bodies are frozen: a mass that varies in time is refused."""
    body = Body("rod", solids.rod(mass=2, length=3))
    with pytest.raises(AttributeError):
        body.mass = 3.0  # type: ignore[misc]


@given(inertias(), generators)
def test_placing_keeps_principal_moments_and_the_mass_centre(inertia, rng):
    """Another observer sees other components of the same tensor."""
    pose = pose_between(rng, of=inertia.frame, seen_from=Frame("table"))
    there = placed(inertia, pose)
    assert_close(principal(there).moments, principal(inertia).moments, rtol=1e-12)
    assert_close(there.centre.coordinates, pose.place(inertia.centre).coordinates)


@given(generators)
def test_joined_bodies_are_the_union_of_their_particles(rng):
    """Joining two inertias is the inertia of all particles; removing gives it back."""
    frame = Frame("body")
    one, two = random_cloud(rng), random_cloud(rng, 5)
    o, q = Point(frame, rng.normal(size=3)), Point(frame, rng.normal(size=3))
    first = Inertia.of_points(one.masses, one.positions, o)
    second = Inertia.of_points(two.masses, two.positions, q)
    both = one | two
    whole = Inertia.of_points(both.masses, both.positions, o)
    assert whole.is_close(joined(first, second), rtol=1e-12)
    assert first.is_close(removed(whole, second), rtol=1e-10)


@given(inertias())
def test_nothing_more_than_the_whole_can_be_removed(inertia):
    """Taking a heavier part away leaves negative mass, which is refused."""
    heavier = replace(inertia, mass=inertia.mass * 2, dyadic=inertia.dyadic * 2)
    with pytest.raises(UnphysicalInertia, match="cannot have mass -"):
        removed(inertia, heavier)


def test_inertias_of_different_frames_do_not_mix():
    """Joining needs one frame; the refusal names both."""
    one = Body("rod", solids.rod(mass=2, length=3)).inertia
    other = Body("disc", solids.disc(mass=2, radius=3)).inertia
    with pytest.raises(FrameMismatch, match=r"'rod'.*'disc'"):
        joined(one, other)


@pytest.mark.row("I-12")
@given(oracles(), columns)
def test_moments_are_never_negative(oracle, n):
    """n . I n = sum m |r x n|^2 >= 0, and the triangle inequality holds."""
    Q = oracle.x[0]
    I = inertia_of_points(oracle.masses, oracle.x, Q)
    truth = oracle.masses @ np.sum(np.cross(oracle.x - Q, n) ** 2, axis=1)
    assert_close(n @ I @ n, truth, rtol=1e-12, atol=1e-300)
    low, middle, high = np.linalg.eigvalsh(I)
    assert low > 0
    assert high < low + middle


@pytest.mark.row("I-12")
def test_collinear_mass_has_a_zero_moment():
    """A rod, and collinear particles, resist no spin about their line."""
    rod = Body("rod", solids.rod(mass=2, length=3, along=(1, 2, 2)))
    moments = principal(rod.inertia).moments
    assert_close(moments, [0, 1.5, 1.5], rtol=1e-14)
    frame = Frame("line")
    line = np.outer([0.0, 1.0, 3.0], [1.0, -2.0, 0.5])
    inertia = Inertia.of_points([1, 2, 3], line, Point.origin(frame))
    assert_close(moment(inertia, Vector([1, -2, 0.5], frame)), 0.0, atol=1e-14)


@pytest.mark.row("I-12")
def test_unphysical_inertia_is_refused_in_words():
    """One moment above the sum of the others, with the point it may be about."""
    frame = Frame("wheel")
    centre, axle = Point(frame, [0, 0, 0]), Point(frame, [0, 0, 0], "axle")
    with pytest.raises(UnphysicalInertia) as refusal:
        Inertia(2.0, centre, Dyadic(np.diag([2.0, 1.0, 5.0]), frame), axle)
    assert str(refusal.value) == (
        "'wheel' cannot have principal moments (2, 1, 5) kg m^2 about its mass centre."
        "\n\n  No spread of mass has one principal moment above the sum of the other"
        " two: 5 > 2 + 1.\n\n"
        "  Check that the values are about the mass centre and not about 'axle'."
    )


def test_a_negative_moment_cannot_hide_behind_a_far_point():
    """Moments sound about O may be negative about the mass centre: refused."""
    frame = Frame("arm")
    centre, hub = Point(frame, [2, 0, 0]), Point(frame, [0, 0, 0], "hub")
    with pytest.raises(UnphysicalInertia, match="About 'hub' all moments look sound"):
        Inertia(1.0, centre, Dyadic(np.eye(3), frame), hub)


@given(inertias(), generators)
def test_inertia_reads_well_and_converts_to_an_array(inertia, rng):
    """repr shows mass, centre and point; the array is a copy of the dyadic."""
    assert repr(inertia).startswith("Inertia(mass=")
    array = np.asarray(inertia)
    assert_close(array, inertia.dyadic.components)
    with pytest.raises(ValueError, match="read-only"):
        inertia.dyadic.components[0, 0] = 1.0


def test_no_moment_is_about_a_point():
    """A line needs a direction."""
    frame = Frame("rod")
    rod = Inertia.of_points([1.0, 2.0], [[0, 0, 1], [0, 0, 2]], Point.origin(frame))
    with pytest.raises(ModelError, match="a direction"):
        moment(rod, Vector([0, 0, 0], frame))


@pytest.mark.parametrize(
    ("masses", "places", "fault"),
    [
        ([-1.0, 3.0, 3.0, 3.0], np.ones((4, 3)), "mass -1 kg"),
        ([1.0, 2.0], np.ones((3, 3)), r"shape \(3, 3\)"),
        ([0.0, 0.0], np.ones((2, 3)), "without mass"),
        (1.0, [0, 0, 1], r"shape \(\)"),
    ],
)
def test_points_without_sound_masses_are_refused(masses, places, fault):
    """Each mass counts, not their sum; and there is a place for each."""
    with pytest.raises(PolhodeError, match=fault):
        Inertia.of_points(masses, places, Point.origin(Frame("cloud")))


def test_nothing_is_left_of_a_body_less_itself():
    """A body without mass has no mass centre: refused, not divided by zero."""
    frame = Frame("rod")
    rod = Inertia.of_points([1.0, 2.0], [[0, 0, 1], [0, 0, 2]], Point.origin(frame))
    with pytest.raises(UnphysicalInertia, match="'rod' has no mass left"):
        removed(rod, rod)


def test_numpy_does_not_drop_the_frame_of_an_inertia():
    """An array times an inertia has no frame, and is refused."""
    rod = Inertia.of_points([1.0], [[0, 0, 1]], Point.origin(Frame("rod")))
    with pytest.raises(TypeError):
        np.float64(2) * rod
