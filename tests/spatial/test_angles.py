"""Tests of the twelve sequences of Cardan and Euler angles."""

import numpy as np
import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from tarsus.errors import NonFiniteError, ShapeError, SingularityError, UnknownNameError
from tarsus.spatial import angles
from tarsus.spatial.angles import (
    SEQUENCES,
    angles_from_quaternion,
    angles_from_rotation_matrix,
    quaternion_from_angles,
    rotation_matrix_from_angles,
)
from tarsus.spatial.quaternion import random_quaternion, rotation_matrix_from_quaternion
from tarsus.spatial.rotation_matrix import rotation_x, rotation_y, rotation_z

ROUND_OFF = 4e-15  # a dozen operations on numbers of order one
ALL = [*SEQUENCES, "cardan", "euler", "roll-pitch-yaw"]
TURN = {"x": rotation_x, "y": rotation_y, "z": rotation_z}

turns = st.floats(-np.pi, np.pi)


def repeats(sequence):
    return sequence == "euler" or (sequence in SEQUENCES and sequence[0] == sequence[2])


def locks(sequence):
    """Second angles at which the first and the third axis are parallel."""
    return (0.0, np.pi) if repeats(sequence) else (-np.pi / 2, np.pi / 2)


def same_rotation(sequence, p, q):
    return np.abs(rotation_matrix_from_angles(p, sequence) - rotation_matrix_from_angles(q, sequence)).max()


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_matrix_is_the_product_of_elementary_rotations_and_agrees_with_scipy(sequence):
    p = np.random.default_rng(1).uniform(-4.0, 4.0, (50, 3))
    R = rotation_matrix_from_angles(p, sequence)
    product = TURN[sequence[0]](p[:, 0]) @ TURN[sequence[1]](p[:, 1]) @ TURN[sequence[2]](p[:, 2])
    np.testing.assert_allclose(R, product, rtol=0, atol=ROUND_OFF)
    expected = Rotation.from_euler(sequence.upper(), p).as_matrix()
    np.testing.assert_allclose(R, expected, rtol=0, atol=ROUND_OFF)
    from_quaternion = rotation_matrix_from_quaternion(quaternion_from_angles(p, sequence))
    np.testing.assert_allclose(R, from_quaternion, rtol=0, atol=ROUND_OFF)


def test_there_are_twelve_sequences():
    assert len(set(SEQUENCES)) == 12
    assert all(s[0] != s[1] != s[2] for s in SEQUENCES)


def test_cardan_angles_are_the_transpose_of_2_42():
    _alpha, _beta, _gamma = p = np.array([0.3, -0.7, 1.1])
    sa, sb, sg = np.sin(p)
    ca, cb, cg = np.cos(p)
    A_BI = [
        [cg * cb, sg * ca + cg * sb * sa, sg * sa - cg * sb * ca],
        [-sg * cb, cg * ca - sg * sb * sa, cg * sa + sg * sb * ca],
        [sb, -cb * sa, cb * ca],
    ]
    np.testing.assert_allclose(rotation_matrix_from_angles(p, "cardan"), np.transpose(A_BI), rtol=0, atol=ROUND_OFF)
    E = [[cg * cb, sg, 0], [-sg * cb, cg, 0], [sb, 0, 1]]  # (2.48)
    np.testing.assert_allclose(angles.rate_matrix(p, "cardan"), E, rtol=0, atol=ROUND_OFF)
    inverse = np.array([[cg, -sg, 0], [sg * cb, cg * cb, 0], [-cg * sb, sg * sb, cb]]) / cb  # (2.49)
    np.testing.assert_allclose(angles.rate_inverse(p, "cardan"), inverse, rtol=0, atol=ROUND_OFF)


def test_euler_angles_are_the_transpose_of_2_50():
    psi, _theta, _phi = p = np.array([0.3, 0.7, -1.1])
    s1, s2, s3 = np.sin(p)
    c1, c2, c3 = np.cos(p)
    A_BI = np.array(
        [
            [c3 * c1 - s3 * c2 * s1, c3 * s1 + s3 * c2 * c1, s3 * s2],
            [-s3 * c1 - c3 * c2 * s1, -s3 * s1 + c3 * c2 * c1, c3 * s2],
            [s2 * s1, -s2 * c1, c2],
        ]
    )
    R = rotation_matrix_from_angles(p, "euler")
    np.testing.assert_allclose(R, A_BI.T, rtol=0, atol=ROUND_OFF)
    np.testing.assert_allclose(angles_from_rotation_matrix(R, "euler"), p, rtol=0, atol=ROUND_OFF)
    # (2.51) with both signs corrected; as printed it is half a turn off
    assert np.arctan2(A_BI[2, 0], -A_BI[2, 1]) == pytest.approx(psi, abs=ROUND_OFF)
    assert abs(np.arctan2(-A_BI[2, 0], A_BI[2, 1]) - psi) == pytest.approx(np.pi)
    E = [[s3 * s2, c3, 0], [c3 * s2, -s3, 0], [c2, 0, 1]]  # (2.56)
    np.testing.assert_allclose(angles.rate_matrix(p, "euler"), E, rtol=0, atol=ROUND_OFF)
    inverse = np.array([[s3, c3, 0], [c3 * s2, -s3 * s2, 0], [-s3 * c2, -c2 * c3, s2]]) / s2  # (2.57)
    np.testing.assert_allclose(angles.rate_inverse(p, "euler"), inverse, rtol=0, atol=ROUND_OFF)


def test_roll_pitch_yaw_is_the_urdf_convention():
    roll, pitch, yaw = p = np.array([0.3, -0.7, 1.1])
    expected = rotation_z(yaw) @ rotation_y(pitch) @ rotation_x(roll)
    R = rotation_matrix_from_angles(p, "roll-pitch-yaw")
    np.testing.assert_allclose(R, expected, rtol=0, atol=ROUND_OFF)
    np.testing.assert_allclose(R, Rotation.from_euler("xyz", p).as_matrix(), rtol=0, atol=ROUND_OFF)
    np.testing.assert_allclose(angles_from_rotation_matrix(R, "roll-pitch-yaw"), p, rtol=0, atol=ROUND_OFF)


@pytest.mark.parametrize("sequence", ALL)
def test_random_rotations_round_trip_and_land_in_the_documented_ranges(sequence):
    q = random_quaternion(np.random.default_rng(2), 500)
    R = rotation_matrix_from_quaternion(q)
    for p in (angles_from_rotation_matrix(R, sequence), angles_from_quaternion(q, sequence)):
        np.testing.assert_allclose(rotation_matrix_from_angles(p, sequence), R, rtol=0, atol=ROUND_OFF)
        assert (np.abs(p[:, [0, 2]]) <= np.pi).all()
        low, high = locks(sequence)
        assert (low <= p[:, 1]).all() and (p[:, 1] <= high).all()


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_angles_agree_with_scipy(sequence):
    q = random_quaternion(np.random.default_rng(3), 200)
    R = rotation_matrix_from_quaternion(q)
    expected = Rotation.from_matrix(R).as_euler(sequence.upper())
    # both lose digits next to gimbal lock; the samples stay 1e-3 away from it
    np.testing.assert_allclose(angles_from_rotation_matrix(R, sequence), expected, rtol=0, atol=1e-11)


@pytest.mark.parametrize("sequence", ALL)
@seed(4)
@settings(max_examples=60, deadline=None)
@given(p=st.tuples(turns, turns, turns))
def test_any_angles_give_back_the_same_rotation(sequence, p):
    R = rotation_matrix_from_angles(p, sequence)
    q = angles_from_rotation_matrix(R, sequence, singular="minimum-norm")
    # within 1e-12 of gimbal lock the minimum-norm answer ignores that distance
    assert same_rotation(sequence, p, q) < 4e-12


@pytest.mark.parametrize("distance", [1e-3, 1e-6, 1e-9, 1e-11])
@pytest.mark.parametrize("sequence", ALL)
def test_rotation_is_exact_and_angles_are_as_good_as_possible_next_to_gimbal_lock(sequence, distance):
    rng = np.random.default_rng(5)
    for lock, inward in zip(locks(sequence), (1.0, -1.0), strict=True):
        p = rng.uniform(-3.0, 3.0, (50, 3))
        p[:, 1] = lock + inward * distance
        result = angles_from_rotation_matrix(rotation_matrix_from_angles(p, sequence), sequence)
        assert same_rotation(sequence, p, result) < ROUND_OFF
        np.testing.assert_allclose(result, p, rtol=0, atol=10 * ROUND_OFF / distance)


@pytest.mark.parametrize("sequence", ALL)
def test_gimbal_lock_is_an_error_or_the_minimum_norm_answer(sequence):
    rng = np.random.default_rng(6)
    for lock in locks(sequence):
        p = rng.uniform(-3.0, 3.0, (50, 3))
        p[:, 1] = lock
        R = rotation_matrix_from_angles(p, sequence)
        with pytest.raises(SingularityError, match=r"is singular at the second angle .* \(gimbal lock\)"):
            angles_from_rotation_matrix(R, sequence)
        result = angles_from_rotation_matrix(R, sequence, singular="minimum-norm")
        assert same_rotation(sequence, p, result) < ROUND_OFF
        # the outer angles share the turn evenly, each at most a right angle
        np.testing.assert_allclose(np.abs(result[:, 0]), np.abs(result[:, 2]), rtol=0, atol=ROUND_OFF)
        assert (np.abs(result[:, 0]) <= np.pi / 2 + ROUND_OFF).all()
        # shifting weight from one outer angle to the other keeps the rotation and does not shorten the vector
        sign = 1.0 if same_rotation(sequence, result + np.array([0.1, 0.0, 0.1]), result) < 1e-12 else -1.0
        shifted = result + 0.1 * np.array([1.0, 0.0, sign])
        assert same_rotation(sequence, shifted, result) < 1e-12
        assert (np.linalg.norm(shifted, axis=-1) >= np.linalg.norm(result, axis=-1)).all()


@pytest.mark.parametrize("sequence", ALL)
def test_rates_at_gimbal_lock_are_an_error_or_the_pseudo_inverse(sequence):
    for lock in locks(sequence):
        p = np.array([[0.3, lock - 0.4, 0.5], [0.3, lock, 0.5]])
        with pytest.raises(SingularityError, match=r"is singular at p = \(0.3, .*\) at batch index \(1,\)"):
            angles.rate_inverse(p, sequence)
        inverse = angles.rate_inverse(p, sequence, singular="minimum-norm")
        E = angles.rate_matrix(p, sequence)
        np.testing.assert_allclose(inverse[0] @ E[0], np.eye(3), rtol=0, atol=4 * ROUND_OFF)
        np.testing.assert_allclose(inverse[1], np.linalg.pinv(E[1], rcond=1e-8), rtol=0, atol=4 * ROUND_OFF)


def test_identity_of_a_repeated_sequence_is_gimbal_lock_with_zero_angles():
    with pytest.raises(SingularityError):
        angles_from_rotation_matrix(np.eye(3), "zxz")
    np.testing.assert_array_equal(angles_from_rotation_matrix(np.eye(3), "zxz", singular="minimum-norm"), np.zeros(3))
    np.testing.assert_array_equal(angles_from_rotation_matrix(np.eye(3), "xyz"), np.zeros(3))


def test_small_angles_keep_their_relative_accuracy():
    p = np.array([1e-10, -2e-10, 3e-10])
    result = angles_from_quaternion(quaternion_from_angles(p, "xyz"), "xyz")
    np.testing.assert_allclose(result, p, rtol=1e-14)


def test_bad_input_is_refused_by_name():
    with pytest.raises(UnknownNameError, match="sequence: unknown name 'xyzz'.*close: 'xyz'"):
        rotation_matrix_from_angles(np.zeros(3), "xyzz")
    with pytest.raises(UnknownNameError, match="unknown name 'xxy'"):
        rotation_matrix_from_angles(np.zeros(3), "xxy")
    with pytest.raises(UnknownNameError, match="singular: unknown choice 'minimum'"):
        angles_from_rotation_matrix(np.eye(3), "xyz", singular="minimum")
    with pytest.raises(ShapeError, match=r"p: found shape \(2,\)"):
        rotation_matrix_from_angles(np.zeros(2), "xyz")
    with pytest.raises(NonFiniteError, match="p: found nan"):
        quaternion_from_angles([0.0, np.nan, 0.0], "xyz")
