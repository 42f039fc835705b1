"""Limits of joints as bounds of velocities: closed forms, and motions that never leave or contradict them."""

import numpy as np
import pytest
from planar_arm import arm
from robot_data import robot_data_path

import tarsus as ts
from tarsus.errors import ArgumentError, ShapeError
from tarsus.ik.velocity.joint_limits import flat_coordinates, follower_limits, viable_speed

DT = 0.01
ROUNDING = 1e-12


def braking_distance(speed, a, dt):
    """Way of Euler steps that slow down by a dt each, the first one at `speed`."""
    way = 0.0
    while speed > 0:
        way += speed * dt
        speed -= a * dt
    return way


@pytest.mark.parametrize("way", [1e-6, 1e-4, 3e-4, 4.999e-4, 5e-4, 1.5e-3, 1.500001e-3, 0.02, 0.7])
def test_viable_speed_is_the_largest_from_which_steps_stop_in_time(way):
    a = 5.0
    speed = float(viable_speed(np.array(way), np.array(a), DT))
    assert braking_distance(speed, a, DT) <= way * (1 + ROUNDING)
    assert braking_distance(speed * (1 + 1e-9) + 1e-12, a, DT) > way


def test_viable_speed_tends_to_the_square_root_law_and_is_the_whole_way_in_the_last_step():
    assert viable_speed(np.array(0.3), np.array(4.0), 1e-6) == pytest.approx(np.sqrt(2 * 4.0 * 0.3), rel=1e-5)
    assert viable_speed(np.array(0.3), np.array(np.inf), DT) == 0.3 / DT
    assert viable_speed(np.array(0.3), np.array(np.inf), DT, 0.5) == 0.15 / DT
    assert viable_speed(np.array(np.inf), np.array(4.0), DT) == np.inf
    assert viable_speed(np.array(-0.1), np.array(4.0), DT) == pytest.approx(-0.1 / DT)


def separate_bounds(model, limits, q, v, dt):
    """Intervals of acceleration, velocity and position, each by itself."""
    a, v_max = limits.accelerations(model), limits.speeds(model)
    up = viable_speed(model.q_max - q, a, dt)
    down = -viable_speed(q - model.q_min, a, dt)
    return (v - a * dt, v + a * dt), (-v_max, v_max), (down, up)


def test_bounds_never_contradict_each_other_on_any_way_through_them():
    model = ts.robots.crops9()
    limits = ts.ik.Limits(velocity=1.5, acceleration=np.linspace(2.0, 20.0, model.nv))
    rng = np.random.default_rng(0)
    q = np.broadcast_to(model.reference, (200, model.nq)).copy()
    v = np.zeros((200, model.nv))
    touched = 0
    for k in range(400):
        low, high = limits.bounds(model, q, DT, v)
        for below, above in separate_bounds(model, limits, q, v, DT):
            room = ROUNDING * (1 + np.abs(q) / DT)
            assert (low >= below - room).all()
            assert (high <= above + room).all()
        assert (low <= high + ROUNDING).all()
        push = rng.uniform(size=v.shape)
        ends = rng.uniform(size=v.shape) < 0.7  # mostly as far as bounds allow
        v = np.where(
            ends, np.where((k // 120 + np.arange(200)[:, None]) % 2 == 0, high, low), low + push * (high - low)
        )
        q = model.integrate(q, v, DT)
        assert (q >= model.q_min - ROUNDING).all()
        assert (q <= model.q_max + ROUNDING).all()
        touched += int((q > model.q_max - 1e-9).sum())
    assert touched > 100


def test_joints_beyond_a_limit_come_back_as_fast_as_velocity_and_acceleration_allow():
    model = arm(limits=(-1.0, 1.0))
    limits = ts.ik.Limits(velocity=2.0, acceleration=10.0)
    q, v = np.array([1.5, -1.2]), np.array([0.5, 0.0])
    for _ in range(100):
        low, high = limits.bounds(model, q, DT, v)
        assert (low <= high).all()
        assert (np.abs(np.stack([low, high]) - v) <= 10.0 * DT + ROUNDING).all()
        v = np.clip(0.0, low, high)
        q = model.integrate(q, v, DT)
    assert (q >= model.q_min - ROUNDING).all()
    assert (q <= model.q_max + ROUNDING).all()


def test_free_planar_and_ball_joints_have_velocities_but_no_positions_to_limit():
    builder = ts.ModelBuilder("ball", base="free")
    builder.add_link("base", inertia=ts.Inertia(1.0, [0, 0, 0], np.eye(3)))
    builder.add_link("tip", inertia=ts.Inertia(1.0, [0, 0, 0.2], np.eye(3)))
    builder.add_joint("ball", "spherical", "base", "tip", v_max=3.0)
    model = builder.build()
    low, high = ts.ik.Limits().bounds(model, model.neutral(), DT, None)
    assert np.isinf(low[:6]).all()
    assert np.array_equal(high[6:], [3.0, 3.0, 3.0])
    assert np.array_equal(low, -high)
    assert len(flat_coordinates(model).q) == 0


def polynomial_pair(tmp_path):
    """A joint that follows the square of another one, with a narrower range of its own."""
    path = tmp_path / "pair.xml"
    path.write_text(
        """<mujoco><compiler angle="radian"/><worldbody>
        <body name="a"><joint name="a" axis="0 0 1" range="-2 2" limited="true"/><geom size=".1" mass="1"/>
          <body name="b" pos="1 0 0"><joint name="b" axis="0 0 1" range="-0.1 0.5" limited="true"/>
            <geom size=".1" mass="1"/><site name="tool" pos="0.5 0 0"/></body></body>
        </worldbody><equality><joint joint1="b" joint2="a" polycoef="0 0.2 0.3 0 0"/></equality></mujoco>"""
    )
    return ts.load(str(path))


def test_limits_of_joints_that_follow_others_hold_on_the_way(tmp_path):
    model = polynomial_pair(tmp_path)
    table = follower_limits(model)
    assert table.names == ["b"]
    q, limits = np.array([0.1]), ts.ik.Limits(velocity=False)
    task = ts.tasks.Posture([1.9], gain=20.0)
    for _ in range(200):
        answer = ts.ik.velocity(model, task, q, limits=limits, dt=1e-3)
        q = model.integrate(q, answer.v, 1e-3)
    follower = model.joint_positions(q)[table.q[0]]
    free = (-0.2 + np.sqrt(0.04 + 4 * 0.3 * 0.5)) / 0.6  # 0.2 a + 0.3 a^2 = 0.5
    assert q[0] == pytest.approx(free, abs=1e-5)
    assert 0.5 - 1e-5 < follower <= 0.5 + 1e-5  # a step is exact to first order, about (v dt)^2
    assert "'b', which follows others" in answer.reason


def test_mimic_joints_keep_their_limits_through_those_of_their_leaders():
    model = ts.load(str(robot_data_path("panda_description/urdf/panda.urdf")))
    q = model.reference.copy()
    task = ts.tasks.Posture(np.full(model.nq, 9.0), gain=50.0)
    for _ in range(200):
        q = model.integrate(q, ts.ik.velocity(model, task, q, limits=True, dt=DT).v, DT)
    every = model.joint_positions(q)
    low, high = (
        np.concatenate([getattr(joint, name) for joint in model.joints.values()]) for name in ("q_min", "q_max")
    )
    assert (every >= low - 1e-9).all()
    assert (every <= high + 1e-9).all()
    assert np.allclose(q, model.q_max, atol=1e-6)


@pytest.mark.parametrize(
    ("options", "error", "told"),
    [
        ({"share": 0.0}, ArgumentError, "share"),
        ({"share": 0.5, "acceleration": 1.0}, ArgumentError, "share"),
        ({"velocity": -1.0}, ArgumentError, "velocity of Limits"),
        ({"acceleration": [1.0, 0.0]}, ArgumentError, "acceleration of Limits"),
        ({"acceleration": np.nan}, ArgumentError, "acceleration of Limits"),
    ],
)
def test_limits_that_are_none_are_refused_by_name(options, error, told):
    with pytest.raises(error, match=told):
        ts.ik.Limits(**options)


def test_what_limits_need_is_asked_for_by_name():
    model = arm()
    task = ts.tasks.Posture([0.5, 0.5])
    with pytest.raises(ArgumentError, match="dt is missing"):
        ts.ik.velocity(model, task, [0.0, 0.0], limits=True)
    with pytest.raises(ArgumentError, match="v_previous is missing"):
        ts.ik.velocity(model, task, [0.0, 0.0], limits=ts.ik.Limits(acceleration=1.0), dt=DT)
    with pytest.raises(ShapeError, match="velocity of Limits"):
        ts.ik.velocity(model, task, [0.0, 0.0], limits=ts.ik.Limits(velocity=[1.0] * 3), dt=DT)
    with pytest.raises(ArgumentError, match="limits is 3"):
        ts.ik.velocity(model, task, [0.0, 0.0], limits=3, dt=DT)
