"""Tests of rotation matrices and the nine-entry parametrisation."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from tarsus.errors import ArgumentError, NonFiniteError, ShapeError
from tarsus.spatial import rotation_matrix
from tarsus.spatial.quaternion import random_quaternion, rotation_matrix_from_quaternion
from tarsus.spatial.rotation_matrix import nearest_rotation, rotation_x, rotation_y, rotation_z

ROUND_OFF = 4e-15  # a dozen operations on numbers of order one


def random_rotation(seed, n=50):
    return rotation_matrix_from_quaternion(random_quaternion(np.random.default_rng(seed), n))


@pytest.mark.parametrize(("function", "axis"), [(rotation_x, "x"), (rotation_y, "y"), (rotation_z, "z")])
def test_elementary_rotations_agree_with_scipy(function, axis):
    angle = np.linspace(-4.0, 4.0, 33)
    np.testing.assert_allclose(
        function(angle), Rotation.from_euler(axis, angle[:, None]).as_matrix(), rtol=0, atol=ROUND_OFF
    )


def test_nearest_rotation_is_the_polar_factor():
    rng = np.random.default_rng(4)
    R = random_rotation(4) + 1e-4 * rng.standard_normal((50, 3, 3))
    U, _, Vt = np.linalg.svd(R)
    np.testing.assert_allclose(nearest_rotation(R), U @ Vt, rtol=0, atol=ROUND_OFF)


def test_nearest_rotation_leaves_rotations_untouched_and_copies():
    R = random_rotation(5)
    result = nearest_rotation(R)
    np.testing.assert_array_equal(result, R)
    assert not np.shares_memory(result, R)


def test_repair_of_one_matrix_does_not_depend_on_the_batch():
    R = random_rotation(6)
    R[3] += 1e-5
    np.testing.assert_array_equal(nearest_rotation(R)[3], nearest_rotation(R[3]))


@pytest.mark.parametrize("bad", [2.0 * np.eye(3), np.zeros((3, 3)), np.diag([1.0, 1.0, -1.0]), 1e200 * np.eye(3)])
def test_what_is_no_rotation_is_refused(bad):
    with pytest.raises(ArgumentError, match=r"R: no rotation matrix at batch index \(1,\)"):
        nearest_rotation(np.stack([np.eye(3), bad]))


def test_bad_shape_and_non_finite_matrices_are_refused():
    with pytest.raises(ShapeError, match=r"R: found shape \(3, 4\)"):
        nearest_rotation(np.zeros((3, 4)))
    with pytest.raises(NonFiniteError, match="R: found inf"):
        nearest_rotation(np.full((3, 3), np.inf))
    with pytest.raises(ShapeError, match=r"p: found shape \(3, 3\), expected \(\.\.\., 9\)"):
        rotation_matrix.rotation_matrix_from_entries(np.eye(3))


def test_constraint_vanishes_on_rotations_and_equals_gram_entries_elsewhere():
    assert np.abs(rotation_matrix.constraint(random_rotation(7).reshape(50, 9))).max() < ROUND_OFF
    M = np.random.default_rng(8).standard_normal((3, 3))
    gram = M.T @ M - np.eye(3)
    expected = gram[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    np.testing.assert_allclose(rotation_matrix.constraint(M.reshape(9)), expected, rtol=0, atol=ROUND_OFF)


def test_pseudo_inverse_rates_keep_the_six_constraints():
    p = random_rotation(9).reshape(50, 9)
    product = rotation_matrix.constraint_gradient(p) @ rotation_matrix.rate_inverse(p)
    assert np.abs(product).max() < ROUND_OFF
