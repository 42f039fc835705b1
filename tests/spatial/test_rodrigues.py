"""Tests of Rodrigues parameters."""

import numpy as np
import pytest

from tarsus.errors import ShapeError, SingularityError
from tarsus.spatial import rodrigues
from tarsus.spatial.cross_product import skew
from tarsus.spatial.quaternion import quaternion_product, random_quaternion, rotation_matrix_from_quaternion
from tarsus.spatial.rodrigues import (
    quaternion_from_rodrigues,
    rodrigues_from_quaternion,
    rodrigues_from_rotation_matrix,
    rotation_matrix_from_rodrigues,
)
from tarsus.spatial.rotation_vector import quaternion_from_rotation_vector

ROUND_OFF = 4e-15  # a dozen operations on numbers of order one


def axes(number, n=50):
    u = np.random.default_rng(number).standard_normal((n, 3))
    return u / np.linalg.norm(u, axis=-1, keepdims=True)


@pytest.mark.parametrize("angle", [0.0, 1e-200, 1e-9, 0.1, 1.0, 3.0, np.pi - 1e-6])
def test_parameters_are_the_axis_times_the_tangent_of_half_the_angle(angle):
    u = axes(1)
    q = quaternion_from_rotation_vector(angle * u)
    expected = np.tan(0.5 * angle) * u
    # at half a turn minus 1e-6 the tangent amplifies rounding by 1e6
    tolerance = ROUND_OFF * (1.0 + np.tan(0.5 * angle) ** 2)
    np.testing.assert_allclose(rodrigues_from_quaternion(q), expected, rtol=0, atol=tolerance)
    R = rotation_matrix_from_quaternion(q)
    np.testing.assert_allclose(rodrigues_from_rotation_matrix(R), expected, rtol=0, atol=2 * tolerance)


def test_matrix_agrees_with_the_rational_formula():
    gamma = np.random.default_rng(2).standard_normal((50, 3))
    S = skew(gamma)
    expected = np.eye(3) + 2.0 / (1.0 + (gamma**2).sum(-1))[:, None, None] * (S + S @ S)
    np.testing.assert_allclose(rotation_matrix_from_rodrigues(gamma), expected, rtol=0, atol=ROUND_OFF)


def test_composition_follows_the_rodrigues_rule():
    a, b = np.random.default_rng(3).standard_normal((2, 50, 3))
    rule = (a + b + np.cross(a, b)) / (1.0 - (a * b).sum(-1, keepdims=True))
    q = quaternion_product(quaternion_from_rodrigues(a), quaternion_from_rodrigues(b))
    # relative to the size of the parameters, which is unbounded
    np.testing.assert_allclose(rodrigues_from_quaternion(q), rule, rtol=1e-11, atol=1e-12)


def test_huge_parameters_do_not_overflow():
    R = rotation_matrix_from_rodrigues([0.0, 1e300, 0.0])
    np.testing.assert_allclose(R, np.diag([-1.0, 1.0, -1.0]), rtol=0, atol=ROUND_OFF)
    assert np.isfinite(rodrigues.rate_matrix([1e308, 1e308, 1e308])).all()
    with pytest.raises(SingularityError, match=r"'rodrigues' is singular .* \(1e\+200, 0, 0\)"):
        rodrigues.rate_inverse([1e200, 0.0, 0.0])


def test_half_a_turn_is_an_error_or_the_shortest_vector_that_is_right_to_the_tolerance():
    q = np.concatenate((np.zeros((50, 1)), axes(4)), axis=-1)
    R = rotation_matrix_from_quaternion(q)
    for function, argument in ((rodrigues_from_quaternion, q), (rodrigues_from_rotation_matrix, R)):
        with pytest.raises(SingularityError, match=r"'rodrigues' is singular .* 3.14159265358979 rad"):
            function(argument)
        gamma = function(argument, singular="minimum-norm")
        assert np.isfinite(gamma).all()
        np.testing.assert_allclose(rotation_matrix_from_rodrigues(gamma), R, rtol=0, atol=4e-12)


def test_random_rotations_round_trip():
    R = rotation_matrix_from_quaternion(random_quaternion(np.random.default_rng(5), 200))
    result = rotation_matrix_from_rodrigues(rodrigues_from_rotation_matrix(R))
    np.testing.assert_allclose(result, R, rtol=0, atol=ROUND_OFF)


def test_wrong_shape_is_refused():
    with pytest.raises(ShapeError, match=r"gamma: found shape \(4,\)"):
        quaternion_from_rodrigues(np.zeros(4))
