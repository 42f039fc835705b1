"""What is completed in models before they walk."""

from dataclasses import replace

import numpy as np
import pytest
from walking.biped.altered import altered
from walking.biped.made_biped import made_biped

import tarsus as ts
from tarsus.errors import ArgumentError
from tarsus.walking import Biped, Walker


def without(names, **limits):
    """The made biped with other limits of joints whose names end so."""
    return altered(made_biped(), lambda joint: replace(joint, **limits) if joint.name.endswith(names) else joint)


def test_limits_of_zero_are_taken_for_none_and_told_with_the_joints():
    biped = Biped.of(without("_knee", tau_max=0.0))
    assert "limits of torque of 0 are taken for none: left_knee, right_knee" in biped.notes
    knees = [biped.model.joints[name].v_index.start for name in ("left_knee", "right_knee")]
    others = np.setdiff1d(np.arange(6, biped.model.nv), knees)
    assert np.isinf(biped.model.tau_max[knees]).all() and (biped.model.tau_max[others] == 200.0).all()
    slow = Biped.of(without(("_hip_yaw", "_knee"), v_max=0.0))
    assert "limits of speed of 0 are taken for none: left_hip_yaw, left_knee, right_hip_yaw, right_knee" in slow.notes


def test_robot_whose_exporter_wrote_no_torques_walks_as_one_without_limits():
    done = Walker(without(("_yaw", "_roll", "_pitch", "_knee"), tau_max=0.0)).walk(0.1, steps=1)
    free = Walker(without(("_yaw", "_roll", "_pitch", "_knee"), tau_max=np.inf)).walk(0.1, steps=1)
    assert done.passed, str(done)
    assert "limits of torque of 0 are taken for none: all joints" in str(done.biped)
    np.testing.assert_array_equal(done.trajectory.tau, free.trajectory.tau)


def test_joint_laws_take_limits_of_zero_at_their_word():
    model = without("_knee", tau_max=0.0)
    run = ts.simulate(model, duration=0.01, controller=ts.control.JointLaw(kp=100.0, kd=1.0, gravity=True))
    knees = [model.joints[name].v_index.start for name in ("left_knee", "right_knee")]
    assert (run.tau[:, knees] == 0.0).all() and np.abs(run.tau[-1]).max() > 0.0


@pytest.mark.parametrize("gravity", [(3.0, 0.0, -9.3), (0.0, 0.0, 9.81), (0.0, -9.81, 0.0)])
def test_gravity_that_does_not_point_downwards_is_refused(gravity):
    with pytest.raises(ArgumentError, match=r"gravity of 'made' is \[.*\]; expected it along -z"):
        Biped.of(altered(made_biped(), gravity=gravity))


def test_base_that_is_fixed_is_refused_with_what_frees_it(tmp_path):
    path = tmp_path / "made.urdf"
    ts.write_urdf(made_biped(), path)
    with pytest.raises(ArgumentError, match=r'has a fixed base; .* tarsus\.load\(file, base="free"\)'):
        Biped.of(ts.load(path))
