"""Exponential and logarithm of poses."""

import numpy as np
import pytest
from scipy.linalg import expm

import tarsus as ts
from tarsus.errors import DtypeError, NonFiniteError, ShapeError
from tarsus.spatial import inverse_pose, pose, pose_difference, pose_exp, pose_log, skew, wrench_at

ROUND_OFF = 1e-13
"""Sums of products of numbers of size one to ten."""
ANGLES = [0.0, 1e-12, 1e-8, 1e-4, 0.01, 0.5, 0.999999, 1.0, 1.000001, 2.0, 3.0, np.pi - 1e-6]


def twists(rng: np.random.Generator, angle: float, n: int = 20) -> np.ndarray:
    axes = rng.normal(size=(n, 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    return np.hstack([rng.normal(size=(n, 3)), angle * axes])


@pytest.mark.parametrize("angle", [*ANGLES, 5.0, 20.0])
def test_exponential_is_that_of_the_matrix(angle):
    for xi in twists(np.random.default_rng(0), angle):
        matrix = np.zeros((4, 4))
        matrix[:3, :3], matrix[:3, 3] = skew(xi[3:]), xi[:3]
        np.testing.assert_allclose(pose_exp(xi), expm(matrix), atol=ROUND_OFF)


@pytest.mark.parametrize("angle", ANGLES)
def test_logarithm_undoes_the_exponential(angle):
    xi = twists(np.random.default_rng(1), angle)
    # Near half a turn a rotation matrix holds its axis to half the digits less.
    np.testing.assert_allclose(pose_log(pose_exp(xi)), xi, atol=ROUND_OFF if angle < 3.1 else 1e-9)


def test_half_a_turn_has_a_logarithm_that_leads_back():
    X = pose([1.0, 2.0, 3.0], np.diag([1.0, -1.0, -1.0]))
    np.testing.assert_allclose(pose_exp(pose_log(X)), X, atol=ROUND_OFF)


def test_difference_of_poses_is_that_of_a_free_base():
    model = ts.robots.hrp2(base="free")
    rng = np.random.default_rng(2)
    q1, q2 = model.random(rng), model.random(rng)
    X1, X2 = (ts.body_poses(model, q)[0] for q in (q1, q2))
    expected = model.difference(q1, q2)[:6]
    np.testing.assert_allclose(pose_difference(X1, X2), expected, atol=1e-11)
    np.testing.assert_allclose(X1 @ pose_exp(expected), X2, atol=1e-11)


def test_batches_broadcast():
    rng = np.random.default_rng(3)
    X = pose_exp(rng.normal(size=(4, 1, 6)))
    Y = pose_exp(rng.normal(size=(3, 6)))
    d = pose_difference(X, Y)
    assert d.shape == (4, 3, 6)
    np.testing.assert_array_equal(d[1, 2], pose_difference(X[1, 0], Y[2]))


@pytest.mark.parametrize("call", [
    lambda: inverse_pose(1.0), lambda: inverse_pose([1.0, 2.0]), lambda: inverse_pose(np.eye(3)),
    lambda: pose([1.0, 2.0]), lambda: pose(np.zeros((2, 3)), np.zeros((3, 3, 3))),
    lambda: wrench_at(np.eye(4), [1.0]), lambda: wrench_at(np.eye(4), 5.0),
    lambda: wrench_at(np.zeros((2, 4, 4)), np.zeros((3, 6))), lambda: pose_exp(1.0), lambda: pose_log(np.eye(3)),
    lambda: pose_difference(np.zeros((2, 4, 4)), np.zeros((3, 4, 4))),
])  # fmt: skip
def test_wrong_shapes_are_told(call):
    with pytest.raises(ShapeError):
        call()


def test_what_is_no_number_is_told():
    for call in (lambda: pose("x"), lambda: inverse_pose("x"), lambda: ts.spatial.random_quaternion(5)):
        with pytest.raises(DtypeError):
            call()
    with pytest.raises(NonFiniteError):
        pose_exp([np.nan] * 6)
