"""Joint motion of a leg of two links."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.errors import SingularityError
from tarsus.walking import two_link_leg

ROUNDING = 1e-13
"""Of positions below a metre."""
SLOPE = 1e-7
"""Central differences with the step 1e-5 of functions whose third derivatives are below 1e3."""
STEP = 1e-5
LENGTHS = dict(thigh=0.45, shank=0.38)


def paths(seed, n=20):
    """Places within reach with arbitrary rates: (ankle, velocity, acceleration), each (n, 2)."""
    rng = np.random.default_rng(seed)
    distance, angle = rng.uniform(0.3, 0.8, n), rng.uniform(-1.0, 1.0, n)
    ankle = np.stack([distance * np.sin(angle), -distance * np.cos(angle)], axis=-1)
    return ankle, rng.normal(size=(n, 2)), rng.normal(size=(n, 2))


def ankle_of(q):
    """Place of the ankle from the hip, from the chain of rotations about +y."""
    turn = q[..., 0] + q[..., 1]
    x = -LENGTHS["thigh"] * np.sin(q[..., 0]) - LENGTHS["shank"] * np.sin(turn)
    z = -LENGTHS["thigh"] * np.cos(q[..., 0]) - LENGTHS["shank"] * np.cos(turn)
    return np.stack([x, z], axis=-1)


def test_ankle_is_where_it_was_asked_for():
    ankle, velocity, acceleration = paths(1)
    assert np.abs(ankle_of(two_link_leg(ankle, velocity, acceleration, **LENGTHS).q) - ankle).max() < ROUNDING


def test_knee_bends_forward_and_foot_is_level():
    q = two_link_leg(*paths(2), **LENGTHS).q
    assert (q[:, 1] > 0.0).all()
    assert np.abs(q.sum(axis=-1)).max() < ROUNDING
    # The knee is ahead of the line from hip to ankle.
    knee = -LENGTHS["thigh"] * np.stack([np.sin(q[:, 0]), np.cos(q[:, 0])], axis=-1)
    ankle = ankle_of(q)
    assert (ankle[:, 0] * knee[:, 1] - ankle[:, 1] * knee[:, 0] > 0.0).all()


def test_rates_and_accelerations_are_derivatives_of_the_angles():
    ankle, velocity, acceleration = paths(3)

    def at(t):
        return two_link_leg(
            ankle + t * velocity + 0.5 * t**2 * acceleration, velocity + t * acceleration, acceleration, **LENGTHS
        )

    before, now, after = at(-STEP), at(0.0), at(STEP)
    scale = np.abs(now.vdot).max()
    assert np.abs((after.q - before.q) / (2.0 * STEP) - now.v).max() < SLOPE * scale
    assert np.abs((after.v - before.v) / (2.0 * STEP) - now.vdot).max() < SLOPE * scale


def test_legs_of_the_biped_reach_the_same_place():
    model = ts.robots.shah7()
    q = model.neutral()
    for name, place in (("r", (0.12, -0.9)), ("l", (-0.2, -0.95))):
        q[[model.joints[f"{name}_{joint}"].q_index.start for joint in ("hip", "knee", "ankle")]] = two_link_leg(
            place, (0.0, 0.0), (0.0, 0.0), thigh=0.5, shank=0.5
        ).q
    for name, place in (("r", (0.12, -0.9)), ("l", (-0.2, -0.95))):
        X_WS = ts.frame_pose(model, q, f"{name}_sole")
        hip = q[:2] + np.array([0.0, -0.25])
        assert np.abs(X_WS[[0, 2], 3] - hip - place).max() < ROUNDING
        assert np.abs(X_WS[:3, :3] - np.eye(3)).max() < ROUNDING


@pytest.mark.parametrize("place", [(0.0, -0.83), (0.0, -0.07), (0.6, -0.8)])
def test_straight_folded_and_unreachable_legs_are_refused(place):
    with pytest.raises(SingularityError, match=f"{np.hypot(*place):.6g} m from the hip; expected more than 0.07 m"):
        two_link_leg(place, (0.0, 0.0), (0.0, 0.0), **LENGTHS)
