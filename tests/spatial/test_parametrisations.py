"""Tests of the registry and of conversion between all parametrisations."""

import numpy as np
import pytest

from tarsus.errors import SingularityError, UnknownNameError
from tarsus.spatial.parametrisations import PARAMETRISATIONS, convert_rotation, parametrisation
from tarsus.spatial.quaternion import random_quaternion, rotation_matrix_from_quaternion
from tarsus.spatial.rotation_parametrisation import Parametrisation
from tarsus.spatial.rotation_vector import rotation_matrix_from_rotation_vector

ROUND_OFF = 8e-15  # two conversions of a dozen operations on numbers of order one
NAMES = list(PARAMETRISATIONS)


@pytest.mark.parametrize("target", NAMES)
@pytest.mark.parametrize("source", NAMES)
def test_conversion_between_any_two_keeps_the_rotation(source, target):
    R = rotation_matrix_from_quaternion(random_quaternion(np.random.default_rng(1), 20))
    p = parametrisation(source).parameters(R)
    result = parametrisation(target).rotation_matrix(convert_rotation(p, source, target))
    np.testing.assert_allclose(result, R, rtol=0, atol=ROUND_OFF)


@pytest.mark.parametrize("angle", [0.0, 1e-300, 1e-16, 1e-9, 1e-5, np.pi - 1e-5, np.pi - 1e-9, np.pi])
@pytest.mark.parametrize("name", NAMES)
def test_round_trip_is_finite_and_exact_near_zero_and_near_half_a_turn(name, angle):
    u = np.random.default_rng(2).standard_normal((20, 3))
    R = rotation_matrix_from_rotation_vector(angle * u / np.linalg.norm(u, axis=-1, keepdims=True))
    p = parametrisation(name).parameters(R, singular="minimum-norm")
    assert np.isfinite(p).all()
    result = parametrisation(name).rotation_matrix(p)
    # Where a parametrisation is singular the minimum-norm answer is right to its tolerance of 1e-12.
    np.testing.assert_allclose(result, R, rtol=0, atol=4e-12 if angle < 1e-11 or angle > 3.0 else ROUND_OFF)


def test_aliases_are_the_same_objects():
    assert parametrisation("cardan") is parametrisation("xyz")
    assert parametrisation("euler") is parametrisation("zxz")
    assert parametrisation("euler-parameters") is parametrisation("quaternion")


def test_sizes_follow_table_1():
    sizes = {name: parametrisation(name).size for name in ("roll-pitch-yaw", "quaternion", "rotation-matrix")}
    assert sizes == {"roll-pitch-yaw": 3, "quaternion": 4, "rotation-matrix": 9}


def test_own_parametrisation_passes_through():
    mine = Parametrisation("mine", 9, lambda p: p.reshape(*p.shape[:-1], 3, 3))
    assert parametrisation(mine) is mine
    np.testing.assert_array_equal(convert_rotation(np.eye(3).ravel(), mine, "quaternion"), [1.0, 0.0, 0.0, 0.0])


def test_unknown_name_lists_the_nearest():
    with pytest.raises(UnknownNameError, match="parametrisation 'quaternions' not found; close: 'quaternion'"):
        parametrisation("quaternions")
    with pytest.raises(UnknownNameError, match="'qqq' not found; known: 'quaternion', "):
        parametrisation("qqq")
    with pytest.raises(UnknownNameError, match="3 not found"):
        parametrisation(3)


def test_registry_is_read_only():
    with pytest.raises(TypeError):
        PARAMETRISATIONS["mine"] = parametrisation("xyz")


def test_conversion_to_a_singular_target_follows_the_argument():
    q = [0.0, 1.0, 0.0, 0.0]
    with pytest.raises(SingularityError, match="'rodrigues'"):
        convert_rotation(q, "quaternion", "rodrigues")
    assert np.isfinite(convert_rotation(q, "quaternion", "rodrigues", singular="minimum-norm")).all()
