"""Every kernel of vectors, screws and motions, with arguments to try it on."""

from __future__ import annotations

import numpy as np

from polhode.double import doubled
from polhode.geometry import (
    se3,
    transport,
    twist,
    vector,
)
from polhode.geometry.motion import (
    angular_velocity,
    free_body,
    invariant_velocity,
    moving_frame,
    path,
    relative_motion,
    velocity_choice,
)
from polhode.geometry.motion.moving_frame import MovingFrame, MovingPoint
from polhode.geometry.rotations import angle_ratio_rates, parametrisation, so3

A = np.array([0.3, -0.7, 0.5])
B = np.array([1.1, 0.4, -0.2])
C = np.array([-0.6, 0.9, 0.8])
D = np.array([0.2, 0.1, -1.3])
R = so3.exp(A)
M = np.array([[0.5, 1.0, -0.3], [0.2, -0.8, 0.4], [1.2, 0.6, 0.1]])
SCREW = np.concatenate([A, B])
TWIST = np.concatenate([C, D])
X = se3.exp(SCREW)
X_DOT = X @ se3.hat(TWIST)
FRAME = (R, A, B, C, D, A + B)
POINT = (C, D, B)
BASE = se3.exp(0.5 * TWIST)
JET = velocity_choice.jet(BASE)
CHART = parametrisation.QUATERNION
PLACE_AND_TURN = np.concatenate([A, CHART.from_matrix(R)])


def compose(*columns):
    """moving_frame.compose on plain columns."""
    return tuple(
        moving_frame.compose(MovingFrame(*columns[:6]), MovingFrame(*columns[6:]))
    )


def inverse(*columns):
    """moving_frame.inverse on plain columns."""
    return tuple(moving_frame.inverse(MovingFrame(*columns)))


def on_point(kernel):
    """A kernel of a moving frame and a moving point, on plain columns."""

    def unpacked(*columns):
        return tuple(kernel(MovingFrame(*columns[:6]), MovingPoint(*columns[6:])))

    return unpacked


def coordinate_rates(coordinates, twist):
    """free_body.coordinate_rates of quaternions."""
    return free_body.coordinate_rates(CHART, coordinates, twist)


def screw_path(t):
    """A displacement that goes along a screw: rotation and place."""
    displacement = se3.exp(t * SCREW)
    return se3.rotation_of(displacement), se3.translation_of(displacement)


def place_on_path(t):
    """path.moving_point of a point that is carried along."""
    return tuple(path.moving_point(lambda s: se3.act(se3.exp(s * SCREW), C), t))


def frame_on_path(t):
    """path.moving_frame of the path."""
    return tuple(path.moving_frame(screw_path, t))


KERNELS = {
    "vector.skew": (vector.skew, (A,)),
    "vector.vee": (vector.vee, (M,)),
    "vector.alternator": (vector.alternator, (M,)),
    "vector.cross": (vector.cross, (A, B)),
    "vector.dot": (vector.dot, (A, B)),
    "vector.outer": (vector.outer, (A, B)),
    "vector.norm": (vector.norm, (A,)),
    "angle_ratio_rates.versine_ratio_rate": (
        angle_ratio_rates.versine_ratio_rate,
        (np.array(0.7),),
    ),
    "angle_ratio_rates.sine_defect_ratio_rate": (
        angle_ratio_rates.sine_defect_ratio_rate,
        (np.array(0.7),),
    ),
    "angle_ratio_rates.cotangent_defect_ratio_rate": (
        angle_ratio_rates.cotangent_defect_ratio_rate,
        (np.array(5.0),),
    ),
    "se3.displacement": (se3.displacement, (R, A)),
    "se3.rotation_of": (se3.rotation_of, (X,)),
    "se3.translation_of": (se3.translation_of, (X,)),
    "se3.act": (se3.act, (X, A)),
    "se3.inverse": (se3.inverse, (X,)),
    "se3.hat": (se3.hat, (SCREW,)),
    "se3.unhat": (se3.unhat, (X_DOT,)),
    "se3.exp": (se3.exp, (SCREW,)),
    "se3.log": (se3.log, (X,)),
    "se3.adjoint": (se3.adjoint, (X,)),
    "se3.coadjoint": (se3.coadjoint, (X,)),
    "se3.ad": (se3.ad, (SCREW,)),
    "se3.left_jacobian": (se3.left_jacobian, (SCREW,)),
    "se3.left_jacobian_inverse": (se3.left_jacobian_inverse, (SCREW,)),
    "se3.right_jacobian": (se3.right_jacobian, (SCREW,)),
    "se3.right_jacobian_inverse": (se3.right_jacobian_inverse, (SCREW,)),
    "twist.spatial_array": (twist.spatial_array, (A, B)),
    "transport.shift_velocity": (transport.shift_velocity, (A, B, C)),
    "transport.shift_acceleration": (transport.shift_acceleration, (A, B, C, D)),
    "transport.shift_torque": (transport.shift_torque, (A, B, C)),
    "transport.shift_twist": (transport.shift_twist, (TWIST, A)),
    "transport.shift_wrench": (transport.shift_wrench, (TWIST, A)),
    "transport.vector_rate": (transport.vector_rate, (A, B, C)),
    "transport.dyadic_rate": (transport.dyadic_rate, (M, A, R)),
    "transport.spatial_rate": (transport.spatial_rate, (SCREW, A, TWIST)),
    "angular_velocity.spatial_components": (
        angular_velocity.spatial_components,
        (R, R @ M),
    ),
    "angular_velocity.body_components": (angular_velocity.body_components, (R, R @ M)),
    "angular_velocity.from_axes": (angular_velocity.from_axes, (R, M)),
    "moving_frame.apply": (moving_frame.apply, (M, A)),
    "moving_frame.compose": (compose, FRAME + FRAME),
    "moving_frame.inverse": (inverse, FRAME),
    "moving_frame.see_point": (on_point(moving_frame.see_point), FRAME + POINT),
    "relative_motion.velocity_terms": (
        on_point(relative_motion.velocity_terms),
        FRAME + POINT,
    ),
    "relative_motion.acceleration_terms": (
        on_point(relative_motion.acceleration_terms),
        FRAME + POINT,
    ),
    "relative_motion.apparent_accelerations": (
        on_point(relative_motion.apparent_accelerations),
        FRAME + POINT,
    ),
    "path.moving_point": (doubled(place_on_path), (np.array(0.6),)),
    "path.moving_frame": (doubled(frame_on_path), (np.array(0.6),)),
    "path.acceleration_along": (path.acceleration_along, (A, B)),
    "invariant_velocity.left_invariant": (
        invariant_velocity.left_invariant,
        (X, X_DOT),
    ),
    "invariant_velocity.right_invariant": (
        invariant_velocity.right_invariant,
        (X, X_DOT),
    ),
    "invariant_velocity.rate_from_left": (
        invariant_velocity.rate_from_left,
        (X, TWIST),
    ),
    "invariant_velocity.rate_from_right": (
        invariant_velocity.rate_from_right,
        (X, TWIST),
    ),
    "invariant_velocity.left_translate": (
        invariant_velocity.left_translate,
        (BASE, X, X_DOT),
    ),
    "invariant_velocity.right_translate": (
        invariant_velocity.right_translate,
        (BASE, X, X_DOT),
    ),
    "invariant_velocity.space_origin_velocity": (
        invariant_velocity.space_origin_velocity,
        (TWIST, A),
    ),
    "invariant_velocity.inverse_motion": (
        invariant_velocity.inverse_motion,
        (X, X_DOT),
    ),
    "velocity_choice.RIGHT.speeds": (velocity_choice.RIGHT.speeds, (X, TWIST)),
    "velocity_choice.RIGHT.body_twist": (velocity_choice.RIGHT.body_twist, (X, TWIST)),
    "velocity_choice.HYBRID.speeds": (velocity_choice.HYBRID.speeds, (X, TWIST)),
    "velocity_choice.HYBRID.body_twist": (
        velocity_choice.HYBRID.body_twist,
        (X, TWIST),
    ),
    "velocity_choice.jet.speeds": (JET.speeds, (X, TWIST)),
    "velocity_choice.jet.body_twist": (JET.body_twist, (X, TWIST)),
    "free_body.rotation_rate": (free_body.rotation_rate, (R, A)),
    "free_body.coordinate_rates": (coordinate_rates, (PLACE_AND_TURN, TWIST)),
    "free_body.advance": (free_body.advance, (X, TWIST, np.array(0.1))),
}
