"""How fast errors fall as steps do."""

from __future__ import annotations

import json
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import polhode as ph
from moving import (
    column,
    double_pendulum,
    heavy_top,
    many_steps,
    point_pendulum,
    spin,
    stepping,
    turning,
)
from polhode.formulation.gauss import gauss
from polhode.geometry.rotations import quaternion
from polhode.integrate.field.dense_output import between
from polhode.integrate.field.vector_field import field_of
from polhode.integrate.kernel.step_size import size_of
from polhode.integrate.methods.composed import sequence

REFERENCES = Path(__file__).parents[2] / "support" / "references.json"
# A hundred units of rounding for each of the steps that a tenth of a run is made of.
FLOOR = 1e2 * np.finfo(float).eps
FIXED = [
    ph.methods.SemiImplicitEuler,
    ph.methods.StormerVerlet,
    ph.methods.RungeKutta4,
    ph.methods.CommutatorFree4,
]
# A method, and whether it compiles fast enough for every day on the pendulum, the top.
CASES = [
    *((stepping(method), True, True) for method in FIXED),
    (ph.methods.CommutatorFree5(1.0), False, True),
    (ph.methods.CommutatorFree6(1.0), False, True),
    (ph.methods.MuntheKaas4(1.0), False, True),
    (ph.methods.CrouchGrossman4(1.0), False, True),
    (ph.methods.ImplicitMidpoint(1.0), False, True),
    (ph.methods.GaussLegendre4(1.0), False, False),
    (ph.methods.GaussLegendre6(1.0), True, False),
    (ph.methods.Variational(1.0), True, False),
    (ph.methods.MoserVeselov(1.0), True, False),
    (ph.methods.EnergyMomentum(1.0), True, False),
    (ph.methods.Composed(ph.methods.ImplicitMidpoint(1.0), 4), False, False),
    (ph.methods.Composed(ph.methods.ImplicitMidpoint(1.0), 6), False, False),
    (ph.methods.Composed(ph.methods.Variational(1.0), 4), False, False),
    (ph.methods.Composed(ph.methods.MoserVeselov(1.0), 4), False, False),
    (ph.methods.Composed(ph.methods.EnergyMomentum(1.0), 4), False, False),
    (ph.methods.DormandPrince(), True, True),
    (ph.methods.DormandPrince8(), False, True),
    (ph.methods.Calvo7(), False, True),
]
SYSTEMS = {"double pendulum": double_pendulum, "heavy top": heavy_top}
# By order, how many steps make a tenth of the run. Few halvings lie between a step that
# is small for the motion and rounding where the order is high: smaller ratios there.
COUNTS = {order: first * 2 ** np.arange(7) for order, first in
          {1: 75, 2: 15, 3: 15, 4: 15, 5: 5, 6: 2}.items()}  # fmt: skip
COUNTS[7] = COUNTS[8] = np.array([2, 3, 4, 6, 8, 12, 16])
# Compositions make many parts of a step, each with its rounding.
COMPOSED = {4: 4 * 2 ** np.arange(5), 6: COUNTS[6]}


def cases():
    for method, *daily in CASES:
        for name, fast in zip(SYSTEMS, daily, strict=True):
            marks = () if fast else pytest.mark.long
            yield pytest.param(name, method, id=f"{name}, {method.name}", marks=marks)


def observed_order(name: str, method: ph.methods.RungeKutta4) -> float:
    """The slope of the largest error in the later half, over steps ever smaller.

    Against motions known to 32 digits; errors near the rounding of a run are left out.
    """
    known = json.loads(REFERENCES.read_text())[name]
    start, exact = np.array(known["start"], float), np.array(known["rows"], float)
    walk, points = many_steps(SYSTEMS[name](), method), []
    composed = isinstance(method, ph.methods.Composed)
    parts = len(sequence(2, method.order)) if composed else 1
    for count in (COMPOSED if composed else COUNTS)[method.order]:
        h, now, errors = float(known["until"]) / 10 / count, start, []
        for there in exact:
            now = walk(now, h, np.int64(count))
            errors.append(np.max(np.abs(now - there)))
        if max(errors[5:]) > FLOOR * count * parts:
            points.append((np.log(h), np.log(max(errors[5:]))))
    assert len(points) >= 4
    late = points[-4:] if method.order < 8 else points
    return float(np.polyfit(*np.array(late).T, 1)[0])


@pytest.mark.parametrize(("name", "method"), list(cases()))
def test_errors_fall_with_the_order_of_the_method(name, method):
    """Halving the step divides the error by two to the order."""
    order = observed_order(name, method)
    assert abs(order - method.order) < 0.2, order


def exact_angle(t):
    """The pendulum of 1 m released from the horizontal, by elliptic functions."""
    sn = ellipj(ellipk(0.5) - np.sqrt(9.81) * np.asarray(t), 0.5)[0]
    return 2 * np.arcsin(np.sqrt(0.5) * sn)


@pytest.mark.parametrize("method", FIXED, ids=lambda m: m.name)
def test_whole_runs_have_the_order_of_the_method(method):
    """Chunks, rows and ends take nothing from the order: a swing of 3 s."""
    system, errors, steps = point_pendulum(), [], [0.04, 0.02, 0.01, 0.005]
    if method.order == 1:
        steps = [0.004, 0.002, 0.001, 0.0005]
    for h in steps:
        way = method(step=h)
        run = ph.simulate(system, system.state(hinge=np.pi / 2), until=3.0, method=way)
        late = run.t > 1.0
        errors.append(np.max(np.abs(run.q[late, 0] - exact_angle(run.t[late]))))
    order = np.polyfit(np.log(steps), np.log(errors), 1)[0]
    assert abs(order - method.order) < 0.2


COMPOSITIONS = [
    (ph.methods.StormerVerlet, 4, (40, 60, 80, 120)),
    (ph.methods.StormerVerlet, 6, (20, 30, 40, 60)),
    (ph.methods.StormerVerlet, 8, (8, 12, 16, 24)),
    pytest.param(ph.methods.GaussLegendre4, 6, (8, 12, 16, 24), marks=pytest.mark.long),
]


@pytest.mark.parametrize(("method", "order", "counts"), COMPOSITIONS)
def test_compositions_reach_their_order(method, order, counts):
    """A pendulum of constant mass, from the horizontal for 1.5 s."""
    walk = many_steps(point_pendulum(), ph.methods.Composed(method(1.0), order))
    errors = []
    for count in counts:
        angle = walk(np.array([np.pi / 2, 0.0]), 1.5 / count, np.int64(count))[0]
        errors.append(abs(angle - exact_angle(1.5)))
    observed = -np.polyfit(np.log(counts), np.log(errors), 1)[0]
    assert abs(observed - order) < 0.2, observed


@pytest.mark.parametrize(
    "method", [ph.methods.GeneralisedAlpha, ph.methods.GearGuptaLeimkuhler]
)
def test_single_steps_of_methods_with_a_memory_keep_their_order(method):
    """A stepper forgets; what the alpha methods remember follows from each state."""
    system, counts, errors = point_pendulum(), (20, 40, 80), []
    for count in counts:
        step, now = ph.stepper(system, 1.0 / count, method=method), None
        for _ in range(count):
            now = step(now or system.state(hinge=np.pi / 2))
        errors.append(abs(now.q[0] - exact_angle(1.0)))
    assert abs(-np.polyfit(np.log(counts), np.log(errors), 1)[0] - 2) < 0.2


def test_the_error_follows_the_tolerance():
    """A thousandfold smaller tolerance gives at least a hundredfold smaller error."""
    system, errors = point_pendulum(), []
    for rtol in (1e-6, 1e-9, 1e-12):
        run = ph.simulate(system, system.state(hinge=np.pi / 2), until=10.0, rtol=rtol)
        errors.append(np.max(np.abs(run.q[:, 0] - exact_angle(run.t))))
        assert errors[-1] < 1e3 * rtol
    assert errors[0] > 100 * errors[1] > 1e4 * errors[2]


DENSE = {ph.methods.DormandPrince: 4, ph.methods.DormandPrince8: 7}


@pytest.mark.parametrize("method", DENSE, ids=lambda m: m.name)
def test_dense_output_has_its_order(method):
    """Within a step the interpolant errs as h^(order + 1), and less at its ends."""
    system, way, order = heavy_top(), method(), DENSE[method]
    equations, walk = gauss(system), many_steps(system, ph.methods.DormandPrince8)

    def within(x, h, s):
        field = field_of(equations, {})
        first = field.x_dot(0.0, x)
        one = way.attempt(field, 0.0, x, first, h)
        ends = (x, first), (one.x, field.x_dot(h, one.x))
        return between(s, h, *ends, one.dense)

    inside = ph.compile(within, np.zeros(7), 0.1, 0.5)
    x = column(system.state(speeds={"ball": (0.3, 0.5, 5.0)}))
    steps = (0.05 if order < 7 else 0.4) / 2 ** np.arange(4)
    for s in (0.3, 0.5, 0.8):
        errors = [
            np.max(np.abs(inside(x, h, s) - walk(x, s * h / 20, np.int64(20))))
            for h in steps
        ]
        observed = np.polyfit(np.log(steps), np.log(errors), 1)[0]
        assert abs(observed - (order + 1)) < 0.3, observed
    assert np.array_equal(inside(x, 0.1, 0.0), x)


def test_rows_are_met_exactly():
    """A motion asked at the times of its rows gives its rows, to the last bit."""
    system = point_pendulum()
    for method in DENSE:
        start = system.state(hinge=np.pi / 2)
        run = ph.simulate(system, start, until=2.0, method=method(rtol=1e-6))
        assert np.array_equal(run.resampled(run.t).q, run.q)
        middles = (run.t[1:] + run.t[:-1]) / 2
        missed = run.resampled(middles).q[:, 0] - exact_angle(middles)
        assert np.max(np.abs(missed)) < 1e-4


@pytest.mark.parametrize("method", DENSE, ids=lambda m: m.name)
def test_the_estimate_is_near_the_error(method):
    """The embedded estimate is within a factor of ten of the true error of a step.

    The true error is that of the embedded formula, which the estimate is for; that of
    the step itself is smaller than all estimates together say.
    """
    system, way = heavy_top(), method()
    equations = gauss(system)

    def both(x, h):
        field = field_of(equations, {})
        one = way.attempt(field, 0.0, x, field.x_dot(0.0, x), h)
        size = size_of(one.error, jnp.ones_like(x))
        return one.x, one.error[0], jnp.sqrt(size.above / size.below)

    step, walk = (
        ph.compile(both, np.zeros(7), 0.1),
        many_steps(system, ph.methods.DormandPrince8),
    )
    rng, ratios, sound = np.random.default_rng(1), [], []
    for _ in range(100):
        q = system.normalised(rng.normal(size=4))
        x = np.concatenate([q, rng.normal(size=3)])
        fine, error, size = step(x, 0.05)
        truth = walk(x, 0.05 / 16, np.int64(16))
        ratios.append(np.linalg.norm(error) / np.linalg.norm(fine - error - truth))
        sound.append(np.sqrt(np.mean((fine - truth) ** 2)) < size + 1e-15)
    assert np.mean([0.1 < ratio < 10 for ratio in ratios]) >= 0.95
    assert np.mean(sound) >= 0.95


def test_free_rotation_follows_elliptic_functions():
    """Jacobi's functions are the body rates of a torque-free body, over 40 turns.

    w = (a cn, -b sn, c dn)(k t), moments 1 < 2 < 3 and more energy than about the
    middle axis.
    """
    system, (A, B, C) = turning(1.0, 2.0, 3.0), (1.0, 2.0, 3.0)
    w = np.array([0.7, 0.0, 1.3])
    twice, square = A * w[0] ** 2 + C * w[2] ** 2, A**2 * w[0] ** 2 + C**2 * w[2] ** 2
    rate = np.sqrt((C - B) * (square - A * twice) / (A * B * C))
    m = (B - A) * (C * twice - square) / ((C - B) * (square - A * twice))
    b = np.sqrt((C * twice - square) / (B * (C - B)))
    t = np.linspace(0.0, 200.0, 401)[1:]
    method = ph.methods.DormandPrince8(rtol=1e-13)
    run = ph.simulate(system, spin(system, w), until=200.0, samples=t, method=method)
    sn, cn, dn, _ = ellipj(rate * t, m)
    assert np.allclose(run.z[:, 0], w[0] * cn, rtol=0, atol=1e-9)
    assert np.allclose(np.abs(run.z[:, 1]), b * np.abs(sn), rtol=0, atol=1e-9)
    assert np.allclose(run.z[:, 2], w[2] * dn, rtol=0, atol=1e-9)
    # The orientation too: the momentum stays where it was in space.
    L = np.einsum("nij,nj->ni", quaternion.to_matrix(run.q), run.z * (A, B, C))
    assert np.allclose(L, w * (A, B, C), rtol=0, atol=1e-9)
