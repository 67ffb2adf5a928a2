"""The kernels of rotations, each with arguments to compile it for."""

from __future__ import annotations

from functools import partial

import numpy as np

from polhode.geometry import spatial_order, triad
from polhode.geometry.rotations import (
    angle_ratios,
    axis_angle,
    euler_angles,
    modified_rodrigues,
    parametrisation,
    quaternion,
    rodrigues,
    rotation_chain,
    rotation_increment,
    rotational_gradient,
    so3,
)

PHI = np.array([0.3, -0.5, 0.8])
SPIN = np.array([1.2, 0.4, -0.7])
AXIS = np.array([2.0, -3.0, 6.0]) / 7
ANGLE = np.float64(0.9)
MATRIX = so3.exp(PHI)
OTHER = so3.exp(SPIN)
Q = quaternion.exp(PHI)
P = quaternion.exp(SPIN)
LINKS = np.stack([MATRIX, OTHER, MATRIX.T])
COLUMNS = np.stack([PHI, SPIN, PHI + SPIN])
V = np.arange(6.0)
M = np.arange(36.0).reshape(6, 6)

ONE_COLUMN = {
    "so3": [
        "exp",
        "left_jacobian",
        "right_jacobian",
        "left_jacobian_inverse",
        "right_jacobian_inverse",
    ],
    "rodrigues": [
        "to_quaternion",
        "to_matrix",
        "spatial_rate_matrix",
        "body_rate_matrix",
        "spatial_rate_inverse",
        "body_rate_inverse",
        "regularity",
    ],
    "modified_rodrigues": [
        "to_quaternion",
        "to_matrix",
        "shadow",
        "switched",
        "spatial_rate_matrix",
        "body_rate_matrix",
        "spatial_rate_inverse",
        "body_rate_inverse",
        "regularity",
    ],
    "quaternion": ["exp", "pure"],
}
MODULES = {
    "so3": so3,
    "rodrigues": rodrigues,
    "modified_rodrigues": modified_rodrigues,
    "quaternion": quaternion,
}
OF_QUATERNION = [
    "conjugate",
    "normalised",
    "canonical",
    "log",
    "to_matrix",
    "spatial_rate_matrix",
    "spatial_rate_inverse",
    "regularity",
]
RATIOS = [
    "sine_ratio",
    "versine_ratio",
    "sine_defect_ratio",
    "cotangent_defect_ratio",
]
OF_ANGLES = [
    "to_matrix",
    "other_branch",
    "lock_sine",
    "regularity",
    "spatial_rate_matrix",
    "body_rate_matrix",
    "spatial_rate_inverse",
    "body_rate_inverse",
]

KERNELS = {
    **{
        f"{module}.{name}": (getattr(MODULES[module], name), (PHI,))
        for module, names in ONE_COLUMN.items()
        for name in names
    },
    **{
        f"quaternion.{name}": (getattr(quaternion, name), (Q,))
        for name in OF_QUATERNION
    },
    **{
        f"angle_ratios.{name}": (getattr(angle_ratios, name), (ANGLE,))
        for name in RATIOS
    },
    **{
        f"euler_angles.{name} {sequence}": (
            partial(getattr(euler_angles, name), sequence),
            (PHI,),
        )
        for name in OF_ANGLES
        for sequence in ("zyx", "zxz")
    },
    **{
        f"euler_angles.from_matrix {sequence}": (
            partial(euler_angles.from_matrix, sequence),
            (MATRIX,),
        )
        for sequence in ("zyx", "zxz")
    },
    **{
        f"{chart.name} {question}": (getattr(chart, question), (PHI,))
        for chart in (parametrisation.ROTATION_VECTOR, parametrisation.RODRIGUES)
        for question in ("basis", "dual_basis", "regularity")
    },
    **{
        f"axis_angle {question}": (
            getattr(parametrisation.AXIS_ANGLE, question),
            (np.append(AXIS, ANGLE),),
        )
        for question in ("to_matrix", "basis", "dual_basis", "regularity")
    },
    "angle_ratios.arctangent_ratio": (
        angle_ratios.arctangent_ratio,
        (np.float64(0.09), np.float64(0.8)),
    ),
    "so3.log": (so3.log, (MATRIX,)),
    "so3.misalignment": (so3.misalignment, (MATRIX,)),
    "so3.boxplus": (so3.boxplus, (MATRIX, SPIN)),
    "so3.boxminus": (so3.boxminus, (MATRIX, OTHER)),
    "so3.orthonormalised": (so3.orthonormalised, (MATRIX + 1e-6,)),
    "quaternion.product": (quaternion.product, (Q, P)),
    "quaternion.from_matrix": (quaternion.from_matrix, (MATRIX,)),
    "quaternion.four_outer": (quaternion.four_outer, (MATRIX,)),
    "quaternion.spatial_angular_velocity": (
        quaternion.spatial_angular_velocity,
        (Q, P),
    ),
    "quaternion.body_angular_velocity": (quaternion.body_angular_velocity, (Q, P)),
    "quaternion.rates_of_spatial": (quaternion.rates_of_spatial, (Q, SPIN)),
    "quaternion.rates_of_body": (quaternion.rates_of_body, (Q, SPIN)),
    "axis_angle.to_matrix": (axis_angle.to_matrix, (AXIS, ANGLE)),
    "axis_angle.from_matrix": (axis_angle.from_matrix, (MATRIX,)),
    "axis_angle.turn": (axis_angle.turn, (AXIS, ANGLE, SPIN)),
    "axis_angle.spatial_angular_velocity": (
        axis_angle.spatial_angular_velocity,
        (AXIS, ANGLE, SPIN, ANGLE),
    ),
    "axis_angle.body_angular_velocity": (
        axis_angle.body_angular_velocity,
        (AXIS, ANGLE, SPIN, ANGLE),
    ),
    "axis_angle.rates_of_spatial": (axis_angle.rates_of_spatial, (AXIS, ANGLE, SPIN)),
    "axis_angle.rates_of_body": (axis_angle.rates_of_body, (AXIS, ANGLE, SPIN)),
    "rodrigues.from_quaternion": (rodrigues.from_quaternion, (Q,)),
    "rodrigues.from_matrix": (rodrigues.from_matrix, (MATRIX,)),
    "modified_rodrigues.from_quaternion": (modified_rodrigues.from_quaternion, (Q,)),
    "modified_rodrigues.from_matrix": (modified_rodrigues.from_matrix, (MATRIX,)),
    "euler_angles.elementary": (partial(euler_angles.elementary, 1), (ANGLE,)),
    "euler_angles.lock_fibre": (
        partial(euler_angles.lock_fibre, "zyx"),
        (PHI, ANGLE),
    ),
    "parametrisation.angular_velocity": (
        partial(parametrisation.angular_velocity, parametrisation.QUATERNION),
        (Q, P),
    ),
    "parametrisation.body_angular_velocity": (
        partial(parametrisation.body_angular_velocity, parametrisation.QUATERNION),
        (Q, P),
    ),
    "parametrisation.convert": (
        partial(
            parametrisation.convert,
            source=parametrisation.QUATERNION,
            target=parametrisation.MODIFIED_RODRIGUES,
        ),
        (Q,),
    ),
    "parametrisation.rates_of_body": (
        partial(parametrisation.rates_of_body, parametrisation.MODIFIED_RODRIGUES),
        (PHI, SPIN),
    ),
    "rotation_chain.orientations": (rotation_chain.orientations, (LINKS,)),
    "rotation_chain.angular_velocities": (
        rotation_chain.angular_velocities,
        (LINKS, COLUMNS),
    ),
    "rotation_chain.angular_accelerations": (
        rotation_chain.angular_accelerations,
        (LINKS, COLUMNS, COLUMNS),
    ),
    "rotation_chain.in_ground_axes": (
        rotation_chain.in_ground_axes,
        (LINKS, COLUMNS),
    ),
    "rotation_chain.ground_accelerations": (
        rotation_chain.ground_accelerations,
        (LINKS, COLUMNS, COLUMNS),
    ),
    "rotation_chain.intermediate_tensor_rate": (
        rotation_chain.intermediate_tensor_rate,
        (MATRIX, PHI, SPIN),
    ),
    "rotation_increment.spatial": (rotation_increment.spatial, (MATRIX, OTHER)),
    "rotation_increment.body": (rotation_increment.body, (MATRIX, OTHER)),
    "rotation_increment.updated": (rotation_increment.updated, (MATRIX, SPIN)),
    "rotation_increment.along_chain": (
        rotation_increment.along_chain,
        (LINKS, COLUMNS),
    ),
    "rotational_gradient.from_matrix": (
        rotational_gradient.from_matrix,
        (MATRIX, OTHER),
    ),
    "rotational_gradient.from_quaternion": (
        rotational_gradient.from_quaternion,
        (Q, P),
    ),
    "rotational_gradient.from_parameters": (
        partial(rotational_gradient.from_parameters, parametrisation.ROTATION_VECTOR),
        (PHI, SPIN),
    ),
    "rotational_gradient.tensor_from_matrix": (
        rotational_gradient.tensor_from_matrix,
        (MATRIX, OTHER),
    ),
    "triad.components_between": (
        triad.components_between,
        (MATRIX + np.eye(3), OTHER),
    ),
    "triad.reciprocal": (triad.reciprocal, (MATRIX + np.eye(3),)),
    "triad.change_of_basis": (triad.change_of_basis, (MATRIX + np.eye(3), OTHER)),
    "spatial_order.exchange_vector": (spatial_order.exchange_vector, (V,)),
    "spatial_order.exchange_matrix": (spatial_order.exchange_matrix, (M,)),
}
