"""Swept-sphere volumes that a model carries: through other models, pickles and recordings, and what is refused."""

import pickle

import numpy as np
import pytest
from sample_models import double_pendulum

import tarsus as ts
from tarsus.errors import ArgumentError, ModelError, UnknownNameError
from tarsus.geometry.swept_sphere import SweptSphere

POINT = SweptSphere([0.0, 0.1, 0.2], 0.3)
LINE = SweptSphere([[0.0, 0.0, 0.0], [0.0, 0.0, 0.4]], 0.05)
TRIANGLE = SweptSphere([[0.0, 0.0, 0.0], [0.3, 0.0, 0.0], [0.0, 0.2, 0.0]], 0.0)


def robot():
    return double_pendulum().build().with_volumes({"upper": LINE, "lower": [LINE, POINT], "elbow": (TRIANGLE,)})


def same(one, other):
    assert list(one) == list(other)
    for name in one:
        assert len(one[name]) == len(other[name])
        for a, b in zip(one[name], other[name], strict=True):
            np.testing.assert_array_equal(a.vertices, b.vertices)
            assert a.radius == b.radius
    return True


def test_volumes_are_a_read_only_mapping_by_frame():
    model = robot()
    assert model.volumes["upper"] == (LINE,)
    assert model.volumes["lower"] == (LINE, POINT)
    assert not double_pendulum().build().volumes
    with pytest.raises(TypeError):
        model.volumes["upper"] = ()
    with pytest.raises(UnknownNameError, match="volumes of frame 'uper' not found; close: 'upper'"):
        model.volumes["uper"]


def test_volumes_of_frames_without_any_are_left_out_and_all_are_replaced():
    assert list(robot().with_volumes({"upper": (), "lower": POINT}).volumes) == ["lower"]


def test_volumes_of_unknown_frames_are_told_with_close_names():
    with pytest.raises(UnknownNameError, match="volumes: frame 'loer' not found; close: 'lower'"):
        robot().with_volumes({"loer": POINT})
    builder = double_pendulum()
    builder.volumes = {"loer": POINT}
    with pytest.raises(ModelError, match="unknown frame 'loer'; close: 'lower'"):
        builder.build()


@pytest.mark.parametrize("wrong", [[POINT], {"upper": 3}, {"upper": [POINT, "x"]}, {"upper": None}])
def test_something_else_than_volumes_is_told(wrong):
    with pytest.raises(ArgumentError, match="volumes"):
        robot().with_volumes(wrong)


def test_volumes_too_large_to_compute_with_are_refused():
    with pytest.raises(ModelError, match="volume 0 of 'upper' has a number of size 1e\\+200"):
        robot().with_volumes({"upper": SweptSphere([0, 0, 0], 1e200)})


def test_volumes_stay_with_models_made_of_others():
    model = robot()
    for other in (
        model.locked(["elbow"]),
        model.with_reference(model.neutral()),
        model.with_payload("lower", ts.Inertia.of_sphere(1.0, 0.1)),
        model.with_frame("tip", "lower"),
        pickle.loads(pickle.dumps(model)),
    ):
        assert same(other.volumes, model.volumes)


def test_volumes_of_a_merged_robot_have_its_prefix():
    both = robot().merged(robot(), "lower", prefix="r_")
    assert list(both.volumes) == ["upper", "lower", "elbow", "r_upper", "r_lower", "r_elbow"]
    assert both.volumes["r_lower"] == (LINE, POINT)


def test_volumes_of_a_joint_called_base_follow_its_new_name():
    builder = ts.ModelBuilder().add_link("ground").add_link("arm", ts.Inertia.of_sphere(1.0, 0.1))
    builder.add_joint("base", "revolute", "ground", "arm")
    builder.volumes = {"base": POINT, "arm": LINE}
    assert list(builder.build().volumes) == ["base_", "arm"]


def test_volumes_survive_a_recording(tmp_path):
    model = robot()
    ts.save(ts.simulate(model, duration=0.01), tmp_path / "run.h5")
    assert same(ts.open_recording(tmp_path / "run.h5").model.volumes, model.volumes)
