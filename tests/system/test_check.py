"""Systems without a unique motion are refused, with names, numbers and the repair."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.errors import ConflictingConstraints, SingularMassMatrix
from polhode.geometry.rotations import quaternion, so3
from polhode.geometry.vector import skew
from strategies_system import block, four_bar, topology


def test_a_body_without_mass_on_its_own_freedom_is_refused():
    """Nothing resists a weightless slide: joint and direction are named."""
    world, cart, rider = ph.World(), block("cart"), ph.Particle("rider", 0.0)
    track = ph.Prismatic("track", world.origin, cart.origin, axis=ph.X)
    seat = ph.Prismatic("seat", cart.origin, rider.mass_centre, axis=ph.Y)
    with pytest.raises(SingularMassMatrix) as caught:
        ph.System([track, seat], name="ride")
    text = str(caught.value)
    assert "'ride' has no unique acceleration at t = 0 s" in text
    assert "rank 1 of 2" in text
    assert "Nothing resists seat, a speed of joint 'seat' (prismatic)" in text
    assert "has no mass" in text
    assert "Loose direction in (track, seat): (0, 1)." in text
    assert caught.value.code == "SING"


def test_a_thin_rod_that_spins_about_itself_is_refused():
    """A rod has no moment about its own line, and the error says about which axis."""
    rod = ph.Body("hook", ph.solids.rod(mass=1.0, length=1.0, along=ph.Z))
    spin = ph.Revolute("spin", ph.World().origin, rod.point(0, 0, 0.5), axis=ph.Z)
    with pytest.raises(SingularMassMatrix, match="rank 0 of 1") as caught:
        ph.System([spin])
    text = "body 'hook' has zero moment of inertia about [0, 0, 1] of its axes"
    assert text in str(caught.value)
    free = ph.Body("rod", ph.solids.rod(mass=1.0, length=1.0, along=ph.Z))
    with pytest.raises(SingularMassMatrix, match="rank 5 of 6"):
        ph.System([free])


def test_a_thin_or_massless_body_is_accepted_where_something_resists():
    """A rod across its hinge, a massless link with a mass on it, a rotor."""
    rod = ph.Body("rod", ph.solids.rod(mass=1.0, length=1.0, along=ph.Z))
    world = ph.World()
    ph.System([ph.Revolute("a", world.origin, rod.point(0, 0, 0.5), axis=ph.Y)])
    link = ph.Body.from_inertia("link", mass=0.0, inertia=(0.0, 0.0, 0.0))
    bob = ph.Particle("bob", 1.0)
    hinge = ph.Revolute("b", world.origin, link.origin, axis=ph.Y)
    weld = ph.Fixed("c", link.point(0, 0, -1), bob.mass_centre)
    assert_close(ph.System([hinge, weld]).mass_matrix(0, np.zeros(1)), [[1.0]])
    thin = ph.Body("thin", ph.solids.rod(mass=1.0, length=1.0, along=ph.Z))
    motor = ph.Revolute("m", world.origin, thin.origin, axis=ph.Z, rotor_inertia=0.01)
    ph.System([motor])


def test_a_pose_that_is_singular_by_chance_is_accepted():
    """A point mass on the first axis of a cross is loose there, and nowhere else."""
    bob, arm = ph.Particle("bob", 1.0), ph.Body.from_inertia(
        "arm", mass=0.0, inertia=(0.0, 0.0, 0.0)
    )  # fmt: skip
    cross = ph.Universal(
        "cross", ph.World().origin, arm.origin, axis=ph.Z, second_axis=ph.Y
    )
    weld = ph.Fixed("weld", arm.point(0, 0, -1), bob.mass_centre)
    system = ph.System([cross, weld])
    assert np.linalg.matrix_rank(system.mass_matrix(0, np.zeros(2))) == 1
    assert np.linalg.matrix_rank(system.mass_matrix(0, np.array([0.0, 0.5]))) == 2


@pytest.mark.parametrize("out", [1.0, 7e6, 1e11])
def test_a_light_body_at_the_end_of_a_long_driven_arm_keeps_its_moments(out):
    """Its moments are small beside m L^2 of the arm, which a driver takes: 3.4e16."""
    world = ph.World()
    arm = ph.Body.from_inertia("arm", mass=1.0, inertia=(1.0, 1.0, 1.0))
    craft = ph.Body.from_inertia("craft", mass=700.0, inertia=(500.0, 800.0, 350.0))
    hinge = ph.Revolute("hinge", world.origin, arm.origin, axis=ph.Y)
    joints = [hinge, ph.Spherical("ball", arm.point(0, 0, -out), craft.mass_centre)]
    turn = ph.PrescribedMotion(hinge, lambda t: 0.001 * t)
    system = ph.System(joints, [], [turn])
    rates = np.array([0.001, 0.02, 0.03, 0.01])
    state = ph.State(system, 0.0, system.rest().q, rates)
    w = rates[1:] + np.array([0.0, 0.001, 0.0])
    J = np.array([500.0, 800.0, 350.0])
    # Euler's equations, less the turning of the arm's axes: the ball's own rates.
    expected = np.cross(J * w, w) / J - np.cross([0, 0.001, 0], rates[1:])
    assert_close(ph.recursive(system).accelerations(state)[1:], expected, rtol=1e-8)


def test_a_rod_that_spins_about_itself_on_a_long_driven_arm_is_refused():
    """No moment about its own line is none, whatever carries it."""
    arm = ph.Body.from_inertia("arm", mass=1.0, inertia=(1.0, 1.0, 1.0))
    rod = ph.Body("rod", ph.solids.rod(mass=1.0, length=1.0, along=ph.Z))
    hinge = ph.Revolute("hinge", ph.World().origin, arm.origin, axis=ph.Y)
    spin = ph.Revolute("spin", arm.point(1e5, 0, 0), rod.origin, axis=ph.Z)
    turn = ph.PrescribedMotion(hinge, lambda t: 0.001 * t)
    with pytest.raises(SingularMassMatrix, match="Nothing resists spin"):
        ph.System([hinge, spin], [], [turn])


def test_freedoms_by_count_and_by_rank():
    """A planar four-bar in space: 3 - 5 by count, one by rank, three rows too many."""
    found = ph.mobility(topology("four_bar"))
    assert (found.speeds, len(found.rows), found.rank) == (3, 5, 2)
    assert (found.by_count, found.by_rank) == (-2, 1)
    assert found.redundant == ("D: row 1", "D: row 2", "D: row 4")
    assert "1 degree of freedom" in repr(found)
    assert "not unique: D: row 1" in repr(found)
    spatial = ph.mobility(topology("spatial_loop"))
    assert (spatial.by_count, spatial.by_rank, spatial.redundant) == (1, 1, ())


def test_a_doubled_hinge_is_accepted_and_reported():
    """All five rows of the second hinge are redundant, and the pendulum swings."""
    found = ph.mobility(topology("doubled_hinge"))
    assert (found.rank, found.by_rank) == (0, 1)
    assert len(found.redundant) == 5


def test_undetermined_combinations_move_nothing():
    """The rows that are not unique add to nothing in any motion: c A = 0."""
    system = topology("four_bar")
    state = system.rest()
    found = ph.mobility(system, state)
    A, _ = system.constraint_rows(state.t, state.q, state.z)
    assert found.undetermined.shape == (3, 5)
    assert_close(found.undetermined @ A, np.zeros((3, 3)), atol=1e-9)


ALPHA, D, M, I_X, I_Z = 0.5, 1.3, 1.7, 0.35, 0.22


@pytest.mark.row("C-14")
def test_rank_of_a_disc_rolling_about_a_hinge():
    """Hinge at O and no slip at A: 6 rows of rank 5; only the split along OA is open.

    A disc on an axle of no mass is hinged at O and rolls under the plane z = 0 at A;
    gravity is along +X. The golden numbers are those of the printed exercise.
    """
    system = disc_on_an_axle()
    state, r = turning(system, angle=0.7, rate=0.9)
    found = ph.mobility(system, state)
    assert (found.speeds, len(found.rows), found.rank) == (6, 6, 5)
    assert (found.by_count, found.by_rank) == (0, 1)
    R = system.poses(0, state.q).rotations[0]
    # A push along OA at the hinge and the opposite one at the contact: no motion.
    at_hinge, at_contact = R @ found.undetermined[0][:3], found.undetermined[0][3:]
    assert_close(at_hinge, -at_contact, atol=1e-9)
    assert_close(np.abs(at_contact @ r), np.linalg.norm(at_contact), rtol=1e-9)

    answers = [answer(system, state, keep) for keep in independent(system, state)]
    splits = []
    for z_dot, multipliers in answers:
        th_rate = (R @ z_dot[:3]) @ r * np.tan(ALPHA)
        assert_close(th_rate, -3.87384628856904, rtol=1e-9)
        O, A = R @ multipliers[:3], multipliers[3:]
        y = np.cross([0, 0, 1], r)
        assert_close(A[2], -6.3117496557444, rtol=1e-9)
        assert_close(A @ y, 3.4946261029645718, rtol=1e-9)
        assert_close(O @ y, 0.6555739872963025, rtol=1e-8)
        assert_close(O @ r + A @ r, -14.133920736210692, rtol=1e-9)
        splits.append(O @ r)
    assert abs(splits[0] - splits[1]) > 1.0


def disc_on_an_axle() -> ph.System:
    """The disc free in space, a ball at O, and no velocity of its point at A."""
    disc = ph.Body.from_inertia(
        "disc", mass=M, inertia=(I_X, I_Z, I_Z), centre=(D * np.cos(ALPHA), 0, 0)
    )
    world = ph.World()
    free = ph.Free("free", world.origin, disc.origin)
    ball = ph.Spherical("O", world.origin, disc.origin)
    rows = ("x", "y", "z")
    contact = ph.VelocityRows([free], no_velocity_at_contact, rows=rows, name="A")
    pull = ph.Weight(9.81, up=(-1, 0, 0))
    return ph.System([free, ball], [pull], [contact], name="disc")


def no_velocity_at_contact(q, t):
    """v_A = R (v + w x (A - origin)), A at distance d from O below the axle."""
    import jax.numpy as jnp

    R = quaternion.to_matrix(q[:4])
    flat = jnp.stack([R[0, 0], R[1, 0], 0.0 * q[0]])
    contact = D * flat / jnp.sqrt(flat @ flat)
    arm = R.T @ (contact - q[4:])
    return jnp.concatenate([-R @ skew(arm), R], axis=1), jnp.zeros(3)


def turning(system, angle, rate):
    """The disc at an angle about the vertical, turning at a rate; and r, along OA."""
    r = np.array([np.cos(angle), np.sin(angle), 0.0])
    R = so3.exp(np.array([0, 0, angle])) @ so3.exp(np.array([0, ALPHA, 0]))
    turn = ph.Rotation(R, of=system.bodies[0].frame, seen_from=system.tree.world.frame)
    spin = R.T @ (rate / np.tan(ALPHA) * r)
    pose = ph.theory.Pose(turn, [0.0, 0.0, 0.0])
    speeds = {"free": [*spin, 0.0, 0.0, 0.0]}
    return system.state(free=pose, speeds=speeds), r


def independent(system, state) -> list[np.ndarray]:
    """Two choices of five independent rows: hinge first, contact first."""
    A, _ = system.constraint_rows(state.t, state.q, state.z)
    return subsets(A)


def answer(system, state, keep):
    """Accelerations and multipliers with some of the rows."""
    at = state.t, state.q, state.z
    A, gamma = system.constraint_rows(*at)
    J, V = system.jacobians(*at[:2]), system.body_twists(*at)
    momenta = np.einsum("nij,nj->ni", system.inertias(), V)
    w, v = V[:, :3], V[:, 3:]
    turned = np.cross(w, momenta[:, :3]) + np.cross(v, momenta[:, 3:])
    bias = np.concatenate([turned, np.cross(w, momenta[:, 3:])], axis=1)
    force = np.einsum("nik,ni->k", J, system.applied(*at) - bias)
    return least(system.mass_matrix(*at[:2]), A, force, gamma, keep)


def subsets(A: np.ndarray) -> list[np.ndarray]:
    """Two choices of independent rows: hinge first, contact first."""
    found = []
    for order in (range(len(A)), reversed(range(len(A)))):
        keep: list[int] = []
        for row in order:
            if np.linalg.matrix_rank(A[[*keep, row]], tol=1e-8) > len(keep):
                keep.append(row)
        found.append(np.array(keep))
    return found


def least(M, A, force, gamma, keep):
    """z_dot and multipliers from independent rows only."""
    n, k = len(M), len(keep)
    kkt = np.block([[M, A[keep].T], [A[keep], np.zeros((k, k))]])
    answer = np.linalg.solve(kkt, np.concatenate([force, gamma[keep]]))
    multipliers = np.zeros(len(A))
    multipliers[keep] = -answer[n:]  # forces: M z_dot = f + A^T l
    return answer[:n], multipliers


@pytest.mark.row("C-14")
def test_conflicting_rows_are_refused():
    """Equations that no state keeps together: the rows are named with what is left."""
    a, b = ph.Particle("a", 1.0), ph.Particle("b", 1.0)
    ends = a.mass_centre, b.mass_centre
    ties = [
        ph.Distance(*ends, 1.0, name="short"),
        ph.Distance(*ends, 2.0, name="long"),
    ]
    with pytest.raises(ConflictingConstraints) as caught:
        ph.System([a, b], constraints=ties, name="pair")
    text = str(caught.value)
    assert "no position of 'pair' keeps all of its 2 constraint equations" in text
    assert "short by" in text
    assert "long by" in text


def test_conflicting_speeds_are_refused():
    """A hinge that is to turn at two rates at once."""
    hinge = ph.Revolute("hinge", ph.World().origin, block("rod").origin, axis=ph.Z)
    drives = [
        ph.VelocityRows([hinge], lambda q, t: (1.0, 2.0), name="slow"),
        ph.VelocityRows([hinge], lambda q, t: (1.0, 3.0), name="fast"),
    ]
    with pytest.raises(ConflictingConstraints, match="no velocity"):
        ph.System([hinge], constraints=drives)


def test_parallelogram_in_its_flat_position():
    """Where all hinges are in one line the rank falls by one: the fork in the road."""
    world = ph.World()
    bars = [ph.Body(n, ph.solids.rod(mass=1.0, length=length, along=ph.X))
            for n, length in (("a", 1.0), ("b", 2.0), ("c", 1.0))]  # fmt: skip
    left, top, right = bars
    joints = [
        ph.Revolute("A", world.origin, left.point(-0.5, 0, 0), axis=ph.Y),
        ph.Revolute("B", left.point(0.5, 0, 0), top.point(-1, 0, 0), axis=ph.Y),
        ph.Revolute("C", top.point(1, 0, 0), right.point(0.5, 0, 0), axis=ph.Y),
        ph.Revolute("D", right.point(-0.5, 0, 0), world.point(2, 0, 0), axis=ph.Y),
    ]
    system = ph.System(joints)
    flat = system.state(A=0.0)
    assert ph.mobility(system, flat).by_rank == 2
    bent = system.state(A=0.7, B=-0.7, C=0.7)
    assert ph.mobility(system, bent).by_rank == 1


def test_nothing_is_checked_inside_a_trace():
    """A system may be built of traced numbers, and differentiated by them."""
    import jax

    def inertia(mass):
        rod = ph.Body("rod", ph.solids.rod(mass=mass, length=3.0, along=ph.X))
        hinge = ph.Revolute("h", ph.World().origin, rod.origin, axis=ph.Z)
        return ph.System([hinge]).mass_matrix(0.0, np.zeros(1))[0, 0]

    with jax.enable_x64(True):
        assert_close(jax.grad(inertia)(2.0), 9.0 / 12)


def test_a_closed_system_is_built_again_the_same():
    """Two builds of one description agree to the last bit."""
    one, other = four_bar(), four_bar()
    assert np.array_equal(one.rest().q, other.rest().q)
