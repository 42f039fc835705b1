"""Tests of unit quaternions."""

import numpy as np
import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from tarsus.errors import NonFiniteError, QuaternionNormError, ShapeError
from tarsus.spatial import quaternion
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

ROUND_OFF = 4e-15  # a dozen operations on numbers of order one

component = st.floats(-1.0, 1.0)
unit_quaternions = (
    st.tuples(component, component, component, component)
    .filter(lambda q: np.linalg.norm(q) > 1e-3)
    .map(lambda q: np.array(q) / np.linalg.norm(q))
)


def samples(number, n=200):
    return random_quaternion(np.random.default_rng(number), n)


def scipy_rotation(q):
    return Rotation.from_quat(np.asarray(q)[..., [1, 2, 3, 0]])


@seed(1)
@settings(max_examples=200, deadline=None)
@given(unit_quaternions)
def test_round_trip_through_the_matrix_gives_the_canonical_quaternion(q):
    result = quaternion_from_rotation_matrix(rotation_matrix_from_quaternion(q))
    # q and -q are one rotation; at w = 0 rounding may choose either
    assert min(np.abs(result - q).max(), np.abs(result + q).max()) < ROUND_OFF
    assert result[0] >= 0.0


def test_matrix_agrees_with_scipy():
    q = samples(2)
    expected = scipy_rotation(q).as_matrix()
    np.testing.assert_allclose(rotation_matrix_from_quaternion(q), expected, rtol=0, atol=ROUND_OFF)


@pytest.mark.parametrize("half_angle", [0.0, 1e-300, 1e-20, 1e-9, 1e-4, np.pi / 2 - 1e-9, np.pi / 2, np.pi / 2 + 1e-6])
def test_round_trip_is_exact_near_zero_and_near_half_a_turn(half_angle):
    axis = samples(3)[:, 1:]
    axis /= np.linalg.norm(axis, axis=-1, keepdims=True)
    q = np.concatenate((np.full((200, 1), np.cos(half_angle)), np.sin(half_angle) * axis), axis=-1)
    result = quaternion_from_rotation_matrix(rotation_matrix_from_quaternion(q))
    error = np.minimum(np.abs(result - q).max(-1), np.abs(result + q).max(-1))
    assert error.max() < ROUND_OFF


def test_small_rotations_keep_their_relative_accuracy():
    v = 1e-12 * np.array([0.3, -0.5, 0.7])
    result = quaternion_from_rotation_matrix(rotation_matrix_from_quaternion([1.0, *v]))
    np.testing.assert_allclose(result[1:], v, rtol=1e-14)


def test_product_of_quaternions_is_product_of_matrices():
    p, q = samples(4), samples(5)
    expected = rotation_matrix_from_quaternion(p) @ rotation_matrix_from_quaternion(q)
    result = rotation_matrix_from_quaternion(quaternion_product(p, q))
    np.testing.assert_allclose(result, expected, rtol=0, atol=ROUND_OFF)


def test_quaternions_form_a_group():
    p, q, r = samples(6), samples(7), samples(8)
    left = quaternion_product(quaternion_product(p, q), r)
    np.testing.assert_allclose(left, quaternion_product(p, quaternion_product(q, r)), rtol=0, atol=ROUND_OFF)
    identity = np.array([1.0, 0.0, 0.0, 0.0])
    np.testing.assert_allclose(quaternion_product(p, identity), p, rtol=0, atol=ROUND_OFF)
    inverse = quaternion_product(quaternion_conjugate(p), p)
    np.testing.assert_allclose(inverse, np.broadcast_to(identity, p.shape), rtol=0, atol=ROUND_OFF)


def test_rotate_is_matrix_times_vector_and_broadcasts():
    q, v = samples(9, 6)[:, None, :], np.random.default_rng(9).standard_normal((4, 3))
    expected = (rotation_matrix_from_quaternion(q) @ v[..., None])[..., 0]
    result = quaternion_rotate(q, v)
    assert result.shape == (6, 4, 3)
    np.testing.assert_allclose(result, expected, rtol=0, atol=4 * ROUND_OFF)


def test_slerp_meets_both_ends_and_divides_the_angle():
    p, q = samples(10), samples(11)
    np.testing.assert_allclose(slerp(p, q, 0.0), p, rtol=0, atol=ROUND_OFF)
    end = slerp(p, q, 1.0)
    np.testing.assert_allclose(canonical_quaternion(end), canonical_quaternion(q), rtol=0, atol=ROUND_OFF)
    whole = (scipy_rotation(p).inv() * scipy_rotation(q)).magnitude()
    part = (scipy_rotation(p).inv() * scipy_rotation(slerp(p, q, 0.3))).magnitude()
    np.testing.assert_allclose(part, 0.3 * whole, rtol=0, atol=1e-13)


def test_slerp_of_equal_opposite_and_nearly_equal_quaternions_is_finite_and_of_unit_norm():
    p = samples(12, 3)
    for q in (p, -p, normalize_quaternion(p + 1e-17), normalize_quaternion(p + 1e-9)):
        result = slerp(p, q, np.linspace(-1.0, 2.0, 7)[:, None])
        np.testing.assert_allclose(np.linalg.norm(result, axis=-1), 1.0, rtol=0, atol=ROUND_OFF)


def test_random_quaternions_are_uniform():
    q = samples(13, 20000)
    np.testing.assert_allclose(np.linalg.norm(q, axis=-1), 1.0, rtol=0, atol=ROUND_OFF)
    # Moments of the uniform distribution on the sphere; five standard errors of 20000 samples.
    np.testing.assert_allclose(q.mean(axis=0), 0.0, atol=5 * 0.5 / np.sqrt(20000))
    np.testing.assert_allclose(q.T @ q / 20000, np.eye(4) / 4, atol=5 * 0.25 / np.sqrt(20000))
    assert random_quaternion(np.random.default_rng(0)).shape == (4,)
    assert random_quaternion(np.random.default_rng(0), (2, 3)).shape == (2, 3, 4)


def test_small_norm_errors_are_normalised_and_large_ones_refused():
    q = samples(14, 3)
    np.testing.assert_allclose(
        rotation_matrix_from_quaternion(1.0009 * q),
        rotation_matrix_from_quaternion(q),
        rtol=0,
        atol=ROUND_OFF,
    )
    q[1] *= 1.0011
    with pytest.raises(QuaternionNormError, match=r"q: found a quaternion of norm 1.0011 at batch index \(1,\)"):
        rotation_matrix_from_quaternion(q)
    for scale in (0.0, 1e-200, 1e200):
        with pytest.raises(QuaternionNormError):
            normalize_quaternion(scale * q)


def test_bad_input_is_refused_by_name():
    with pytest.raises(ShapeError, match=r"q: found shape \(3,\), expected \(\.\.\., 4\)"):
        rotation_matrix_from_quaternion([1.0, 0.0, 0.0])
    with pytest.raises(NonFiniteError, match=r"q: found nan at index \(3,\)"):
        rotation_matrix_from_quaternion([1.0, 0.0, 0.0, np.nan])
    with pytest.raises(ShapeError, match=r"batch shapes do not broadcast: p \(2,\), q \(3,\)"):
        quaternion_product(samples(0, 2), samples(0, 3))
    with pytest.raises(NonFiniteError, match="t: found inf"):
        slerp(samples(0, 1), samples(1, 1), np.inf)


def test_empty_batches_give_empty_results():
    assert rotation_matrix_from_quaternion(np.empty((0, 4))).shape == (0, 3, 3)
    assert quaternion_from_rotation_matrix(np.empty((0, 3, 3))).shape == (0, 4)


def test_derivatives_printed_by_bouyarmane_and_kheddar_agree_on_the_tangent_space():
    a, b, c, d = samples(15, 1)[0]
    # (12): derivatives of the columns of (11)
    first = [[4 * a, 4 * b, 0, 0], [2 * d, 2 * c, 2 * b, 2 * a], [-2 * c, 2 * d, -2 * a, 2 * b]]
    second = [[-2 * d, 2 * c, 2 * b, -2 * a], [4 * a, 0, 4 * c, 0], [2 * b, 2 * a, 2 * d, 2 * c]]
    third = [[2 * c, 2 * d, 2 * a, 2 * b], [-2 * b, -2 * a, 2 * d, 2 * c], [4 * a, 0, 0, 4 * d]]
    q = np.array([a, b, c, d])
    R = rotation_matrix_from_quaternion(q)
    tangent = np.eye(4) - np.outer(q, q)
    E = quaternion.rate_matrix(q)
    for i, printed in enumerate((first, second, third)):
        # (6): dR_i/dq = -[R_i x] J_global, J_global = R E
        expected = -np.cross(R[:, i], (R @ E).T).T
        np.testing.assert_allclose(np.array(printed) @ tangent, expected @ tangent, rtol=0, atol=ROUND_OFF)
        # along q, which changes the norm, the printed derivatives of (11) do not vanish
        assert np.abs(np.array(printed) @ q).max() > 0.1
