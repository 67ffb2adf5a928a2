"""How fast errors fall as steps do."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import polhode as ph
from moving import column, double_pendulum, heavy_top, many_steps, point_pendulum
from polhode.formulation.gauss import gauss
from polhode.integrate.field import field_of

METHODS = [
    ph.SemiImplicitEuler,
    ph.StormerVerlet,
    ph.RungeKutta4,
    ph.CommutatorFree4,
    ph.DormandPrince,
]
# Above the rounding of the reference, which both systems magnify.
FLOOR = 1e-11
# The end of the run, and by order a first step that is small for the motion.
RUNS = {
    double_pendulum: (3.0, {1: 0.004, 2: 0.02, 4: 0.01, 5: 0.03}),
    heavy_top: (1.6, {1: 0.004, 2: 0.02, 4: 0.04, 5: 0.08}),
}


def swing(system: ph.System) -> ph.State:
    if system is double_pendulum():
        return system.state(shoulder=0.5, elbow=0.3)
    return system.state(speeds={"ball": (0.3, 0.5, 5.0)})


def observed_order(system: ph.System, method: type, h0: float, until: float) -> float:
    """The slope of the largest error in the later half, over seven halvings."""
    x, times = column(swing(system)), np.linspace(0, until, 11)[1:]
    run = ph.simulate(system, swing(system), until=until, rtol=3e-14, samples=times)
    exact = np.concatenate([run.q, run.z], axis=1)
    walk, points = many_steps(system, method), []
    for k in range(7):
        count = round(until / 10 / h0 * 2**k)
        h, now, errors = until / 10 / count, x, []
        for there in exact:
            now = walk(now, h, count)
            errors.append(np.max(np.abs(now - there)))
        if max(errors[5:]) > FLOOR:
            points.append((np.log(h), np.log(max(errors[5:]))))
    assert len(points) >= 4
    return float(np.polyfit(*np.array(points[-5:]).T, 1)[0])


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
@pytest.mark.parametrize("system", RUNS, ids=["double", "top"])
def test_errors_fall_with_the_order_of_the_method(system, method):
    """Halving the step divides the error by two to the order."""
    until, first = RUNS[system]
    order = observed_order(system(), method, first[method.order], until)
    assert abs(order - method.order) < 0.2, order


def exact_angle(t):
    """The pendulum of 1 m released from the horizontal, by elliptic functions."""
    sn = ellipj(ellipk(0.5) - np.sqrt(9.81) * np.asarray(t), 0.5)[0]
    return 2 * np.arcsin(np.sqrt(0.5) * sn)


@pytest.mark.parametrize("method", METHODS[:4], ids=lambda m: m.name)
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


def test_the_error_follows_the_tolerance():
    """A thousandfold smaller tolerance gives at least a hundredfold smaller error."""
    system, errors = point_pendulum(), []
    for rtol in (1e-6, 1e-9, 1e-12):
        run = ph.simulate(system, system.state(hinge=np.pi / 2), until=10.0, rtol=rtol)
        errors.append(np.max(np.abs(run.q[:, 0] - exact_angle(run.t))))
        assert errors[-1] < 1e3 * rtol
    assert errors[0] > 100 * errors[1] > 1e4 * errors[2]


def test_dense_output_is_of_order_four():
    """Between the steps the interpolant errs as h^5 a step, and misses no row."""
    system, errors, steps = point_pendulum(), [], []
    for rtol in (1e-5, 1e-7, 1e-9):
        run = ph.simulate(system, system.state(hinge=np.pi / 2), until=2.0, rtol=rtol)
        middles = (run.t[1:] + run.t[:-1]) / 2
        found = run.resampled(middles).q[:, 0]
        errors.append(np.max(np.abs(found - exact_angle(middles))))
        steps.append(len(run))
        assert np.array_equal(run.resampled(run.t).q, run.q)
    assert np.polyfit(np.log(steps), np.log(errors), 1)[0] < -3.8


def test_the_estimate_is_near_the_error():
    """The embedded estimate is within a factor of ten of the true error of a step.

    The true error is that of the fourth order, which the estimate is for.
    """
    system = heavy_top()
    equations, method = gauss(system), ph.DormandPrince()

    def both(x, h):
        field = field_of(equations, {})
        slope = field.slope(0.0, x)
        one = method.attempt(field, 0.0, x, slope, h)
        return one.x, one.error

    step = ph.compile(both, np.zeros(7), 0.1)
    walk = many_steps(system, ph.DormandPrince)
    rng, ratios = np.random.default_rng(1), []
    for _ in range(100):
        q = system.normalised(rng.normal(size=4))
        x = np.concatenate([q, rng.normal(size=3)])
        fifth, error = step(x, 0.05)
        truth = walk(x, 0.05 / 16, 16)
        ratios.append(np.linalg.norm(error) / np.linalg.norm(fifth - error - truth))
    inside = [0.1 < ratio < 10 for ratio in ratios]
    assert np.mean(inside) >= 0.95
