"""Inertial measurement units against closed forms."""

import numpy as np
import pytest
from devices.sensors.motions import Recording, hinge, still, turning

import tarsus as ts
from tarsus.devices.sensors import IMU, ErrorModel
from tarsus.devices.sensors.motion import Motion
from tarsus.errors import ShapeError, UnknownNameError
from tarsus.spatial import rotation_matrix_from_rotation_vector

EXACT = 1e-12
"""Kinematics of one or two bodies, to rounding."""


def box(**keywords):
    b = ts.ModelBuilder("box", base="free").add_link("box", ts.Inertia.of_box(2.0, (0.1, 0.2, 0.3)))
    return b.add_frame("imu", "box", ts.pose((0.3, -0.1, 0.2), **keywords)).build()


def test_at_rest_it_reads_gravity_upwards():
    found = IMU(frame="tip").measure(still(hinge(), 0.01))
    np.testing.assert_allclose(found.value, np.broadcast_to([0, 0, 0, 0, 0, 9.81], (11, 6)), atol=EXACT)


def test_in_free_fall_it_reads_nothing():
    model = box()
    v = np.array([0.3, -0.2, 0.5, 0.0, 0.0, 0.0])
    vdot = np.concatenate([model.gravity, np.zeros(3)])
    np.testing.assert_allclose(IMU(frame="imu").truth(Motion(model, model.neutral(), v, vdot)), 0.0, atol=EXACT)


def test_turning_arm_shows_centripetal_and_euler_terms():
    w, alpha, radius = 3.0, 7.0, 0.5
    motion = Motion(hinge(), np.array([0.4]), np.array([w]), np.array([alpha]))
    expected = [0.0, 0.0, w, -(w**2) * radius, alpha * radius, 9.81]
    np.testing.assert_allclose(IMU(frame="tip").truth(motion), expected, atol=EXACT)


def test_tumbling_body_is_the_formula_of_rigid_motion():
    turn = rotation_matrix_from_rotation_vector(np.array([0.3, -0.7, 0.2]))
    model = box(rotation=turn)
    rng = np.random.default_rng(0)
    q, v, vdot = model.random(rng), rng.normal(size=6), rng.normal(size=6)
    R_WB = ts.frame_pose(model, q, "box")[:3, :3]
    r, w = np.array([0.3, -0.1, 0.2]), v[3:]
    # body axes: acceleration of the origin, Euler and centripetal terms of the lever arm, and gravity
    a = vdot[:3] + np.cross(w, v[:3]) + np.cross(vdot[3:], r) + np.cross(w, np.cross(w, r))
    expected = np.concatenate([turn.T @ w, turn.T @ (a - R_WB.T @ model.gravity)])
    np.testing.assert_allclose(IMU(frame="imu").truth(Motion(model, q, v, vdot)), expected, atol=1e-11)


def test_recorded_motion_is_read_like_the_closed_form():
    w = 4.0
    recording = turning(hinge(), lambda t: np.sin(w * t), lambda t: w * np.cos(w * t), 1.0)
    found = IMU(frame="tip", rate=1000.0).measure(recording)
    t = found.time[1:]
    rate, acceleration = w * np.cos(w * t), -(w**2) * np.sin(w * t)
    expected = np.stack([0 * t, 0 * t, rate, -0.5 * rate**2, 0.5 * acceleration, 0 * t + 9.81], axis=-1)
    # mean acceleration over the last millisecond lags by half of it: w^3 radius 0.5e-3 = 0.016
    np.testing.assert_allclose(found.value[1:], expected, atol=0.017)
    np.testing.assert_allclose(found.value[1:, :4], expected[:, :4], atol=EXACT)


def test_misalignment_and_scale_act_on_the_truth():
    tilt = rotation_matrix_from_rotation_vector(np.array([0.0, 0.02, 0.0])) @ np.diag([1.0, 1.0, 1.01])
    found = IMU(frame="tip", accelerometer_matrix=tilt).measure(still(hinge(), 0.01))
    np.testing.assert_allclose(found.value[:, 3:], np.broadcast_to(tilt @ [0, 0, 9.81], (11, 3)), atol=EXACT)


def test_range_saturates_each_axis():
    recording = turning(hinge(), lambda t: 40.0 * t, lambda t: 40.0 + 0 * t, 0.01)
    sensor = IMU(frame="tip", gyroscope=ErrorModel(limit=35.0), accelerometer=ErrorModel(limit=16 * 9.81))
    value = sensor.measure(recording).value
    np.testing.assert_array_equal(value[:, 2], 35.0)
    np.testing.assert_array_equal(value[:, 3], -16 * 9.81)  # -800 m/s^2 in truth


def test_noise_of_gyroscope_and_accelerometer_is_independent():
    sensor = IMU(frame="tip", gyroscope=ErrorModel(noise=0.1), accelerometer=ErrorModel(noise=0.2))
    value = sensor.measure(still(hinge(), 4.0)).value
    np.testing.assert_allclose(value.std(axis=0), [0.1] * 3 + [0.2] * 3, rtol=0.05)
    correlation = np.corrcoef(value.T) - np.eye(6)
    assert np.abs(correlation).max() < 4.0 / np.sqrt(4001)  # four standard errors


def test_batches_and_humanoids():
    model = ts.robots.hrp2()
    rng = np.random.default_rng(2)
    time = np.array([0.0, 0.001])
    q, v = model.random(rng, 3), rng.normal(size=(3, model.nv))
    recording = Recording(model, time, np.stack([q, model.integrate(q, v, 0.001)]), np.stack([v, v]))
    frame = next(iter(model.bodies))
    found = IMU(frame=frame).measure(recording).value
    assert found.shape == (2, 3, 6)
    local = ts.frame_velocity(model, q, v, frame, "local")[:, 3:]
    np.testing.assert_allclose(found[0, :, :3], local, atol=1e-9)


def test_bad_input_is_named():
    with pytest.raises(UnknownNameError, match="tip"):
        IMU(frame="tipp").measure(still(hinge(), 0.01))
    with pytest.raises(ShapeError, match=r"gyroscope_matrix of IMU has shape \(3,\)"):
        IMU(frame="tip", gyroscope_matrix=np.ones(3))
