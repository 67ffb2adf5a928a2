"""Robots read from URDF accelerate as MuJoCo's and Pinocchio's do."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from robots import ROBOTS, text_of

GRAVITY = 9.81
DAMPING = 0.3


@pytest.fixture(scope="module", params=ROBOTS)
def moving(request, tmp_path_factory):
    """A robot's text, two states of it, and its accelerations in them, by joint."""
    path = tmp_path_factory.mktemp("robots") / f"{request.param}.urdf"
    path.write_text(text_of(request.param))
    system = ph.load_urdf(path, gravity=GRAVITY).system
    equations, rng = ph.recursive(system), np.random.default_rng(1)
    found = []
    for _ in range(2):
        q = system.local(system.neutral(), rng.uniform(-1, 1, system.speeds))
        state = ph.State(system, 0.0, q, rng.normal(size=system.speeds))
        z_dot = equations.accelerations(state)
        joints = [j for j in system.joints if j.speeds]
        edges = {j.name: system.edge(j.name) for j in joints}
        kinds = {j.name: type(j).__name__ for j in joints}
        rows = {
            n: (kinds[n], state.q[e.q], state.z[e.z], z_dot[e.z])
            for n, e in edges.items()
        }
        found.append(rows)
    return path.read_text(), found


def in_plane(angle, column):
    """A column of the turned axes, in the axes before the turn."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * column[0] - s * column[1], s * column[0] + c * column[1]])


def test_accelerations_are_those_of_mujoco(moving):
    """At random states, damping and gravity included: q_ddot to 1e-9."""
    mujoco = pytest.importorskip("mujoco", reason="the peer MuJoCo is not installed")
    text, states = moving
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.gravity[:] = 0, 0, -GRAVITY
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    data = mujoco.MjData(model)

    def places(name, kind):
        if kind != "Planar":
            joint = model.joint(name)
            return joint.qposadr[0], joint.dofadr[0]
        joint = model.joint(f"{name}_TX")
        return joint.qposadr[0], joint.dofadr[0]

    for rows in states:
        for name, (kind, q, z, _) in rows.items():
            at, dof = places(name, kind)
            if kind == "Free":
                R = _matrix(q[:4])
                data.qpos[at : at + 7] = [*q[4:], *q[:4]]
                data.qvel[dof : dof + 6] = [*(R @ z[3:]), *z[:3]]
            elif kind == "Planar":
                data.qpos[at : at + 3] = [q[1], q[2], q[0]]
                data.qvel[dof : dof + 3] = [z[1], z[2], z[0]]
            else:
                data.qpos[at], data.qvel[dof] = q[0], z[0]
        mujoco.mj_forward(model, data)
        for name, (kind, q, z, z_dot) in rows.items():
            dof = places(name, kind)[1]
            theirs = data.qacc[dof : dof + len(z)]
            if kind == "Free":
                R = _matrix(q[:4])
                linear = R @ (z_dot[3:] + np.cross(z[:3], z[3:]))
                ours = np.concatenate([linear, z_dot[:3]])
            elif kind == "Planar":
                ours = z_dot[[1, 2, 0]]
            else:
                ours = z_dot
            np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)


def test_accelerations_are_those_of_pinocchio(moving):
    """The same by the articulated-body algorithm of another library."""
    pin = pytest.importorskip("pinocchio", reason="the peer Pinocchio is missing")
    text, states = moving
    model = pin.buildModelFromXML(text)
    model.gravity.linear = np.array([0, 0, -GRAVITY])
    data = model.createData()
    for rows in states:
        q, v = pin.neutral(model), np.zeros(model.nv)
        effort = np.zeros(model.nv)
        for name, (kind, own, z, _) in rows.items():
            joint = model.joints[model.getJointId(name)]
            at, dof = joint.idx_q, joint.idx_v
            if kind == "Free":
                q[at : at + 7] = [*own[4:], *own[1:4], own[0]]
                v[dof : dof + 6] = [*z[3:], *z[:3]]
            elif kind == "Planar":
                c, s = np.cos(own[0]), np.sin(own[0])
                q[at : at + 4] = [own[1], own[2], c, s]
                v[dof : dof + 3] = [*in_plane(-own[0], z[1:]), z[0]]
            else:
                both = [np.cos(own[0]), np.sin(own[0])]
                q[at : at + joint.nq] = own if joint.nq == 1 else both
                v[dof] = z[0]
                effort[dof] = -DAMPING * z[0]
        theirs = pin.aba(model, data, q, v, effort)
        for name, (kind, own, z, z_dot) in rows.items():
            dof = model.joints[model.getJointId(name)].idx_v
            got = theirs[dof : dof + len(z)]
            if kind == "Free":
                ours = np.concatenate([z_dot[3:], z_dot[:3]])
            elif kind == "Planar":
                v_M = v[dof : dof + 2]
                turned = got[:2] + z[0] * np.array([-v_M[1], v_M[0]])
                got = np.array([got[2], *in_plane(own[0], turned)])
                ours = z_dot
            else:
                ours = z_dot
            np.testing.assert_allclose(ours, got, rtol=1e-9, atol=1e-9)


def _matrix(wxyz):
    w, x, y, z = wxyz
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
