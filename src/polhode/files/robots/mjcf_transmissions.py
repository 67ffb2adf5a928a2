"""Tendons, actuators and equalities of MJCF."""

from __future__ import annotations

from typing import Any

import numpy as np

from polhode.actions.force_elements.transmission import (
    Servo,
    TendonDamper,
    TendonSpring,
)
from polhode.constraints.gear import Gear
from polhode.constraints.tendon_length import TendonLength
from polhode.geometry.rotations.quaternion import to_matrix
from polhode.joints.fixed import Fixed
from polhode.joints.spherical import Spherical


def _cord(reading: Any, number: int) -> tuple[list[Any], list[float]] | None:
    """The joints of a tendon and its arms, if it is linear; None if it is spatial."""
    m, joint = reading.m, int(reading.mujoco.mjtWrap.mjWRAP_JOINT)
    first, count = int(m.tendon_adr[number]), int(m.tendon_num[number])
    rows = range(first, first + count)
    if any(int(m.wrap_type[k]) != joint for k in rows):
        return None
    numbers = [int(m.wrap_objid[k]) for k in rows]
    if not all(k in reading.joints for k in numbers):
        return None
    return [reading.joints[k] for k in numbers], [float(m.wrap_prm[k]) for k in rows]


def tendons(reading: Any) -> None:
    """Springs and dampers of linear tendons; others are noted."""
    m = reading.m
    for k in range(m.ntendon):
        name, cord = reading.name("tendon", k), _cord(reading, k)
        if cord is None:
            reading.note(f"tendon {name!r} goes over points: it is not taken")
            continue
        if m.tendon_stiffness[k]:
            rest = tuple(map(float, m.tendon_lengthspring[k]))
            spring = TendonSpring(*cord, float(m.tendon_stiffness[k]), rest, name=name)
            reading.actions.append(spring)
        if m.tendon_damping[k]:
            damper = TendonDamper(
                *cord, float(m.tendon_damping[k]), name=f"damper of {name}"
            )
            reading.actions.append(damper)
        for word, what in (
            ("tendon_limited", "limit"),
            ("tendon_frictionloss", "dry friction"),
            ("tendon_armature", "inertia"),
        ):
            if np.any(getattr(m, word, [0.0] * m.ntendon)[k]):
                reading.note(f"the {what} of tendon {name!r} is not taken")


def servos(reading: Any) -> None:
    """Actuators with linear laws, on joints and on linear tendons; others are noted."""
    m, mujoco = reading.m, reading.mujoco
    for k in range(m.nu):
        name = reading.name("actuator", k)
        cord = _transmission(reading, k)
        if cord is None:
            reading.note(
                f"actuator {name!r} acts on no joint or linear tendon: it is not taken"
            )
            continue
        gain, bias = _law(m, mujoco, k)
        if gain is None:
            reading.note(f"the law of actuator {name!r} is not linear: it is not taken")
            continue
        if m.actuator_dyntype[k] != mujoco.mjtDyn.mjDYN_NONE:
            reading.note(f"actuator {name!r} acts at once: its filter is not taken")
        limits: dict[str, Any] = {}
        if m.actuator_ctrllimited[k]:
            limits["control_limits"] = tuple(map(float, m.actuator_ctrlrange[k]))
        if m.actuator_forcelimited[k]:
            limits["force_limits"] = tuple(map(float, m.actuator_forcerange[k]))
        taken = {action.name for action in reading.actions}
        called = f"actuator {name}" if name in taken else name
        reading.actions.append(Servo(*cord, gain, bias, name=called, **limits))
    if np.any(m.jnt_actfrclimited):
        reading.note("limits of joints on the sum of their actuators are not taken")


def _transmission(reading: Any, k: int) -> tuple[list[Any], list[float]] | None:
    m, kinds = reading.m, reading.mujoco.mjtTrn
    number, gear = int(m.actuator_trnid[k, 0]), float(m.actuator_gear[k, 0])
    kind = int(m.actuator_trntype[k])
    if kind in (int(kinds.mjTRN_JOINT), int(kinds.mjTRN_JOINTINPARENT)):
        joint = reading.joints.get(number)
        return None if joint is None else ([joint], [gear])
    if kind == int(kinds.mjTRN_TENDON):
        cord = _cord(reading, number)
        return None if cord is None else (cord[0], [gear * arm for arm in cord[1]])
    return None


def _law(m: Any, mujoco: Any, k: int) -> tuple[Any, Any]:
    """Gain and bias of F = gain u + b_0 + b_1 l + b_2 l_dot; None if it is another."""
    gains, biases = mujoco.mjtGain, mujoco.mjtBias
    gain, bias = m.actuator_gainprm[k], m.actuator_biasprm[k]
    is_fixed = m.actuator_gaintype[k] == gains.mjGAIN_FIXED
    is_affine = m.actuator_gaintype[k] == gains.mjGAIN_AFFINE and not np.any(gain[1:3])
    if not (is_fixed or is_affine):
        return None, None
    if m.actuator_biastype[k] == biases.mjBIAS_NONE:
        return float(gain[0]), (0.0, 0.0, 0.0)
    if m.actuator_biastype[k] == biases.mjBIAS_AFFINE:
        return float(gain[0]), tuple(map(float, bias[:3]))
    return None, None


def equalities(reading: Any) -> list[Any]:
    """Equalities that hold from the start, as exact constraints."""
    m, kinds = reading.m, reading.mujoco.mjtEq
    found = []
    for k in range(m.neq):
        name, kind = reading.name("equality", k), int(m.eq_type[k])
        if not m.eq_active0[k]:
            reading.note(f"equality {name!r} is not active: it is not taken")
            continue
        made = None
        if kind == int(kinds.mjEQ_JOINT):
            made = _gear(reading, k, name)
        elif kind == int(kinds.mjEQ_TENDON):
            made = _tendon_equality(reading, k, name)
        elif kind in (int(kinds.mjEQ_CONNECT), int(kinds.mjEQ_WELD)):
            made = _joint_equality(
                reading, k, name, is_weld=kind == int(kinds.mjEQ_WELD)
            )
        if made is None:
            reading.note(f"equality {name!r} is not taken")
        else:
            reading.note(f"equality {name!r} is exact here, and soft in MuJoCo")
            found.append(made)
    return found


def _gear(reading: Any, k: int, name: str) -> Any:
    """q_1 - q_1(0) = a + b (q_2 - q_2(0)), if it has no higher powers."""
    m = reading.m
    first, second = int(m.eq_obj1id[k]), int(m.eq_obj2id[k])
    constant, slope, *higher = map(float, m.eq_data[k, :5])
    ends = reading.joints.get(first), reading.joints.get(second)
    if None in ends or any(higher) or not slope:
        return None
    zero = [float(m.qpos0[m.jnt_qposadr[j]]) for j in (first, second)]
    return Gear(*ends, slope, zero[0] + constant - slope * zero[1], name=name)


def _tendon_equality(reading: Any, k: int, name: str) -> Any:
    """l_1 - l_1(0) = a + b (l_2 - l_2(0)) of linear tendons, or l_1 alone."""
    m = reading.m
    first, second = int(m.eq_obj1id[k]), int(m.eq_obj2id[k])
    constant, slope, *higher = map(float, m.eq_data[k, :5])
    cord = _cord(reading, first)
    other = _cord(reading, second) if second >= 0 else ([], [])
    if cord is None or other is None or (second >= 0 and any(higher)):
        return None
    length = float(m.tendon_length0[first]) + constant
    if second >= 0:
        length -= slope * float(m.tendon_length0[second])
    arms = dict.fromkeys([*cord[0], *other[0]], 0.0)
    for joint, arm in zip(*cord, strict=True):
        arms[joint] += arm
    for joint, arm in zip(*other, strict=True):
        arms[joint] -= slope * arm
    return TendonLength([*arms], [*arms.values()], length, name=name)


def _joint_equality(reading: Any, k: int, name: str, *, is_weld: bool) -> Any:
    """A ball joint, or a weld, between two bodies that have one already."""
    m, mujoco = reading.m, reading.mujoco
    if int(m.eq_objtype[k]) == int(mujoco.mjtObj.mjOBJ_SITE):
        sites = int(m.eq_obj1id[k]), int(m.eq_obj2id[k])
        one, other = (reading.bodies[int(m.site_bodyid[s])] for s in sites)
        first, second = (
            one.point(*m.site_pos[sites[0]]),
            other.point(*m.site_pos[sites[1]]),
        )
        turns = [to_matrix(m.site_quat[s]) for s in sites]
        axes = {"first_axes": turns[0], "second_axes": turns[1]}
        return (
            Fixed(name, first, second, **axes)
            if is_weld
            else Spherical(name, first, second)
        )
    one = reading.bodies[int(m.eq_obj1id[k])]
    other = reading.bodies[int(m.eq_obj2id[k])]
    data = np.array(m.eq_data[k])
    if is_weld:
        turn = to_matrix(data[6:10] / np.linalg.norm(data[6:10]))
        return Fixed(
            name, one.point(*data[3:6]), other.point(*data[:3]), first_axes=turn
        )
    return Spherical(name, one.point(*data[:3]), other.point(*data[3:6]))
