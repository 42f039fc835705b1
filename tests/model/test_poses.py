"""Reference poses and poses by name: of bases, of joints with several coordinates, and through other models."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.errors import ModelError, UnknownNameError

TURN = (np.cos(0.2), 0.0, np.sin(0.2), 0.0)


def builder(base="free", rotation="quaternion"):
    b = ts.ModelBuilder("robot", base=base, rotation=rotation).add_link("body", ts.Inertia.of_sphere(1.0, 0.1))
    for name in ("ball", "arm"):
        b.add_link(name, ts.Inertia.of_sphere(1.0, 0.1))
    b.add_joint("shoulder", "spherical", "body", "ball")
    b.add_joint("elbow", "revolute", "ball", "arm", axis=(0, 1, 0), position=(0, 0, 0.5))
    b.reference = {"base.x": 0.1, "base.z": 0.8, "base.rotation": TURN, "shoulder": (2.0, 0.0, 0.0, 0.0), "elbow": 0.3}
    b.poses = {"home": {"elbow": 0.5}, "lying": {"base.z": 0.1, "base.rotation": (0.0, 1.0, 0.0, 0.0), "elbow": 0.0}}
    return b


def test_a_pose_places_base_and_joints():
    model = builder().build()
    np.testing.assert_allclose(model.reference, [0.1, 0, 0.8, *TURN, 1, 0, 0, 0, 0.3], atol=1e-15)
    np.testing.assert_allclose(model.poses["home"], [0.1, 0, 0.8, *TURN, 1, 0, 0, 0, 0.5], atol=1e-15)
    np.testing.assert_allclose(model.poses["lying"], [0.1, 0, 0.1, 0, 1, 0, 0, 1, 0, 0, 0, 0], atol=1e-15)
    assert list(model.poses) == ["home", "lying"] and not model.poses["home"].flags.writeable
    with pytest.raises(UnknownNameError, match="pose 'hom' not found.*home"):
        model.poses["hom"]


@pytest.mark.parametrize("rotation", ["zyx", "rotation-vector", "quaternion"])
def test_a_turned_base_is_the_same_whatever_its_coordinates(rotation):
    model, plain = builder(rotation=rotation).build(), builder().build()
    for pose in ("home", "lying"):
        X, expected = (ts.frame_pose(m, m.poses[pose], "arm") for m in (model, plain))
        np.testing.assert_allclose(X, expected, atol=1e-12)


def test_a_planar_base_takes_the_pitch_of_a_rotation():
    model = builder(base="planar").build()
    np.testing.assert_allclose(model.reference[:3], [0.1, 0.8, 0.4], atol=1e-15)


def test_poses_stay_with_models_made_of_others():
    model = builder().build()
    locked = model.locked({"elbow": 0.2})
    np.testing.assert_allclose(locked.poses["lying"], model.poses["lying"][:-1], atol=1e-15)
    table = ts.ModelBuilder("table").add_link("table").build()
    both = table.merged(model, "table", prefix="r_")
    np.testing.assert_allclose(both.reference, model.reference, atol=1e-15)
    np.testing.assert_allclose(both.poses["r_lying"], model.poses["lying"], atol=1e-15)


def test_wrong_poses_are_told():
    for pose, message in (
        ({"shoulder": 0.5}, "the reference pose of 'shoulder' has 1 numbers; expected 4"),
        ({"elbow": (0.1, 0.2)}, "the reference pose of 'elbow' has 2 numbers; expected 1"),
        ({"elbow": np.nan}, "the reference pose of 'elbow' is not finite"),
        ({"elbow": "up"}, "the reference pose of 'elbow' is 'up'; expected numbers"),
        ({"elbov": 0.1}, "names the unknown joint 'elbov'.*elbow"),
    ):
        b = builder()
        b.reference = pose
        with pytest.raises(ModelError, match=message):
            b.build()


def test_poses_survive_a_recording(tmp_path):
    model = builder().build()
    ts.save(ts.simulate(model, duration=0.01), tmp_path / "run.h5")
    back = ts.open_recording(tmp_path / "run.h5").model
    np.testing.assert_array_equal(back.reference, model.reference)
    np.testing.assert_array_equal(back.poses["lying"], model.poses["lying"])
