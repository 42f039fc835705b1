"""Following a target step by step: within limits, on both feet, as near as it goes."""

import numpy as np
import pytest
from ik.reaching.scenes import rods

import tarsus as ts
from tarsus.errors import ArgumentError, ShapeError, UnknownNameError

DT = 0.02


def followed(follower, X, steps):
    """Configurations of all steps."""
    rows = [follower.q]
    for _ in range(steps):
        rows.append(follower.step(X, DT))
    return np.array(rows)


def test_a_target_in_reach_is_reached_within_the_limits_of_velocity():
    model = ts.robots.crops9()
    follower = ts.ik.Follower(model, "tool")
    X = ts.frame_pose(model, model.reference + np.array([0.1, 0.3, -0.2, 0.2, 0.3, -0.2, 0.1, 0.2, 0.5]), "tool")
    q = followed(follower, X, 100)
    assert np.abs(follower.pose - X).max() < 1e-8
    assert (np.abs(np.diff(q, axis=0)) / DT <= model.v_max * (1 + 1e-9)).all()
    assert (q >= model.q_min).all() and (q <= model.q_max).all()


def test_a_humanoid_follows_on_its_feet_even_where_it_cannot_reach():
    model = ts.robots.hrp2()
    keep = ts.ik.stance(model)
    follower = ts.ik.Follower(model, "r_hand", keep=keep)
    X = follower.pose.copy()
    X[:3, 3] = [2.0, -0.3, 1.0]
    q = followed(follower, X, 150)
    for task in keep:
        assert np.abs(task.error(model, q)).max() < 1e-6
    assert (q >= model.q_min).all() and (q <= model.q_max).all()
    away = np.linalg.norm(ts.frame_pose(model, q, "r_hand")[:, :3, 3] - X[:3, 3], axis=-1)
    assert away[-1] < away[0] - 0.4
    assert np.abs(model.difference(q[-2], q[-1])).max() < 1e-4  # it rests there


def test_the_base_is_held_without_tasks_to_keep():
    model = ts.robots.hrp2()
    follower = ts.ik.Follower(model, "r_hand")
    X = follower.pose.copy()
    X[:3, 3] += [0.1, 0.0, 0.1]
    q = followed(follower, X, 60)
    assert np.abs(q[:, :7] - model.reference[:7]).max() == 0
    assert np.abs(follower.pose - X).max() < 1e-7


def test_places_alone_are_followed_by_arms_of_few_joints():
    model = rods()
    follower = ts.ik.Follower(model, "tool", [0.3, 0.4, 0.2], oriented=False)
    q = followed(follower, ts.pose([0.5, 0.5, 0.0]), 100)
    assert np.allclose(ts.frame_pose(model, q[-1], "tool")[:3, 3], [0.5, 0.5, 0.0], atol=1e-8)


def test_bad_targets_are_refused_by_name():
    follower = ts.ik.Follower(ts.robots.crops9(), "tool")
    with pytest.raises(ShapeError, match="target"):
        follower.step(np.zeros(3), DT)
    with pytest.raises(ArgumentError, match="dt is 0"):
        follower.step(np.eye(4), 0)
    with pytest.raises(UnknownNameError, match="'tol' not found"):
        ts.ik.Follower(ts.robots.crops9(), "tol")
