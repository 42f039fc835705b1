"""Torques of the ankle of a foot that alone carries: the pressure that they lead to."""

import math

import numpy as np
import pytest

import tarsus as ts
from tarsus.walking.stabilizer.lone_foot import holding_torque

LOAD = 500.0


@pytest.fixture(scope="module")
def biped():
    return ts.walking.Biped.of(ts.robots.hrp2())


def turned(biped, yaw):
    """Its stance, turned about the vertical."""
    step = np.zeros(biped.model.nv)
    step[5] = yaw
    return biped.model.integrate(biped.q, step, 1.0)


def held(biped, q, com, wanted):
    leg = biped.legs[1]
    X = ts.frame_pose(biped.model, q, leg.sole)
    return holding_torque(ts.jacobian(biped.model, q, leg.sole), X, com, wanted, leg.half, LOAD)


@pytest.mark.parametrize("inside", [(0.0, 0.0), (0.8, -0.5), (-0.3, 0.9)])
@pytest.mark.parametrize("yaw", [0.0, 0.7])
def test_ankle_holds_the_moment_that_the_ground_has_about_its_axes(biped, inside, yaw):
    """By the power of the force along the unit twist of each axis, at the origin of the world."""
    q, leg, model = turned(biped, yaw), biped.legs[1], biped.model
    X = ts.frame_pose(model, q, leg.sole)
    p = X[:3, 3] + X[:3, :2] @ (np.array(inside) * leg.half)
    com = ts.center_of_mass(model, q) + np.array([0.1, -0.05, 0.0])
    tau = held(biped, q, com, p[:2])
    f = LOAD / (com - p)[2] * (com - p)
    screws = ts.joint_screws(model, q)
    for k in leg.ankle:
        assert tau[k] == pytest.approx(-(screws[:3, k] @ f + screws[3:, k] @ np.cross(p, f)), abs=1e-9)


def test_force_has_no_moment_about_the_centre_of_mass(biped):
    """Only the linear momentum changes: the base row of turning about the centre of mass is zero."""
    q, model = biped.q, biped.model
    com = ts.center_of_mass(model, q)
    tau = held(biped, q, com, ts.frame_pose(model, q, biped.legs[1].sole)[:2, 3] + 0.02)
    R = ts.frame_pose(model, q, biped.pelvis)[:3, :3]
    f, n = -R @ tau[:3], -R @ tau[3:6]  # on the base, about its origin
    np.testing.assert_allclose(n, np.cross(com - q[:3], f), atol=1e-9)
    assert f[2] == pytest.approx(LOAD)


def test_pressure_stays_within_the_sole(biped):
    q, leg = biped.q, biped.legs[1]
    com, X = ts.center_of_mass(biped.model, q), ts.frame_pose(biped.model, q, leg.sole)
    corner = X[:2, 3] + X[:2, :2] @ leg.half
    far = X[:2, 3] + X[:2, :2] @ (7.0 * leg.half)
    np.testing.assert_allclose(held(biped, q, com, far), held(biped, q, com, corner), atol=1e-9)


def test_torque_of_a_robot_that_lies_on_the_ground_is_bounded(biped):
    q, leg = biped.q, biped.legs[1]
    X = ts.frame_pose(biped.model, q, leg.sole)
    for height in (0.0, 1e-9, -0.3):
        tau = held(biped, q, X[:3, 3] + np.array([0.8, 0.2, height]), X[:2, 3])
        assert np.abs(tau[leg.ankle]).max() < 3.0 * LOAD * biped.leg


def test_robot_that_falls_on_a_tilted_foot_puts_it_flat_again(biped):
    """Pressed at its middle a foot on its edge is turned back: the moment of the edge beats that of the ankle."""
    leg, model = biped.legs[1], biped.model
    q = np.array(biped.q)
    pitch = model.joints[leg.joints[-2]]
    q[pitch.q_index] += math.radians(8.0)
    X = ts.frame_pose(model, q, leg.sole)
    com = ts.center_of_mass(model, q)
    edges = [X[:3, 3] + X[:3, 0] * s * leg.half[0] for s in (-1.0, 1.0)]
    edge = min(edges, key=lambda p: p[2])
    tau = held(biped, q, com, X[:2, 3])
    f = np.array([0.0, 0.0, LOAD])
    k = pitch.v_index.start
    J = ts.jacobian(model, q, leg.sole)
    p = edge - X[:3, 3]
    power = tau[k] + J[:3, k] @ f + J[3:, k] @ np.cross(p, f)  # on the foot, in the direction that tilted it
    assert power < 0.0
