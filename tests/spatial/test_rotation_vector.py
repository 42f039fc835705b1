"""Tests of the exponential and logarithm of SO(3)."""

import numpy as np
import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from tarsus.errors import ArgumentError, NonFiniteError, ShapeError, SingularityError
from tarsus.spatial import rotation_vector
from tarsus.spatial.cross_product import skew
from tarsus.spatial.quaternion import quaternion_from_rotation_matrix
from tarsus.spatial.rotation_vector import (
    quaternion_from_rotation_vector,
    rotation_matrix_from_rotation_vector,
    rotation_vector_from_quaternion,
    rotation_vector_from_rotation_matrix,
)

ROUND_OFF = 4e-15  # a dozen operations on numbers of order one
ANGLES = [
    0.0,
    1e-300,
    1e-170,
    1e-160,
    1e-20,
    1e-8,
    1e-4,
    0.1,
    1.0,
    1.99999,
    2.0,
    3.0,
    np.pi - 1e-4,
    np.pi - 1e-9,
]

unit_axes = st.tuples(*[st.floats(-1.0, 1.0)] * 3).filter(lambda u: np.linalg.norm(u) > 1e-3)


def axes(number, n=50):
    u = np.random.default_rng(number).standard_normal((n, 3))
    return u / np.linalg.norm(u, axis=-1, keepdims=True)


@seed(1)
@settings(max_examples=200, deadline=None)
@given(unit_axes, st.floats(0.0, np.pi - 1e-12))
def test_logarithm_inverts_the_exponential(axis, angle):
    p = angle * np.array(axis) / np.linalg.norm(axis)
    result = rotation_vector_from_rotation_matrix(rotation_matrix_from_rotation_vector(p))
    np.testing.assert_allclose(result, p, rtol=0, atol=4 * ROUND_OFF)
    result = rotation_vector_from_quaternion(quaternion_from_rotation_vector(p))
    np.testing.assert_allclose(result, p, rtol=0, atol=4 * ROUND_OFF)


@pytest.mark.parametrize("angle", ANGLES)
def test_round_trip_keeps_relative_accuracy_at_every_angle(angle):
    p = angle * axes(2)
    for result in (
        rotation_vector_from_rotation_matrix(rotation_matrix_from_rotation_vector(p)),
        rotation_vector_from_quaternion(quaternion_from_rotation_vector(p)),
    ):
        assert np.abs(result - p).max() <= 2 * ROUND_OFF * angle


def test_half_a_turn_gives_one_of_the_two_vectors():
    p = np.pi * axes(3)
    result = rotation_vector_from_rotation_matrix(rotation_matrix_from_rotation_vector(p))
    error = np.minimum(np.abs(result - p).max(-1), np.abs(result + p).max(-1))
    assert error.max() < 4 * ROUND_OFF


def test_half_turns_about_the_coordinate_axes_are_positive():
    R = np.array([np.diag([1.0, -1.0, -1.0]), np.diag([-1.0, 1.0, -1.0]), np.diag([-1.0, -1.0, 1.0])])
    np.testing.assert_array_equal(rotation_vector_from_rotation_matrix(R), np.pi * np.eye(3))


def test_exponential_agrees_with_the_matrix_exponential_and_scipy():
    p = np.random.default_rng(4).uniform(-6.0, 6.0, (30, 3))
    R = rotation_matrix_from_rotation_vector(p)
    np.testing.assert_allclose(R, expm(skew(p)), rtol=0, atol=20 * ROUND_OFF)  # expm squares repeatedly
    np.testing.assert_allclose(R, Rotation.from_rotvec(p).as_matrix(), rtol=0, atol=ROUND_OFF)
    log = rotation_vector_from_rotation_matrix(R)
    np.testing.assert_allclose(log, Rotation.from_matrix(R).as_rotvec(), rtol=0, atol=1e-13)


def test_negative_quaternion_has_the_same_logarithm():
    q = quaternion_from_rotation_vector(2.0 * axes(5))
    expected = rotation_vector_from_quaternion(q)
    np.testing.assert_array_equal(rotation_vector_from_quaternion(-q), expected)
    np.testing.assert_array_equal(rotation_vector_from_quaternion([-1.0, 0.0, 0.0, 0.0]), np.zeros(3))


@pytest.mark.parametrize("angle", [*ANGLES, 3.5, 6.0, 2 * np.pi - 1e-6, 7.0, 100.0])
def test_rate_inverse_times_rate_matrix_is_the_identity(angle):
    p = angle * axes(6)
    product = rotation_vector.rate_inverse(p) @ rotation_vector.rate_matrix(p)
    # next to a full turn the inverse has entries of size 2 pi / 1e-6
    scale = max(1.0, np.abs(rotation_vector.rate_inverse(p)).max())
    np.testing.assert_allclose(product, np.broadcast_to(np.eye(3), (*p.shape, 3)), rtol=0, atol=2 * ROUND_OFF * scale)


def test_series_and_closed_forms_meet():
    u = axes(7)
    below, above = 2.0 * (1 - 1e-15) * u, 2.0 * (1 + 1e-15) * u
    for function in (rotation_vector.rate_matrix, rotation_vector.rate_inverse):
        np.testing.assert_allclose(function(below), function(above), rtol=0, atol=2 * ROUND_OFF)
    rates = axes(8)
    below, above = (
        rotation_vector.rate_matrix_dot(below, rates),
        rotation_vector.rate_matrix_dot(above, rates),
    )
    np.testing.assert_allclose(below, above, rtol=0, atol=2 * ROUND_OFF)


def test_full_turn_is_singular_for_rates():
    p = np.stack([np.zeros(3), 2 * np.pi * axes(9, 1)[0]])
    with pytest.raises(SingularityError, match=r"'rotation-vector' is singular at p = .* at batch index \(1,\)"):
        rotation_vector.rate_inverse(p)
    inverse = rotation_vector.rate_inverse(p, singular="minimum-norm")
    np.testing.assert_array_equal(inverse[0], np.eye(3))
    # only turning on about the axis is possible
    u = p[1] / (2 * np.pi)
    np.testing.assert_allclose(inverse[1], np.outer(u, u), rtol=0, atol=1e-9)


def test_bad_input_is_refused_by_name():
    with pytest.raises(ShapeError, match="p: found shape"):
        rotation_matrix_from_rotation_vector(np.zeros(4))
    with pytest.raises(NonFiniteError, match="p: found inf"):
        rotation_matrix_from_rotation_vector([np.inf, 0.0, 0.0])
    with pytest.raises(NonFiniteError, match="overflows"):
        rotation_matrix_from_rotation_vector([1e200, 0.0, 0.0])
    with pytest.raises(ArgumentError, match="length 1e\\+20 rad"):
        rotation_matrix_from_rotation_vector([1e20, 0.0, 0.0])


def test_one_rotation_has_the_bits_that_it_has_in_a_batch():
    rng = np.random.default_rng(7)
    p = rng.normal(size=(300, 3))
    p *= rng.choice([1e-9, 1e-3, 1.0, np.pi], size=(300, 1)) / np.linalg.norm(p, axis=1, keepdims=True)
    p[:7] = np.concatenate([np.pi * np.eye(3), -np.pi * np.eye(3), np.zeros((1, 3))])
    R = rotation_vector.rotation_matrix_from_rotation_vector(p)
    vectors = rotation_vector.rotation_vector_from_rotation_matrix(R)
    quaternions = quaternion_from_rotation_matrix(R)
    for one, turned, vector, quaternion in zip(p, R, vectors, quaternions, strict=True):
        np.testing.assert_array_equal(rotation_vector.rotation_matrix_from_rotation_vector(one), turned)
        np.testing.assert_array_equal(rotation_vector.rotation_vector_from_rotation_matrix(turned), vector)
        np.testing.assert_array_equal(quaternion_from_rotation_matrix(turned), quaternion)
