"""Single poses beside the functions of `tarsus.spatial`."""

import numpy as np
import pytest

from tarsus import spatial
from tarsus.walking.stabilizer.base_poses import base_between, base_pose, inverse_base_pose, turn_between, turned

ROUNDING = 4e-15


def bases(count=20):
    rng = np.random.default_rng(0)
    return np.concatenate([rng.normal(size=(count, 3)), spatial.random_quaternion(rng, count)], axis=1)


def test_poses_are_those_of_spatial():
    for base in bases():
        X = spatial.pose(base[:3], spatial.rotation_matrix_from_quaternion(base[3:]))
        np.testing.assert_allclose(base_pose(base), X, atol=ROUNDING)
        np.testing.assert_allclose(inverse_base_pose(base), spatial.inverse_pose(X), atol=ROUNDING)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_between_two_bases_place_and_turn_go_over_whatever_the_sign_of_the_quaternion(sign):
    for base in bases():
        near = np.concatenate([base[:3] + 0.1, spatial.quaternion_product(turned(base[3:], 0.02), [1.0, 0, 0, 0])])
        near[3:] *= sign
        for share in (0.0, 0.3, 1.0):
            found = base_between(base, near, share)
            np.testing.assert_allclose(found[:3], base[:3] + 0.1 * share, atol=ROUNDING)
            R = spatial.rotation_z(0.02 * share) @ spatial.rotation_matrix_from_quaternion(base[3:])
            # chord instead of arc: off by the third power of the angle
            np.testing.assert_allclose(base_pose(found)[:3, :3], R, atol=0.02**3)


def test_a_turn_about_the_vertical_is_a_rotation_about_z():
    for base in bases():
        R = spatial.rotation_z(0.7) @ spatial.rotation_matrix_from_quaternion(base[3:])
        np.testing.assert_allclose(spatial.rotation_matrix_from_quaternion(turned(base[3:], 0.7)), R, atol=ROUNDING)


@pytest.mark.parametrize("angle", [-3.0, -1.0, 0.0, 0.3, 2.5])
def test_turn_between_two_quaternions_is_that_about_the_vertical_whatever_their_signs(angle):
    for base in bases():
        for sign in (1.0, -1.0):
            found = turn_between(base[3:], sign * turned(base[3:], angle))
            assert np.remainder(found - angle + np.pi, 2 * np.pi) == pytest.approx(np.pi, abs=1e-13)
