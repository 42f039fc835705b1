"""Ways of limbs: smooth, clear of the ground, along normals at their ends."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.control import SwingPath
from tarsus.control.sequencing.minimum_jerk import minimum_jerk
from tarsus.errors import ArgumentError, ShapeError
from tarsus.spatial import rotation_matrix_from_rotation_vector

STEP = 1e-4
"""Of central differences [s]: their error is STEP^2 times the third derivative, about 1e-5 here."""


def poses():
    X0 = ts.pose([0.1, 0.2, 0.0], rotation_matrix_from_rotation_vector([0.1, -0.2, 0.3]))
    X1 = ts.pose([0.4, 0.1, 0.15], rotation_matrix_from_rotation_vector([-0.3, 0.4, 0.0]))
    return X0, X1


def test_path_begins_and_ends_at_its_poses_at_rest_without_acceleration():
    X0, X1 = poses()
    path = SwingPath(X0, X1, 0.8, 0.05)
    for t, X in ((0.0, X0), (0.8, X1), (-1.0, X0), (2.0, X1)):
        found, twist, change = path.at(t)
        assert np.allclose(found, X, atol=1e-12)
        assert np.abs(twist).max() < 1e-12 and np.abs(change).max() < 1e-12


def test_twist_and_its_derivative_are_those_of_the_pose():
    path = SwingPath(*poses(), 0.8, 0.05, (0.0, 0.6, 0.8), (0.0, 0.0, 1.0))
    for t in np.linspace(0.05, 0.75, 9):
        (before, *_), (X, twist, change), (after, *_) = (path.at(t + d) for d in (-STEP, 0.0, STEP))
        speed = (after - before)[:3, 3] / (2 * STEP)
        spin = (after - before)[:3, :3] / (2 * STEP) @ X[:3, :3].T
        assert np.allclose(twist[:3], speed, atol=1e-5)
        assert np.allclose(twist[3:], [spin[2, 1], spin[0, 2], spin[1, 0]], atol=1e-5)
        assert np.allclose(change, (path.at(t + STEP)[1] - path.at(t - STEP)[1]) / (2 * STEP), atol=1e-4)


def test_clearance_is_reached_half_way_above_the_straight_line():
    X0, X1 = poses()
    middle = SwingPath(X0, X1, 1.0, 0.07).at(0.5)[0]
    assert np.allclose(middle[:3, 3], (X0 + X1)[:3, 3] / 2 + [0.0, 0.0, 0.07], atol=1e-12)


def test_path_leaves_and_arrives_along_the_normals():
    wall, floor = np.array([-1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])
    path = SwingPath(*poses(), 1.0, 0.05, floor, wall)
    for t, normal in ((1e-3, floor), (1.0 - 1e-3, -wall)):
        speed = path.at(t)[1][:3]
        assert speed @ normal / np.linalg.norm(speed) > 0.99


def test_time_law_is_that_of_the_least_jerk():
    assert minimum_jerk(0.5, 1.0) == pytest.approx((0.5, 1.875, 0.0))
    assert minimum_jerk(3.0, 1.0) == (1.0, 0.0, 0.0) and minimum_jerk(0.0, 0.0).share == 1.0


def test_path_that_cannot_be_is_refused():
    X0, X1 = poses()
    with pytest.raises(ArgumentError, match=r"duration of SwingPath is 0.0"):
        SwingPath(X0, X1, 0.0)
    with pytest.raises(ArgumentError, match=r"clearance of SwingPath is -0.1"):
        SwingPath(X0, X1, 1.0, -0.1)
    with pytest.raises(ShapeError, match=r"start of SwingPath: found shape \(3,\)"):
        SwingPath([0, 0, 0], X1, 1.0)
