"""SymPy's Kane's method on the planar pendulum of n rods, and its lambdified form."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import sympy as sm
from sympy.physics import mechanics as me

from benchmarks.models.chain import GRAVITY


def derived(links: int) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """(q, u) -> accelerations; q are angles of each rod on the one before.

    Coordinates, speeds and numbers are those of our own model, as SymPy's examples do
    it: `KanesMethod`, then `lambdify(cse=True)` of mass matrix and forcing, solved by
    NumPy.
    """
    q, u = me.dynamicsymbols(f"q:{links}"), me.dynamicsymbols(f"u:{links}")
    ground, origin = me.ReferenceFrame("N"), me.Point("O")
    origin.set_vel(ground, 0)
    frame, hinge, bodies, loads = ground, origin, [], []
    for k in range(links):
        own = frame.orientnew(f"A{k}", "Axis", [q[k], ground.y])
        own.set_ang_vel(frame, u[k] * ground.y)
        centre = hinge.locatenew(f"C{k}", -own.z / 2)
        centre.v2pt_theory(hinge, ground, own)
        inertia = me.inertia(own, sm.Rational(1, 12), sm.Rational(1, 12), 0)
        bodies.append(me.RigidBody(f"B{k}", centre, own, 1, (inertia, centre)))
        loads.append((centre, -sm.Float(GRAVITY) * ground.z))
        hinge_next = hinge.locatenew(f"P{k}", -own.z)
        hinge_next.v2pt_theory(hinge, ground, own)
        frame, hinge = own, hinge_next
    rates = [q[k].diff() - u[k] for k in range(links)]
    method = me.KanesMethod(ground, q_ind=q, u_ind=u, kd_eqs=rates)
    method.kanes_equations(bodies, loads)
    both = sm.lambdify([q, u], [method.mass_matrix, method.forcing], cse=True)

    def accelerations(angles: np.ndarray, speeds: np.ndarray) -> np.ndarray:
        M, f = both(angles, speeds)
        return np.linalg.solve(np.asarray(M, float), np.asarray(f, float))[:, 0]

    return accelerations


def first_step(links: int, angle: float, h: float) -> tuple[float, float, np.ndarray]:
    """Seconds from nothing to the end of one step, by clock and processor.

    Every hinge starts at `angle` and at rest; the state [q, u] is after the classical
    step of order 4.
    """
    start, busy = time.perf_counter(), time.process_time()
    accelerations = derived(links)

    def slope(x: np.ndarray) -> np.ndarray:
        q, u = x[:links], x[links:]
        return np.concatenate([u, accelerations(q, u)])

    x = np.concatenate([np.full(links, angle), np.zeros(links)])
    k1 = slope(x)
    k2 = slope(x + h / 2 * k1)
    k3 = slope(x + h / 2 * k2)
    k4 = slope(x + h * k3)
    x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return time.perf_counter() - start, time.process_time() - busy, x
