"""Systems as environments: Gymnasium's own checks, its modes of reset, our steps."""

from __future__ import annotations

import itertools
import warnings

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from polhode.errors import ArgumentError, ModelError, StateError

gymnasium = pytest.importorskip("gymnasium")

TIPS = 0.2  # rad


def cart_pole() -> ph.System:
    cart = ph.Body("cart", ph.solids.box(mass=1.0, x=0.3, y=0.2, z=0.1))
    pole = ph.Body("pole", ph.solids.rod(mass=0.1, length=1.0))
    track = ph.Prismatic("track", ph.World().origin, cart.origin, axis=ph.X)
    hinge = ph.Revolute("hinge", cart.origin, pole.point(0, 0, -0.5), axis=ph.Y)
    actions = [ph.Motor(track, 0.0, name="push"), ph.Weight(9.81)]
    return ph.System([track, hinge], actions, name="cart-pole")


def task_of(system: ph.System, **other) -> ph.gym.Task:
    given = {
        "inputs": {"push": (-10, 10)},
        "observe": lambda s: jnp.concatenate([s.q, s.z]),
        "reward": lambda s, inputs: 1.0 - 1e-3 * inputs["push"] ** 2,
        "is_over": lambda s: (jnp.abs(s["hinge"]) > TIPS) | (jnp.abs(s["track"]) > 2.4),
        "start": system.rest(),
        "spread": 0.05,
        "steps": 30,
    }
    return ph.gym.Task(system, 0.02, **(given | other))


@pytest.fixture(scope="module")
def task():
    return task_of(cart_pole())


def test_gymnasium_accepts_it(task):
    """Its own checker finds nothing wrong with one copy."""
    from gymnasium.utils.env_checker import check_env

    with warnings.catch_warnings():
        # Unbounded observations are told of, and are what a state is.
        warnings.filterwarnings("ignore", message=".*")
        check_env(ph.gym.Env(task), skip_render_check=True)


def test_a_step_is_that_of_the_stepper(task):
    """The same state, the same push: the same motion."""
    envs = ph.gym.VectorEnv(task, 5, dtype=np.float64)
    first, _ = envs.reset(seed=3)
    pushes = np.linspace(-3, 3, 5)[:, None]
    seen, reward, *_ = envs.step(pushes)
    step = ph.stepper(task.system, task.dt, inputs=["push"])
    for k in range(5):
        state = ph.State(task.system, 0.0, first[k, :2], first[k, 2:])
        after = step(state, {"push": pushes[k, 0]})
        np.testing.assert_allclose(seen[k], [*after.q, *after.z], rtol=1e-14)
        assert reward[k] == pytest.approx(1 - 1e-3 * pushes[k, 0] ** 2, rel=1e-14)


def test_a_seed_makes_it_the_same(task):
    """Equal seeds give equal episodes, resets included; others give others."""

    def run(seed):
        envs = ph.gym.VectorEnv(task, 4)
        rows = [envs.reset(seed=seed)[0]]
        rows += [envs.step(np.ones((4, 1)))[0] for _ in range(40)]
        return np.array(rows)

    assert np.array_equal(run(5), run(5))
    assert not np.array_equal(run(5), run(6))


def episodes(task, mode, steps=80):
    envs = ph.gym.VectorEnv(task, 3, autoreset=mode)
    envs.reset(seed=1)
    return [envs.step(np.array([[0.0], [10.0], [-10.0]])) for _ in range(steps)]


def test_next_step_begins_an_episode_in_the_step_after(task):
    """What is over begins anew in the next step, which rewards nothing."""
    rows = episodes(task, "NextStep")
    ended = 0
    for (_, _, over, cut, _), after in itertools.pairwise(rows):
        for k in np.flatnonzero(over | cut):
            ended += 1
            assert np.all(np.abs(after[0][k]) <= 0.05)
            assert after[1][k] == 0
            assert not after[2][k]
            assert not after[3][k]
    assert ended > 5


def test_same_step_tells_the_last_observation(task):
    """What is over begins anew at once; the last observation is in the info."""
    rows = episodes(task, "SameStep")
    ended = 0
    for seen, _, over, cut, info in rows:
        for k in np.flatnonzero(over | cut):
            ended += 1
            assert np.all(np.abs(seen[k]) <= 0.05)
            assert info["_final_obs"][k]
            if over[k]:
                assert abs(info["final_obs"][k][1]) > TIPS
    assert ended > 5


def test_disabled_goes_on_until_it_is_told(task):
    """Nothing begins anew by itself; a mask begins some."""
    envs = ph.gym.VectorEnv(task, 3, autoreset="Disabled")
    envs.reset(seed=1)
    for _ in range(35):
        seen, _, over, cut, _ = envs.step(np.array([[0.0], [10.0], [-10.0]]))
    assert over[1]
    assert over[2]
    assert abs(seen[1][1]) > 1.0
    seen, _ = envs.reset(options={"reset_mask": over | cut})
    assert np.all(np.abs(seen) <= 0.05)


def test_an_episode_is_cut_off_after_its_steps(task):
    """Long enough for a pole that is balanced by hand."""
    envs = ph.gym.VectorEnv(task, 2, dtype=np.float64)
    seen, _ = envs.reset(seed=0)
    for k in range(1, task.steps + 1):
        push = 30 * seen[:, 1] + 6 * seen[:, 3]
        seen, _, over, cut, _ = envs.step(push[:, None])
        assert not over.any()
        assert cut.tolist() == [k == task.steps] * 2


def test_a_motion_that_is_no_number_is_cut_off_and_told():
    """One copy fails where its force is none; the other goes on."""
    system = cart_pole()
    track = system.joints[0]
    push = ph.Motor(
        track, lambda t, q, z: jnp.where(q > 0.5, jnp.nan, 0.0), name="wall"
    )
    broken = ph.System(system.joints, [*system.actions, push], name="breaks")
    envs = ph.gym.VectorEnv(task_of(broken, is_over=None, steps=500), 2)
    envs.reset(seed=0)
    for _ in range(60):
        seen, reward, over, cut, info = envs.step(np.array([[10.0], [0.0]]))
        assert np.all(np.isfinite(seen))
        assert np.all(np.isfinite(reward))
        if "failed" in info:
            break
    assert info["failed"].tolist() == [True, False]
    assert cut.tolist() == [True, False]
    assert not over.any()


def test_first_states_of_free_bodies_stay_on_their_manifold():
    """A spread turns a body; its quaternion keeps its length."""
    body = ph.Body("craft", ph.solids.sphere(mass=2.0, radius=0.3))
    weight = ph.Weight(ph.Parameter("g", 9.81))
    system = ph.System([ph.Free("craft", ph.World().origin, body.origin)], [weight])
    task = task_of(system, inputs={"g": (0, 9)}, reward=lambda s, i: 0.0, is_over=None)
    q, z = task.begin(np.random.default_rng(0), 50)
    for k in range(50):
        state = ph.State(system, 0.0, q[k], z[k])
        assert np.linalg.norm(state["craft"][:4]) == pytest.approx(1.0, abs=1e-14)


# ---------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("wrong", "error", "told"),
    [
        ({"inputs": {}}, ModelError, "no inputs"),
        ({"inputs": {"push": (1, -1)}}, ModelError, "within"),
        ({"inputs": {"push": 3}}, ModelError, "within"),
        ({"inputs": {"push": (-np.inf, 1)}}, ModelError, "finite"),
        ({"steps": 0}, ModelError, "steps"),
        ({"spread": -1.0}, ModelError, "spread"),
    ],
)
def test_a_wrong_task_is_refused(task, wrong, error, told):
    """Bounds, steps and spreads that make no sense, by name."""
    with pytest.raises(error, match=told):
        task_of(task.system, **wrong)


def test_wrong_calls_are_refused(task):
    """Foreign states, counts, modes and actions that do not fit."""
    other = ph.models.start("double_pendulum")
    with pytest.raises(StateError, match="double pendulum"):
        task_of(task.system, start=other)
    with pytest.raises(ArgumentError, match="copies"):
        ph.gym.VectorEnv(task, 0)
    with pytest.raises(ArgumentError, match="NextStep"):
        ph.gym.VectorEnv(task, 2, autoreset="later")
    envs = ph.gym.VectorEnv(task, 2)
    with pytest.raises(ArgumentError, match="reset"):
        envs.step(np.zeros((2, 1)))
    envs.reset(seed=0)
    for actions in (np.zeros(2), np.zeros((3, 1)), np.full((2, 1), np.nan)):
        with pytest.raises(ArgumentError, match="finite numbers of shape"):
            envs.step(actions)
    short = task_of(task.system, start=lambda random, n: (np.zeros((n, 1)), None))
    with pytest.raises(StateError, match="shapes"):
        ph.gym.VectorEnv(short, 2)
