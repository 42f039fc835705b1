"""Single rotations against the functions of `tarsus.spatial`."""

import numpy as np
import pytest
from scipy.integrate import quad_vec
from tests.control.estimation.book_filter import left_jacobian

from tarsus import spatial
from tarsus.control.estimation.single_rotation import (
    cross_matrices,
    exponential,
    level_rotation,
    quaternion_of,
    rotation_of,
)

ROUNDING = 4e-15


@pytest.mark.parametrize("angle", [0.0, 1e-9, 0.9e-4, 1.1e-4, 0.01, 1.0, 3.1, 6.0])
def test_exponential_equals_that_of_spatial_whatever_the_angle(angle):
    rng = np.random.default_rng(1)
    axis = rng.normal(size=3)
    p = angle * axis / np.linalg.norm(axis)
    np.testing.assert_allclose(exponential(*p), spatial.rotation_matrix_from_rotation_vector(p), atol=ROUNDING)


@pytest.mark.parametrize("angle", [0.0, 0.9e-4, 1.1e-4, 0.3, 2.0])
def test_left_jacobian_is_the_mean_of_rotations_on_the_way(angle):
    p = angle * np.array([0.6, 0.0, 0.8])
    mean, _ = quad_vec(lambda s: spatial.rotation_matrix_from_rotation_vector(s * p), 0.0, 1.0, epsabs=1e-14)
    np.testing.assert_allclose(left_jacobian(*p), mean, atol=1e-13)


def test_quaternions_equal_those_of_spatial_at_every_rotation():
    rng = np.random.default_rng(2)
    for q in [*spatial.random_quaternion(rng, 50), [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [1e-9, 0.6, 0.8, 0]]:
        R = spatial.rotation_matrix_from_quaternion(np.array(q) / np.linalg.norm(q))
        found = np.array(quaternion_of(R))
        np.testing.assert_allclose(rotation_of(found), R, atol=ROUNDING)
        np.testing.assert_allclose(spatial.rotation_matrix_from_quaternion(found), R, atol=ROUNDING)
        assert found[0] >= 0.0


def test_cross_matrices_are_those_of_spatial():
    x = np.random.default_rng(3).normal(size=(4, 3))
    np.testing.assert_array_equal(cross_matrices(x), spatial.skew(x))


def test_level_rotation_is_the_smallest_one_that_turns_a_direction_up():
    rng = np.random.default_rng(4)
    for up in [*rng.normal(size=(20, 3)), [0.0, 0.0, 3.0], [0.0, 0.0, -1.0]]:
        R = level_rotation(np.array(up))
        np.testing.assert_allclose(R @ up, [0.0, 0.0, np.linalg.norm(up)], atol=ROUNDING)
        angle = np.arccos(np.clip(up[2] / np.linalg.norm(up), -1.0, 1.0))
        assert abs(np.linalg.norm(spatial.rotation_vector_from_rotation_matrix(R)) - angle) < 1e-7
