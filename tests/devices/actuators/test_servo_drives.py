"""The usual drives of a robot."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.devices.actuators import servo_drives
from tarsus.errors import ArgumentError


def test_all_joints_of_a_robot_with_torque_limits_have_a_drive_whose_current_makes_that_torque():
    model = ts.robots.hrp2()
    ((names, drive),) = servo_drives(model).items()
    assert set(names) == {name for name in model.joints if name != "base"}
    places = [model.joints[name].v_index.start for name in names]
    tau = model.tau_max[places]
    peak = drive.gear.ratio * drive.motor.torque_constant * drive.motor.current_max
    np.testing.assert_allclose(peak, tau, rtol=1e-12)
    np.testing.assert_allclose(drive.reflected_inertia, [model.joints[name].armature[0] for name in names], atol=1e-15)


def test_a_joint_at_rest_gets_its_torque_but_for_friction_and_losses_and_never_more_than_its_limit():
    model = ts.robots.lola()
    ((names, drive),) = servo_drives(model).items()
    n, dt = len(names), 1e-3
    tau = model.tau_max[[model.joints[name].v_index.start for name in names]]
    for share, least in ((0.5, 0.35), (3.0, 0.8)):
        x = drive.initial(np.zeros(n))
        for k in range(200):  # the teeth give way at first: turn slowly along
            step = drive.step(x, share * tau, 0.05 * k * dt * np.ones(n), 0.05 * np.ones(n), dt)
            x = step.x
        assert (step.tau <= min(share, 1.0) * tau + 1e-9).all()
        assert (step.tau >= least * tau).all()


def test_models_without_torque_limits_are_refused_by_name():
    b = ts.ModelBuilder("free arm").add_link("ground").add_link("arm", ts.Inertia.of_sphere(1.0, 0.1))
    b.add_joint("pivot", "revolute", "ground", "arm", axis=(0.0, 0.0, 1.0))
    with pytest.raises(ArgumentError, match="free arm"):
        servo_drives(b.build())
