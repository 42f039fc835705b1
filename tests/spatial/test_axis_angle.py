"""Tests of axis and angle."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from tarsus.errors import ArgumentError, ShapeError, SingularityError
from tarsus.spatial import axis_angle
from tarsus.spatial.axis_angle import (
    axis_angle_from_quaternion,
    axis_angle_from_rotation_matrix,
    quaternion_from_axis_angle,
    rotation_matrix_from_axis_angle,
)
from tarsus.spatial.cross_product import skew
from tarsus.spatial.quaternion import rotation_matrix_from_quaternion

ROUND_OFF = 4e-15  # a dozen operations on numbers of order one


def axes(number, n=50):
    u = np.random.default_rng(number).standard_normal((n, 3))
    return u / np.linalg.norm(u, axis=-1, keepdims=True)


def test_matrix_agrees_with_rodrigues_formula_scipy_and_quaternion():
    u, angle = axes(1), np.random.default_rng(1).uniform(-7.0, 7.0, 50)
    R = rotation_matrix_from_axis_angle(u, angle)
    S = skew(u)
    s, a = np.sin(angle)[:, None, None], (1.0 - np.cos(angle))[:, None, None]
    np.testing.assert_allclose(R, np.eye(3) + s * S + a * S @ S, rtol=0, atol=ROUND_OFF)
    np.testing.assert_allclose(R, Rotation.from_rotvec(u * angle[:, None]).as_matrix(), rtol=0, atol=ROUND_OFF)
    q = quaternion_from_axis_angle(u, angle)
    np.testing.assert_allclose(R, rotation_matrix_from_quaternion(q), rtol=0, atol=ROUND_OFF)


def test_diagonal_printed_in_2_33_is_no_rotation():
    u, angle = axes(2, 1)[0], 1.0
    R = rotation_matrix_from_axis_angle(u, angle)
    np.testing.assert_allclose(np.diag(R), 1.0 + (1.0 - np.cos(angle)) * (u**2 - 1.0), rtol=0, atol=ROUND_OFF)
    assert np.abs(np.diag(R) - (1.0 + (1.0 - np.cos(angle)) * u**2)).min() > 0.1


@pytest.mark.parametrize("angle", [1e-300, 1e-170, 1e-9, 0.5, 3.0, np.pi - 1e-9])
def test_round_trip_finds_axis_and_angle(angle):
    u = axes(3)
    R, q = rotation_matrix_from_axis_angle(u, angle), quaternion_from_axis_angle(u, angle)
    for axis, found in (axis_angle_from_rotation_matrix(R), axis_angle_from_quaternion(q)):
        np.testing.assert_allclose(axis, u, rtol=0, atol=2 * ROUND_OFF)
        np.testing.assert_allclose(found, angle, rtol=2 * ROUND_OFF)


def test_identity_has_the_conventional_axis():
    axis, angle = axis_angle_from_rotation_matrix(np.eye(3))
    np.testing.assert_array_equal(axis, [1.0, 0.0, 0.0])
    assert angle == 0.0 and angle.shape == ()


def test_half_a_turn_gives_one_of_the_two_axes():
    u = axes(4)
    axis, angle = axis_angle_from_rotation_matrix(rotation_matrix_from_axis_angle(u, np.pi))
    np.testing.assert_allclose(angle, np.pi, rtol=ROUND_OFF)
    assert np.minimum(np.abs(axis - u).max(-1), np.abs(axis + u).max(-1)).max() < ROUND_OFF


def test_axis_and_angle_broadcast():
    assert rotation_matrix_from_axis_angle(axes(5, 4)[:, None], np.zeros(3)).shape == (4, 3, 3, 3)
    assert quaternion_from_axis_angle([0.0, 0.0, 1.0], np.zeros((2, 5))).shape == (2, 5, 4)


def test_rates_at_full_turns_are_singular_and_keep_the_axis_with_minimum_norm():
    u = axes(6, 2)
    for angle in (0.0, 2 * np.pi, -4 * np.pi):
        p = np.concatenate((u, np.full((2, 1), angle)), axis=-1)
        with pytest.raises(SingularityError, match="'axis-angle' is singular at p = "):
            axis_angle.rate_inverse(p)
        inverse = axis_angle.rate_inverse(p, singular="minimum-norm")
        np.testing.assert_allclose(inverse[:, :3], 0.0, atol=1e-9)
        np.testing.assert_allclose(inverse[:, 3], u, rtol=0, atol=1e-9)


def test_axis_far_from_unit_length_is_refused():
    with pytest.raises(ArgumentError, match="axis: found an axis of length 2, expected 1 within 0.001"):
        rotation_matrix_from_axis_angle([0.0, 0.0, 2.0], 1.0)
    with pytest.raises(ArgumentError, match="axis: found an axis of length 0"):
        quaternion_from_axis_angle(np.zeros(3), 1.0)
    with pytest.raises(ShapeError, match="batch shapes do not broadcast"):
        rotation_matrix_from_axis_angle(axes(7, 2), np.zeros(3))
