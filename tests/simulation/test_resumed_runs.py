"""Runs that go on where others ended: what they carry over, and what they refuse to go on with."""

import numpy as np
import pytest
from robot_data import robot_data_path

import tarsus as ts
from tarsus.constraints import Lock, Rod
from tarsus.contact import Compliant, ContactPoint, Rigid, flat
from tarsus.devices.sensors import IMU, ErrorModel
from tarsus.errors import ArgumentError, SimulationWarning
from tarsus.simulation import Spring

INTEGRATED = 1e-6
"""[rad]; adaptive steps to 1e-8 begin anew where a run is resumed."""


def two_links() -> ts.Model:
    """An arm of two links that turn about y."""
    builder = ts.ModelBuilder("arm").add_link("ground")
    for name in ("upper", "fore"):
        builder.add_link(name, ts.Inertia.of_box(1.0, (0.4, 0.06, 0.06), com=(0.2, 0, 0)))
    builder.add_joint("shoulder", "revolute", "ground", "upper", axis=(0, 1, 0))
    builder.add_joint("elbow", "revolute", "upper", "fore", axis=(0, 1, 0), position=(0.4, 0, 0))
    return builder.build().with_frame("hand", "fore", ts.pose((0.4, 0, 0)))


LOCKING = {
    "dormand-prince": {"integrator": "dormand-prince"},
    "event-driven": {"ground": flat(Rigid(0.5), height=-5.0), "contacts": [ContactPoint("hand", "hand")]},
}


@pytest.mark.parametrize("method", LOCKING)
def test_a_lock_that_engaged_stays_engaged_when_a_run_is_resumed(method):
    model = two_links()
    options = {**LOCKING[method], "constraints": [Lock.of_joint(model, "elbow", 0.3, direction=-1)]}
    whole = ts.simulate(model, [-0.4, 0.8], [1.0, -2.0], duration=0.8, **options)
    first = ts.simulate(model, [-0.4, 0.8], [1.0, -2.0], duration=0.4, resumable=True, **options)
    second = ts.simulate(model, resume=first, duration=0.4, **options)
    assert first.signals["lock_engaged"][0] == 0 and first.signals["lock_engaged"][-1] == 1
    np.testing.assert_allclose(second.q[-1], whole.q[-1], atol=INTEGRATED)
    assert second.q[-1, 1] == pytest.approx(0.3, abs=INTEGRATED) and second.metadata["events"] == []


def test_a_lock_that_was_released_stays_released_when_a_run_is_resumed():
    model = two_links()
    lock = Lock.of_joint(model, "elbow", 0.8, engaged=True, direction=1, release=lambda t, q, v: t - 0.1)
    options = {"integrator": "dormand-prince", "constraints": [lock]}
    whole = ts.simulate(model, [-0.4, 0.8], [1.0, 0.0], duration=0.4, **options)
    first = ts.simulate(model, [-0.4, 0.8], [1.0, 0.0], duration=0.2, resumable=True, **options)
    second = ts.simulate(model, resume=first, duration=0.2, **options)
    assert abs(first.q[-1, 1] - 0.8) > 1e-3
    np.testing.assert_allclose(second.q[-1], whole.q[-1], atol=INTEGRATED)


def test_a_trajectory_that_does_not_tell_of_a_lock_is_not_resumed_with_one():
    model = two_links()
    first = ts.simulate(model, [-0.4, 0.8], duration=0.1, integrator="dormand-prince", resumable=True)
    lock = Lock.of_joint(model, "elbow", 0.3, direction=-1)
    with pytest.raises(ArgumentError, match="elbow"):
        ts.simulate(model, resume=first, duration=0.1, integrator="dormand-prince", constraints=[lock])


BALL = ts.ModelBuilder("ball", base="free").add_link("ball", ts.Inertia.of_sphere(1.0, 0.1)).build()
HEAVY = ts.ModelBuilder("ball", base="free").add_link("ball", ts.Inertia.of_sphere(50.0, 0.1)).build()
SKIN = [ContactPoint("skin", "ball", radius=0.1)]
CORD = Spring("world", "ball", stiffness=100.0)
HANGING = [Rod("world", "ball", 0.1)]
LIMITED = {high: ts.ModelBuilder("arm").add_link("base").add_link("arm", ts.Inertia.of_box(1.5, (1.0, 0.1, 0.1)))
           .add_joint("swing", "revolute", "base", "arm", axis=(0, 1, 0), q_min=-0.5, q_max=high).build()
           for high in (0.5, 0.6)}  # fmt: skip


@pytest.mark.parametrize(
    ("words", "model", "other"),
    [
        ("'ball' with a mass of 1 kg, here 50 kg", HEAVY, {"ground": flat(), "contacts": SKIN}),
        ("the ground has another law", BALL, {"ground": flat(height=0.05), "contacts": SKIN}),
        ("the ground has another law", BALL, {"ground": flat(Compliant(damping=10.0)), "contacts": SKIN}),
        ("places of contacts differ", BALL, {"ground": flat(), "contacts": [ContactPoint("skin", "ball", radius=0.2)]}),
        ("springs differ", BALL, {"ground": flat(), "contacts": SKIN, "springs": [CORD]}),
        ("stops is True there, here False", BALL, {"ground": flat(), "contacts": SKIN, "stops": False}),
        (
            "constraints differ",
            BALL,
            {"ground": flat(), "contacts": SKIN, "constraints": HANGING, "project_start": True},
        ),
    ],
)
def test_what_a_motion_depends_on_cannot_change_where_it_is_resumed(words, model, other):
    """A ball at rest on its ground; on one 5 cm higher it was thrown by 250 J, without a word."""
    start = [0, 0, 0.1, 1, 0, 0, 0]
    first = ts.simulate(BALL, start, duration=0.02, resumable=True, ground=flat(), contacts=SKIN)
    with pytest.raises(ArgumentError, match=words):
        ts.simulate(model, resume=first, duration=0.02, **other)
    again = ts.simulate(BALL, resume=first, duration=0.04, dt=2e-3, ground=flat(), contacts=SKIN)
    assert again.time[-1] == pytest.approx(0.06)


def test_limits_of_joints_cannot_change_where_a_run_is_resumed():
    first = ts.simulate(LIMITED[0.5], duration=0.02, resumable=True)
    with pytest.raises(ArgumentError, match="other values of upper limits of joints"):
        ts.simulate(LIMITED[0.6], resume=first, duration=0.02)


@pytest.mark.parametrize("meshes", [False, True])
def test_a_recording_goes_on_with_its_own_model_and_with_the_robot(tmp_path, meshes):
    robot = ts.robots.hrp2()
    if meshes:
        robot = ts.load(robot_data_path("solo_description/robots/solo12.urdf"), base="free")
    path = tmp_path / "run.h5"
    start = ts.contact.on_ground(robot, None, flat())
    ts.simulate(robot, start, duration=0.004, ground=flat(), resumable=True, record=path)
    first = ts.open_recording(path)
    for model in (robot, first.model):
        assert ts.simulate(model, resume=first, ground=flat(), duration=0.002).finished


def test_a_resumed_run_with_sensors_says_that_they_begin_anew():
    sensor = IMU(frame="ball", gyroscope=ErrorModel(noise=0.1))
    first = ts.simulate(BALL, duration=0.01, resumable=True, sensors=[sensor])
    with pytest.warns(SimulationWarning, match="sensors begin anew where a run is resumed"):
        ts.simulate(BALL, resume=first, duration=0.01, sensors=[sensor])
