"""Closed forms, readings that are late or missing, starts, and what bad input gets."""

import numpy as np
import pytest
from tests.control.estimation.on_sensors import FEET, SOLES

import tarsus as ts
from tarsus.control import BaseEstimator, Contact, EstimatorNoise, Support
from tarsus.devices.sensors import IMU, Encoder, Motion
from tarsus.errors import TarsusError

UP = np.array([0.0, 0.0, 9.81])
QUIET = EstimatorNoise(gyroscope=1e-6, accelerometer=1e-6, gyroscope_walk=0.0, accelerometer_walk=0.0,
                       gyroscope_bias=1e-9, accelerometer_bias=1e-9, encoder=0.0, contact=1e-6, contact_turn=1e-6,
                       creep=1e-9, creep_turn=1e-9, creep_tilt=1e-9)  # fmt: skip


def rod():
    """A rod of 1 m with its free end "tip" below the base, without joints."""
    builder = ts.ModelBuilder("rod", base="free").add_link("rod", ts.Inertia.of_box(1.0, (0.1, 0.1, 1.0)))
    return builder.build().with_frame("tip", "rod", ts.pose((0.0, 0.0, -1.0)))


def rotation(q):
    return ts.spatial.rotation_matrix_from_quaternion(q[3:7])


def at_rest(estimator, q, count=1, dt=1e-3, loads=None, **changes):
    """Feed a robot that rests at q."""
    imu = estimator._kinematics._imu
    R_WI = ts.frame_pose(estimator.model, q, imu)[:3, :3]
    told = {"joint_positions": q[7:], "joint_velocities": np.zeros(len(q) - 7), "gyroscope": np.zeros(3)}
    told |= {"accelerometer": R_WI.T @ UP, "loads": np.full(len(estimator.supports), 1e3) if loads is None else loads}
    for _ in range(count):
        found = estimator.step(dt, **(told | changes))
    return found


@pytest.mark.parametrize("imu", ["BODY", "CHEST_LINK1", "LARM_LINK4"])
def test_a_tilted_robot_at_rest_is_known_from_its_first_reading(imu):
    model = ts.robots.hrp2()
    q = np.array(model.reference)
    q[3:7] = ts.spatial.quaternion_from_rotation_vector([0.2, -0.1, 0.0])
    estimator = BaseEstimator(model, SOLES, imu=imu)
    found, v = at_rest(estimator, q)
    np.testing.assert_allclose(rotation(found)[2], rotation(q)[2], atol=1e-12)
    heights = ts.frame_poses(model, found, SOLES)[:, 2, 3]
    np.testing.assert_allclose(heights.min(), 0.0, atol=1e-12)
    np.testing.assert_allclose(v, 0.0, atol=1e-12)


def test_free_fall_is_a_parabola():
    model = rod()
    estimator = BaseEstimator(model, [Support("tip", patch=False)])
    q, v = model.neutral(), np.zeros(6)
    v[0] = 0.3
    estimator.reset(q, v)
    for _ in range(500):
        q, v = estimator.step(1e-3, np.zeros(0), np.zeros(0), np.zeros(3), np.zeros(3), np.zeros(1))
    np.testing.assert_allclose(q[:3], [0.15, 0.0, -0.5 * 9.81 * 0.25], atol=1e-9)
    np.testing.assert_allclose(v[:3], [0.3, 0.0, -4.905], atol=1e-9)
    assert str(estimator.status) == "no support: inertial unit alone"


def test_turning_about_a_point_that_stands_is_followed():
    """Constant angular velocity about the tip: the base is on a circle, its specific force is g and centripetal."""
    model, rate, dt = rod(), 0.8, 1e-3
    estimator = BaseEstimator(model, [Support("tip", patch=False)], noise=QUIET)
    q, v = np.array(model.neutral()), np.array([0.0, -rate, 0.0, rate, 0.0, 0.0])
    q[2] = 1.0
    estimator.reset(q, v, tilt=1e-6, velocity=1e-6)
    worst = 0.0
    for k in range(1, 1001):
        angle = rate * k * dt
        R = ts.spatial.rotation_x(angle)
        base = R @ [0.0, 0.0, 1.0]
        f = R.T @ (-(rate**2) * base + UP)
        q, v = estimator.step(dt, np.zeros(0), np.zeros(0), np.array([rate, 0.0, 0.0]), f, np.array([1e3]))
        worst = max(worst, np.abs(q[:3] - base).max(), np.abs(rotation(q) - R).max())
        assert np.abs(v - [0.0, -rate, 0.0, rate, 0.0, 0.0]).max() < 2e-3
    assert worst < 5e-4  # of the first order in dt: 0.8 mm is a step along the circle


def test_covariance_of_the_position_grows_as_contacts_creep_and_that_of_the_tilt_does_not():
    model = ts.robots.hrp2()
    q = np.array(model.reference)
    estimator = BaseEstimator(model, SOLES)
    estimator.reset(q)
    at_rest(estimator, q, 500, dt=5e-3)
    first = np.sqrt(np.diagonal(estimator.covariance))
    at_rest(estimator, q, 1500, dt=5e-3)
    last = np.sqrt(np.diagonal(estimator.covariance))
    assert (last[[0, 1, 2, 5]] > 1.5 * first[[0, 1, 2, 5]]).all()
    assert (last[3:5] < 1.05 * first[3:5]).all()
    # Two feet that creep on their own: the base goes with their mean, by creep sqrt(T / 2).
    assert last[0] == pytest.approx(estimator.noise.creep * np.sqrt(10.0 / 2.0), rel=0.35)


def test_biases_at_rest_are_found():
    model = ts.robots.hrp2()
    q = np.array(model.reference)
    estimator = BaseEstimator(model, SOLES)
    estimator.reset(q, tilt=1e-5)
    bias = np.array([2e-3, -1e-3, 1.5e-3]), np.array([0.05, -0.04, 0.03])
    at_rest(estimator, q, 2000, dt=5e-3, gyroscope=bias[0], accelerometer=UP + bias[1])
    np.testing.assert_allclose(estimator.gyroscope_bias, bias[0], atol=2e-4)
    np.testing.assert_allclose(estimator.accelerometer_bias, bias[1], atol=5e-3)


@pytest.mark.parametrize("imu", ["BODY", "CHEST_LINK1"])
def test_velocities_of_the_base_follow_from_a_unit_on_any_body(imu):
    rng = np.random.default_rng(5)
    model = ts.robots.hrp2()
    q, v = model.random(rng), 0.3 * rng.normal(size=model.nv)
    estimator = BaseEstimator(model, SOLES, imu=imu)
    estimator.reset(q, v)
    reading = IMU(frame=imu).truth(Motion(model, q, v, np.zeros(model.nv)))
    found = estimator.step(0.0, q[7:], v[6:], reading[:3], reading[3:], np.zeros(2))
    np.testing.assert_allclose(model.difference(q, found[0]), 0.0, atol=1e-12)
    np.testing.assert_allclose(found[1], v, atol=1e-12)


def test_noise_of_encoders_goes_through_the_jacobians_of_the_supports():
    rng = np.random.default_rng(6)
    model, step = ts.robots.hrp2(), 1e-6
    for imu in ("BODY", "CHEST_LINK1"):
        kinematics = BaseEstimator(model, SOLES, imu=imu)._kinematics
        joints, way = np.asarray(model.random(rng))[7:], rng.normal(size=30)
        kinematics.update(joints)
        J, R_BI, R = kinematics.J.copy(), kinematics.X_BI[:3, :3].copy(), kinematics.R_IC.copy()
        places = []
        for sign in (1.0, -1.0):
            kinematics.update(joints + sign * step * way)
            places.append((kinematics.p_IC.copy(), kinematics.R_IC.copy()))
        slides = (places[0][0] - places[1][0]) / (2.0 * step)
        np.testing.assert_allclose(slides @ R_BI.T, J[:, :3] @ way, atol=1e-8)
        for k in range(2):
            S = (places[0][1][k] - places[1][1][k]) / (2.0 * step) @ R[k].T
            np.testing.assert_allclose(R_BI @ ts.spatial.unskew(0.5 * (S - S.T)), J[k, 3:] @ way, atol=1e-8)


def slide(estimator, q, joint, speed, way=0.07, arm=0.7):
    """A foot at the end of a leg of `arm` slides by some way [m, m/s] beside others; the last state, and all words."""
    model, words = estimator.model, []
    place, slid = model.joints[joint].q_index.start - 7, q[7:].copy()
    for _ in range(int(way / speed / 1e-3)):
        slid[place] += speed / arm * 1e-3
        found, _ = at_rest(estimator, q, joint_positions=slid.copy())
        words.append(str(estimator.status))
    return found, words


@pytest.mark.parametrize("speed", [0.05, 0.1, 0.2, 0.35, 0.7])
@pytest.mark.parametrize(("leg", "name", "other"), [("L", "l_sole", "r_sole"), ("R", "r_sole", "l_sole")])
def test_a_support_that_slides_is_named_and_does_not_move_the_estimate(leg, name, other, speed):
    model = ts.robots.hrp2()
    q = np.array(model.reference)
    estimator = BaseEstimator(model, SOLES)
    estimator.reset(q)
    at_rest(estimator, q, 300)
    found, words = slide(estimator, q, f"{leg}LEG_JOINT2", speed)
    assert words[-1] == f"stands on {other}; {name} slipped"
    assert not any(f"{other} slipped" in word for word in words)
    assert np.linalg.norm(found[:3] - q[:3]) < 5e-3
    assert np.linalg.norm(model.difference(q, found)[3:6]) < 5e-3


def test_a_support_that_has_come_to_rest_stands_again():
    model = ts.robots.hrp2()
    q = np.array(model.reference)
    estimator = BaseEstimator(model, SOLES)
    estimator.reset(q)
    at_rest(estimator, q, 300)
    slide(estimator, q, "LLEG_JOINT2", 0.1, way=0.02)
    moved = q.copy()
    moved[model.joints["LLEG_JOINT2"].q_index] += 0.02 / 0.7
    at_rest(estimator, q, 250, joint_positions=moved[7:])
    assert estimator.status.good and estimator.status.standing == SOLES


@pytest.mark.parametrize("speed", [0.01, 0.02])
def test_of_two_supports_one_that_slides_very_slowly_is_told_but_not_which(speed):
    model = ts.robots.hrp2()
    q = np.array(model.reference)
    estimator = BaseEstimator(model, SOLES)
    estimator.reset(q)
    at_rest(estimator, q, 300)
    _, words = slide(estimator, q, "LLEG_JOINT2", speed, way=0.01)
    assert any("distance of l_sole, r_sole has changed" in word for word in words)
    assert not any("slipped" in word for word in words)


@pytest.mark.parametrize("speed", [0.01, 0.1])
def test_of_four_supports_the_one_that_slides_is_told_by_the_others(speed):
    model = ts.robots.quadruped()
    q = np.array(model.reference)
    estimator = BaseEstimator(model, FEET)
    estimator.reset(q)
    at_rest(estimator, q, 300)
    found, words = slide(estimator, q, "fl_thigh", speed, way=0.02, arm=0.3)
    assert any("fl_foot slipped" in word for word in words)
    assert not any(f"{other} slipped" in word for word in words for other in FEET[1:])
    assert np.linalg.norm(found[:3] - q[:3]) < 5e-3


@pytest.mark.parametrize("by", [0.05, -0.02])
def test_an_encoder_that_jumps_is_named_and_the_jump_taken_off_until_it_jumps_back(by):
    model = ts.robots.hrp2()
    q = np.array(model.reference)
    estimator = BaseEstimator(model, SOLES)
    estimator.reset(q)
    at_rest(estimator, q, 100)
    jumped = q.copy()
    jumped[model.joints["LLEG_JOINT3"].q_index] += by
    found, _ = at_rest(estimator, q, 200, joint_positions=jumped[7:])
    assert f"LLEG_JOINT3: has jumped by {by:g}" in str(estimator.status)
    np.testing.assert_allclose(model.difference(q, found), 0.0, atol=1e-6)
    found, _ = at_rest(estimator, q, 10)
    assert estimator.status.good
    np.testing.assert_allclose(model.difference(q, found), 0.0, atol=1e-6)


def test_missing_readings_change_nothing_of_a_robot_at_rest():
    model = ts.robots.hrp2()
    q = np.array(model.reference)
    estimator = BaseEstimator(model, SOLES)
    estimator.reset(q)
    at_rest(estimator, q)
    for k in range(300):
        missing = {} if k % 5 == 0 else dict.fromkeys(("joint_positions", "joint_velocities"))
        missing |= {} if k % 3 == 0 else dict.fromkeys(("gyroscope", "accelerometer", "loads"))
        found, _ = at_rest(estimator, q, **missing)
    np.testing.assert_allclose(model.difference(q, found), 0.0, atol=1e-6)


def test_sensors_that_say_nothing_are_named():
    model = ts.robots.hrp2()
    q = np.array(model.reference)
    estimator = BaseEstimator(model, SOLES)
    assert "no reading" in str(estimator.status)
    estimator.reset(q)
    at_rest(estimator, q)
    at_rest(estimator, q, 150, gyroscope=None)
    assert "imu: gyroscope silent for 0.15 s" in str(estimator.status)
    at_rest(estimator, q, 150, joint_positions=None, joint_velocities=None)
    assert "encoder: silent for 0.15 s" in str(estimator.status)


def test_an_accelerometer_that_reads_nothing_while_feet_carry_the_robot_is_not_believed():
    """Both feet were told to have slipped, and the estimate was 10 m away after 1.5 s; in the air it falls."""
    model = ts.robots.hrp2()
    q = np.array(model.reference)
    estimator = BaseEstimator(model, SOLES)
    at_rest(estimator, q, 5, accelerometer=np.zeros(3))
    assert "accelerometer reads that of a fall" in str(estimator.status) and "no reading" in str(estimator.status)
    estimator.reset(q)
    at_rest(estimator, q, 100)
    found, v = at_rest(estimator, q, 1500, accelerometer=np.zeros(3))
    assert estimator.status.standing == SOLES and "imu" in estimator.status.rejected
    np.testing.assert_allclose(model.difference(q, found), 0.0, atol=1e-6)
    found, v = at_rest(estimator, q, 100, accelerometer=np.zeros(3), loads=np.full(2, np.nan))
    assert "accelerometer" not in str(estimator.status)
    np.testing.assert_allclose(v[:3], [0.0, 0.0, -0.981], atol=1e-3)
    at_rest(estimator, q, 1, loads=np.full(2, np.inf))
    assert "accelerometer" not in str(estimator.status)


def test_readings_too_large_to_compute_with_are_no_numbers():
    model = ts.robots.hrp2()
    q = np.array(model.reference)
    estimator = BaseEstimator(model, SOLES)
    estimator.reset(q)
    at_rest(estimator, q, 10)
    absurd, rates = q[7:].copy(), np.zeros(30)
    absurd[3], rates[5] = 1e300, -1e200
    with np.errstate(all="raise"):
        found, v = at_rest(estimator, q, 10, joint_positions=absurd, joint_velocities=rates)
    assert "RLEG_JOINT3: no number, or a jump" in str(estimator.status)
    np.testing.assert_allclose(model.difference(q, found), 0.0, atol=1e-6)
    np.testing.assert_allclose(v, 0.0, atol=1e-6)


def test_rates_are_filtered_differences_where_none_are_read():
    model = ts.robots.hrp2()
    q = np.array(model.reference)
    estimator = BaseEstimator(model, SOLES, rate_cutoff=100.0)
    estimator.reset(q)
    joints = q[7:].copy()
    for k in range(1, 101):
        joints = joints + 1e-3 * np.linspace(-1.0, 1.0, 30)
        _, v = at_rest(estimator, q, joint_positions=joints, joint_velocities=None)
        if k == 11:  # ten time constants of 0.01 s are not over yet: 1 - exp(-1) after the first difference
            np.testing.assert_allclose(v[6:], (1.0 - np.exp(-1.0)) * np.linspace(-1.0, 1.0, 30), atol=1e-9)
    np.testing.assert_allclose(v[6:], np.linspace(-1.0, 1.0, 30), atol=1e-4)


def test_supports_are_found_from_shapes():
    quadruped, hrp2 = ts.robots.quadruped(), ts.robots.hrp2()
    assert BaseEstimator(quadruped, FEET).supports[0] == Support(FEET[0], patch=False, radius=0.02)
    assert BaseEstimator(hrp2, SOLES).supports[1] == Support("r_sole", patch=True)
    told = BaseEstimator(hrp2, [Contact("l_hand")]).supports[0]
    assert told == Support("l_hand", patch=False)


def test_what_is_missing_or_wrong_is_named():
    model = ts.robots.hrp2()
    sensors = ts.sensors.proprioception(model, SOLES)
    encoder, imu, left, right = sensors

    def refused(text, *args, **options):
        with pytest.raises(TarsusError, match=text):
            BaseEstimator(*args, **options)

    refused("needs a free one", ts.robots.planar4())
    refused("no IMU among the sensors", model, sensors=[encoder, left, right])
    refused("2 units, 'imu', 'head'", model, sensors=[*sensors, IMU(frame="BODY", name="head")])
    refused("IMU 'imo' not found.*imu", model, sensors=sensors, imu="imo")
    refused("has no Encoder among the sensors", model, sensors=[imu, left, right])
    part = Encoder(joints=("LLEG_JOINT0",))
    refused("joint 'RLEG_JOINT0' has no Encoder", model, sensors=[part, imu, left, right])
    refused("nothing tells the load of 'r_sole'", model, SOLES, sensors=[encoder, imu, left])
    refused("contacts are not given", model, sensors=[encoder, imu])
    refused("frame 'l_sol' of contacts not found.*l_sole", model, ["l_sol"])
    refused("twice", model, ["l_sole", "l_sole"])
    refused("load_on is -1", model, SOLES, load_on=-1.0)
    refused("settle is nan", model, SOLES, settle=float("nan"))
    refused("gate is 0", model, SOLES, gate=0)
    refused("rate_cutoff is -3", model, SOLES, rate_cutoff=-3)
    refused("gyroscope_limit is nan", model, SOLES, gyroscope_limit=float("nan"))
    refused("loads is 'force'", model, SOLES, loads="force")
    refused("expected names of frames, Support or Contact", model, [3])
    with pytest.raises(TarsusError, match="patch with a radius"):
        Support("l_sole", radius=0.1)
    estimator = BaseEstimator(model, SOLES)
    with pytest.raises(TarsusError, match="update reads sensors"):
        estimator.update(None)
    with pytest.raises(TarsusError, match="joint_positions has shape"):
        estimator.step(1e-3, np.zeros(3), None, None, None, None)
    with pytest.raises(TarsusError, match="gyroscope has shape"):
        estimator.step(1e-3, None, None, np.zeros(2), None, None)
    with pytest.raises(TarsusError, match=r"loads has shape \(3,\), expected \(2,\)"):
        estimator.step(1e-3, None, None, None, None, np.zeros(3))
    with pytest.raises(TarsusError, match="dt is nan"):
        estimator.step(float("nan"), None, None, None, None, None)


def test_a_robot_of_a_batch_is_refused_by_name():
    model = ts.robots.quadruped()
    sensors = ts.sensors.proprioception(model, FEET)
    estimator = BaseEstimator(model, sensors=sensors)
    q = np.tile(model.reference, (2, 1))

    def law(observation):
        estimator.update(observation)
        return np.zeros((2, model.nv))

    with pytest.raises(TarsusError, match="one robot, not for a batch"):
        ts.simulate(model, q, duration=0.01, controller=law, sensors=sensors)


def test_the_same_readings_give_the_same_bits_after_a_reset():
    model = ts.robots.hrp2()
    q = np.array(model.reference)
    estimator = BaseEstimator(model, SOLES)
    rng = np.random.default_rng(0)
    readings = [(0.01 * rng.normal(size=3), UP + 0.1 * rng.normal(size=3)) for _ in range(50)]
    runs = []
    for _ in range(2):
        estimator.reset(q)
        runs.append([at_rest(estimator, q, gyroscope=w, accelerometer=f)[0] for w, f in readings])
    np.testing.assert_array_equal(*runs)
