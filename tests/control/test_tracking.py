"""Craft that follow a motion, because their Coriolis matrix is passive."""

from __future__ import annotations

from functools import cache

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.control.adaptive import inertia_of, parameters_of, regressor
from polhode.control.tracking import pursuit
from polhode.double import doubled
from polhode.formulation.spatial_forms.choices import CHOICES
from polhode.geometry.rotations import so3
from polhode.geometry.vector import skew
from strategies_system import block, random_state

RATE, GAIN = 2.0, 6.0


def reference(phase):
    """A smooth motion of turn and place."""

    def motion(t):
        c, s = jnp.cos(t + phase), jnp.sin(0.7 * t - phase)
        turn = so3.exp(jnp.stack([0.5 * s, 0.3 * c, 0.4 * t]))
        return turn, jnp.stack([c, s, 0.2 * t + phase])

    return motion


REFERENCES = {"a": reference(0.0), "b": reference(1.0)}


@cache
def craft(names="ab"):
    """Lopsided craft with thrusters, and a spring between the first two."""
    world, bodies = ph.World(), [block(n, 1 + 0.2 * k) for k, n in enumerate(names)]
    joints = [ph.Free(b.name, world.origin, b.origin) for b in bodies]
    actions = [ph.Motor(joint, 0.0) for joint in joints]
    if len(bodies) > 1:
        ends = bodies[0].point(0.1, 0, 0), bodies[1].point(0, 0.2, 0)
        actions.append(ph.Spring(*ends, 2.0, 0.5))
    return ph.System(joints, actions, name="formation")


def printed(M, V):
    """[w] J - J [w] in place of a skew block, as in print: for a body about c."""
    w, J, m = skew(V[:3]), M[:3, :3], M[3:, 3:]
    zero = 0 * J
    xp = jnp
    upper = xp.concatenate([w @ J - J @ w, zero], axis=1)
    return xp.concatenate([upper, xp.concatenate([zero, m @ w], axis=1)])


def led(names):
    return {name: REFERENCES[name] for name in names}


def storage_rate(choice, state):
    """d/dt (s^T M s/2) of all craft, and -s^T K s, with the law of a choice."""
    system = state.system
    names = [joint.name for joint in system.joints]
    inputs = ph.tracking(system, led(names), rate=RATE, gain=GAIN, choice=choice)

    def found(q, z):
        at = ph.State(system, state.t, q, z)
        return {name: law(state.t, at) for name, law in inputs.items()}

    efforts = doubled(found)(state.q, state.z)
    z_dot = equations(system).accelerations(state, efforts)
    rate, loss = 0.0, 0.0
    for edge in system.tree.edges:
        motion = REFERENCES[edge.joint.name]
        p = doubled(
            lambda q, z, e=edge, m=motion: pursuit(e, m, RATE, (state.t, q, z))
        )(state.q, state.z)
        M = system.inertias()[edge.child]
        rate += p.sliding @ M @ (z_dot[edge.z] - p.rates)
        loss -= GAIN * p.sliding @ p.sliding
    return rate, loss


@cache
def equations(system):
    return ph.recursive(system)


def drawn(names, seed=1):
    state = random_state(craft(names), np.random.default_rng(seed))
    return ph.State(state.system, 0.3, state.q, state.z)


@pytest.mark.row("S-04")
@pytest.mark.parametrize(
    ("names", "choices"),
    [
        ("a", ("Christoffel",)),
        pytest.param("ab", ("Christoffel", "spin"), marks=pytest.mark.long),
    ],
)
def test_what_is_stored_in_the_error_goes_as_fast_as_the_gain_says(names, choices):
    """d/dt (s^T M s/2) = -s^T K s with a passive C; not as printed."""
    state = drawn(names)
    for choice in choices:
        rate, loss = storage_rate(choice, state)
        assert_close(rate, loss, rtol=1e-10)
    rate, loss = storage_rate(ph.theory.CoriolisChoice("printed", printed), state)
    assert abs(rate / loss - 1) > 1e-5


@pytest.mark.row("S-04")
@pytest.mark.parametrize("names", ["a", pytest.param("ab", marks=pytest.mark.long)])
def test_craft_follow_their_references(names):
    """From anywhere the errors of turn and place fall below 1e-6, as exp(-rate t)."""
    system, drawn_state = craft(names), drawn(names)
    inputs = ph.tracking(system, led(names), rate=RATE, gain=GAIN)
    start = ph.State(system, 0.0, drawn_state.q, drawn_state.z)
    method = ph.methods.RungeKutta4(5e-3)
    motion = ph.simulate(system, start, until=12.0, inputs=inputs, method=method)
    end = motion.final
    for edge in system.tree.edges:
        R, p = (np.asarray(x) for x in doubled(REFERENCES[edge.joint.name])(end.t))
        S, place = edge.joint.pose(end.q[edge.q])
        assert np.linalg.norm(so3.log(R.T @ S)) < 1e-6
        assert np.linalg.norm(place - p) < 1e-6
    first = np.linalg.norm(start.q[4:7] - doubled(REFERENCES["a"])(0.0)[1])
    assert first > 0.1


@pytest.mark.row("S-04")
def test_ten_parameters_enter_linearly():
    """M V_r' + C V_r = Y (m, m r, J), of every choice that is linear in M."""
    rng = np.random.default_rng(4)
    M = craft().inertias()[0]
    a = parameters_of(M)
    assert_close(doubled(inertia_of)(a), M, atol=1e-14)
    for choice in ("Christoffel", "momentum", "spin"):
        V, V_r, A_r = rng.normal(size=(3, 6))
        Y = doubled(lambda *x, c=choice: regressor(*x, c))(V, V_r, A_r)
        C = CHOICES[choice].dyadic(M, V)
        assert_close(Y @ a, M @ A_r + C @ V_r, rtol=1e-12)


G, DT = 4.0, 0.01


def learner(system, learning):
    a = parameters_of(system.inertias()[0])
    options = {"rate": RATE, "gain": GAIN, "dt": DT, "guess": 0.4 * a}
    return ph.adaptive_tracking(
        system, "a", REFERENCES["a"], learning=learning, **options
    )


@pytest.mark.row("S-04")
def test_what_is_stored_in_error_and_ignorance_only_falls():
    """d/dt [s^T M s/2 + (a_hat - a)^2/(2 G)] = -s^T K s, while inertia is learned."""
    system = craft("a")
    state = random_state(system, np.random.default_rng(6))
    edge, M = system.tree.edges[0], system.inertias()[0]
    a = parameters_of(M)
    guess = 0.4 * a
    effort, later = learner(system, G)["motor of a"].law(0.0, state, guess)
    p = doubled(lambda q, z: pursuit(edge, REFERENCES["a"], RATE, (0.0, q, z)))(
        state.q, state.z
    )
    bias = CHOICES["Christoffel"].dyadic(M, state.z) @ state.z
    s_dot = np.linalg.solve(M, effort - bias) - p.rates
    rate = p.sliding @ M @ s_dot + (guess - a) @ (later - guess) / DT / G
    assert_close(rate, -GAIN * p.sliding @ p.sliding, rtol=1e-9)


@pytest.mark.long
@pytest.mark.row("S-04")
def test_a_craft_learns_its_inertia():
    """With a wrong guess the law that learns tracks on, ten times closer and more."""
    system = craft("a")
    start = ph.State(system, 0.0, system.rest().q, np.zeros(6))
    ends = {}
    for learning in (0.0, G):
        inputs, method = learner(system, learning), ph.methods.RungeKutta4(DT / 2)
        run = ph.simulate(system, start, until=15.0, inputs=inputs, method=method)
        last = run.final.q[4:7] - doubled(REFERENCES["a"])(run.final.t)[1]
        ends[learning] = np.linalg.norm(last)
    assert ends[G] < 0.1 * ends[0.0]


def test_what_cannot_be_led_is_refused():
    """A craft that is not there, one that is held, and one without a motor."""
    body = block("craft")
    bare = ph.System([ph.Free("craft", ph.World().origin, body.origin)])
    for system, name, word in (
        (craft(), "c", "no free craft 'c'"),
        (ph.models.double_pendulum(), "shoulder", "no free craft"),
        (bare, "craft", "has no motor"),
    ):
        with pytest.raises(ph.PolhodeError, match=word):
            ph.tracking(system, {name: REFERENCES["a"]})
