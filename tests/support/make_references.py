"""Writes references.json: two motions to 32 digits, from equations typed by hand.

The double pendulum and the heavy top of `moving`, in mpmath with 44 digits, by the
extrapolated midpoint rule of Gragg, Bulirsch and Stoer; two sizes of step must agree to
1e-33. Run it by hand after a change: python tests/support/make_references.py
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from mpmath import cos, mp, mpf, sin

PLACE = Path(__file__).with_name("references.json")
COLUMNS = 17
GRAVITY = "9.81"

Slope = Callable[[list], list]


def pendulum_slope(x: list) -> list:
    """Two thin rods, 1 kg of 1 m and 0.7 kg of 0.8 m; a, b from the vertical.

    x = (a, b - a, a_dot, (b - a)_dot)
    """
    m1, l1, m2, l2, g = map(mpf, ("1", "1", "0.7", "0.8", GRAVITY))
    a, b, a_dot, b_dot = x[0], x[0] + x[1], x[2], x[2] + x[3]
    first, second, coupled = (
        m1 * l1**2 / 3 + m2 * l1**2,
        m2 * l2**2 / 3,
        m2 * l1 * l2 / 2,
    )
    c, s = coupled * cos(a - b), coupled * sin(a - b)
    r1 = -s * b_dot**2 - (m1 / 2 + m2) * l1 * g * sin(a)
    r2 = s * a_dot**2 - m2 * l2 / 2 * g * sin(b)
    det = first * second - c * c
    a_ddot, b_ddot = (second * r1 - c * r2) / det, (first * r2 - c * r1) / det
    return [x[2], x[3], a_ddot, b_ddot - a_ddot]


def top_slope(x: list) -> list:
    """1 kg, moments (0.2, 0.25, 0.1) about the mass centre 0.3 m up the body's axis.

    x = (quaternion w x y z, angular velocity in the body)
    """
    w, i, j, k, *omega = x
    g, high = mpf(GRAVITY), mpf("0.3")
    moments = [mpf("0.2") + high**2, mpf("0.25") + high**2, mpf("0.1")]
    down = [
        -2 * (i * k - w * j),
        -2 * (j * k + w * i),
        -(w * w - i * i - j * j + k * k),
    ]
    torque = [-high * g * down[1], high * g * down[0], mpf(0)]
    L, o = [m * v for m, v in zip(moments, omega, strict=True)], omega
    gyro = [L[1] * o[2] - L[2] * o[1], L[2] * o[0] - L[0] * o[2],
            L[0] * o[1] - L[1] * o[0]]  # fmt: skip
    spin = [(gyro[n] + torque[n]) / moments[n] for n in range(3)]
    a, b, c = omega
    turn = [-i * a - j * b - k * c, w * a + j * c - k * b,
            w * b + k * a - i * c, w * c + i * b - j * a]  # fmt: skip
    return [part / 2 for part in turn] + spin


def midpoints(slope: Slope, x: list, h: mpf, count: int) -> list:
    """Gragg's modified midpoint rule: an error in even powers of h/count."""
    d = h / count
    before, now = x, _plus(x, d, slope(x))
    for _ in range(count - 1):
        before, now = now, _plus(before, 2 * d, slope(now))
    end = _plus(now, d, slope(now))
    return [(u + v) / 2 for u, v in zip(before, end, strict=True)]


def extrapolated(slope: Slope, x: list, h: mpf) -> list:
    """One step, by Neville's table in (1/count)^2."""
    counts = [2 * (k + 1) for k in range(COLUMNS)]
    rows = [midpoints(slope, x, h, count) for count in counts]
    for level in range(1, COLUMNS):
        for k in reversed(range(level, COLUMNS)):
            ratio = (mpf(counts[k]) / counts[k - level]) ** 2 - 1
            pairs = zip(rows[k], rows[k - 1], strict=True)
            rows[k] = [u + (u - v) / ratio for u, v in pairs]
    return rows[-1]


def motion(slope: Slope, x: list, until: mpf, steps: int) -> list[list]:
    """The states at ten equal times."""
    found = []
    for _ in range(10):
        for _ in range(steps):
            x = extrapolated(slope, x, until / 10 / steps)
        found.append(x)
    return found


def _plus(x: list, h: mpf, slope: list) -> list:
    return [u + h * v for u, v in zip(x, slope, strict=True)]


CASES = {
    "double pendulum": (pendulum_slope, ["0.5", "0.3", "0", "0"], "3.0"),
    "heavy top": (top_slope, ["1", "0", "0", "0", "0.3", "0.5", "5.0"], "1.6"),
}


def main() -> None:
    """Both motions, each made twice."""
    mp.dps = 44
    whole = {}
    for name, (slope, start, until) in CASES.items():
        x, end = [mpf(v) for v in start], mpf(until)
        rough, fine = (motion(slope, x, end, steps) for steps in (16, 20))
        rows = zip(rough, fine, strict=True)
        pairs = [pair for both in rows for pair in zip(*both, strict=True)]
        missed = max(abs(u - v) for u, v in pairs)
        assert missed < mpf("1e-33"), (name, missed)
        digits = [[mp.nstr(v, 32) for v in row] for row in fine]
        whole[name] = {"start": start, "until": until, "rows": digits}
    PLACE.write_text(json.dumps(whole, indent=1) + "\n")


if __name__ == "__main__":
    main()
