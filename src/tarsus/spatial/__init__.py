"""Rotations in every parametrisation, poses and inertias."""

from tarsus.spatial.angles import (
    SEQUENCES,
    angles_from_quaternion,
    angles_from_rotation_matrix,
    quaternion_from_angles,
    rotation_matrix_from_angles,
)
from tarsus.spatial.axis_angle import (
    axis_angle_from_quaternion,
    axis_angle_from_rotation_matrix,
    quaternion_from_axis_angle,
    rotation_matrix_from_axis_angle,
)
from tarsus.spatial.cross_product import skew, unskew
from tarsus.spatial.general_rate_matrix import complex_step_derivative, rate_matrix_from_derivative
from tarsus.spatial.inertia import Inertia
from tarsus.spatial.parametrisations import PARAMETRISATIONS, convert_rotation, parametrisation
from tarsus.spatial.pose import inverse_pose, pose, wrench_at
from tarsus.spatial.pose_exponential import pose_difference, pose_exp, pose_log
from tarsus.spatial.quaternion import (
    canonical_quaternion,
    normalize_quaternion,
    quaternion_conjugate,
    quaternion_from_rotation_matrix,
    quaternion_product,
    quaternion_rotate,
    random_quaternion,
    rotation_matrix_from_quaternion,
    slerp,
)
from tarsus.spatial.rodrigues import (
    quaternion_from_rodrigues,
    rodrigues_from_quaternion,
    rodrigues_from_rotation_matrix,
    rotation_matrix_from_rodrigues,
)
from tarsus.spatial.rotation_matrix import nearest_rotation, rotation_x, rotation_y, rotation_z
from tarsus.spatial.rotation_parametrisation import Parametrisation
from tarsus.spatial.rotation_vector import (
    quaternion_from_rotation_vector,
    rotation_matrix_from_rotation_vector,
    rotation_vector_from_quaternion,
    rotation_vector_from_rotation_matrix,
)

__all__ = [
    "PARAMETRISATIONS",
    "SEQUENCES",
    "Inertia",
    "Parametrisation",
    "angles_from_quaternion",
    "angles_from_rotation_matrix",
    "axis_angle_from_quaternion",
    "axis_angle_from_rotation_matrix",
    "canonical_quaternion",
    "complex_step_derivative",
    "convert_rotation",
    "inverse_pose",
    "nearest_rotation",
    "normalize_quaternion",
    "parametrisation",
    "pose",
    "pose_difference",
    "pose_exp",
    "pose_log",
    "quaternion_conjugate",
    "quaternion_from_angles",
    "quaternion_from_axis_angle",
    "quaternion_from_rodrigues",
    "quaternion_from_rotation_matrix",
    "quaternion_from_rotation_vector",
    "quaternion_product",
    "quaternion_rotate",
    "random_quaternion",
    "rate_matrix_from_derivative",
    "rodrigues_from_quaternion",
    "rodrigues_from_rotation_matrix",
    "rotation_matrix_from_angles",
    "rotation_matrix_from_axis_angle",
    "rotation_matrix_from_quaternion",
    "rotation_matrix_from_rodrigues",
    "rotation_matrix_from_rotation_vector",
    "rotation_vector_from_quaternion",
    "rotation_vector_from_rotation_matrix",
    "rotation_x",
    "rotation_y",
    "rotation_z",
    "skew",
    "slerp",
    "unskew",
    "wrench_at",
]
