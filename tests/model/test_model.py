"""The immutable model: mappings, copies, and motion on the manifold."""

import copy
import pickle

import numpy as np
import pytest
from sample_models import double_pendulum, pendulum, zoo

import tarsus as ts
from tarsus.errors import NonFiniteError, QuaternionNormError, ShapeError, UnknownNameError

ROUND_OFF = 1e-12
"""Exponential and logarithm of motions of order one."""


def test_mappings_are_ordered_and_read_only():
    model = double_pendulum().build()
    assert list(model.bodies) == ["ground", "upper", "lower"]
    assert list(model.joints) == ["base", "shoulder", "elbow"]
    assert len(model.frames) == 5
    with pytest.raises(TypeError):
        model.bodies["new"] = model.bodies["upper"]


@pytest.mark.parametrize(
    ("mapping", "name", "close"),
    [("bodies", "uper", "upper"), ("joints", "elbo", "elbow"), ("frames", "lowr", "lower")],
)
def test_unknown_names_are_told_with_close_ones(mapping, name, close):
    with pytest.raises(UnknownNameError, match=f"{name!r} not found; close: {close!r}"):
        getattr(double_pendulum().build(), mapping)[name]


def test_mappings_answer_like_dictionaries():
    joints = double_pendulum().build().joints
    assert "elbow" in joints
    assert "wrist" not in joints
    assert joints.get("wrist") is None
    assert [name for name, _ in joints.items()] == list(joints.keys())


def test_total_mass_counts_every_body():
    model = zoo().build()
    assert model.total_mass == pytest.approx(2.0 + sum(range(1, 10)))


@pytest.mark.parametrize("name", ["nq", "name", "gravity", "anything"])
def test_attributes_cannot_be_set_or_deleted(name):
    model = pendulum().build()
    with pytest.raises(AttributeError, match="immutable"):
        setattr(model, name, 3)
    with pytest.raises(AttributeError, match="immutable"):
        delattr(model, name)


def test_arrays_of_the_model_are_read_only():
    model = double_pendulum().build()
    for array in (model.q_min, model.q_max, model.v_max, model.tau_max, model.actuated, model.gravity, model.reference):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_arrays_of_the_parts_are_read_only():
    model = double_pendulum().add_frame("tip", "lower").build()
    joint, frame, body = model.joints["elbow"], model.frames["tip"], model.bodies["lower"]
    arrays = [
        joint.pose,
        joint.child_pose,
        joint.axis,
        joint.axis2,
        joint.q_min,
        joint.q_max,
        joint.v_max,
        joint.tau_max,
    ]
    arrays += [
        joint.damping,
        joint.armature,
        frame.pose,
        model.frames["lower"].pose,
        body.inertia.com,
        body.inertia.moments,
    ]
    assert [array.flags.writeable for array in arrays] == [False] * len(arrays)


def test_model_does_not_follow_later_changes_of_what_it_was_made_from():
    X = np.eye(4)
    builder = pendulum().add_frame("tip", "bob", X)
    model = builder.build()
    X[0, 3] = 5.0
    assert model.frames["tip"].pose[0, 3] == 0.0
    assert model.with_frame("other", "tip").frames["tip"].pose[0, 3] == 0.0


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_copies_compute_the_same(duplicate):
    model = zoo().add_coupling("prismatic_joint", "revolute_joint", 0.1).build()
    other = duplicate(model)
    q = model.random(np.random.default_rng(25), 3)
    assert (other.name, other.nq, other.nv) == (model.name, model.nq, model.nv)
    assert tuple(other.frames) == tuple(model.frames)
    np.testing.assert_array_equal(ts.mass_matrix(other, q), ts.mass_matrix(model, q))


def test_pickle_keeps_coupling_mode_warnings_and_reference():
    builder = double_pendulum().add_coupling("elbow", "shoulder").add_link("light")
    builder.add_joint("j", "revolute", "lower", "light")
    builder.reference = {"shoulder": 0.5}
    model = builder.build(couplings="cut")
    other = pickle.loads(pickle.dumps(model))
    assert other.coupling_mode == "cut"
    assert other.warnings == model.warnings != ()
    np.testing.assert_array_equal(other.reference, model.reference)


def test_pickle_keeps_the_warnings_of_a_file(tmp_path):
    path = tmp_path / "robot.urdf"
    visual = '<visual><geometry><mesh filename="gone.stl"/></geometry></visual>'
    path.write_text(f'<robot name="r"><link name="a">{visual}</link></robot>')
    with pytest.warns(ts.errors.ModelWarning):
        model = ts.load(path)
    assert model.warnings != ()
    assert pickle.loads(pickle.dumps(model)).warnings == model.warnings


def test_repr_says_what_it_is():
    assert repr(zoo().build()) == "<tarsus.Model 'zoo': free base, 10 bodies, nq 29, nv 26>"


def test_integrate_and_difference_are_inverse_to_each_other():
    model = zoo().build()
    rng = np.random.default_rng(26)
    q1, q2 = model.random(rng, 50), model.random(rng, 50)
    v = model.difference(q1, q2)
    np.testing.assert_allclose(model.difference(model.integrate(q1, v), q2), 0.0, atol=1e-9)
    v = rng.uniform(-1.0, 1.0, (50, model.nv))
    np.testing.assert_allclose(model.difference(q1, model.integrate(q1, v)), v, atol=1e-9)


def test_integrate_scales_with_time_of_any_batch_shape():
    model = zoo().build()
    rng = np.random.default_rng(27)
    q, v, dt = model.random(rng), rng.normal(size=model.nv), np.array([0.0, 0.1, 0.2])
    moved = model.integrate(q, v, dt)
    assert moved.shape == (3, model.nq)
    np.testing.assert_allclose(model.difference(q, moved), dt[:, None] * v, atol=ROUND_OFF)


def test_two_half_steps_are_one_step():
    model = zoo().build()
    rng = np.random.default_rng(28)
    q, v = model.random(rng), rng.normal(size=model.nv)
    halves = model.integrate(model.integrate(q, v, 0.5), v, 0.5)
    np.testing.assert_allclose(model.difference(halves, model.integrate(q, v)), 0.0, atol=ROUND_OFF)


def test_velocity_is_the_derivative_of_the_motion():
    model = zoo().build()
    rng = np.random.default_rng(29)
    q, v, h = model.random(rng), rng.normal(size=model.nv), 1e-6
    ahead, behind = (ts.frame_pose(model, model.integrate(q, v, s * h), "free")[:3, 3] for s in (1, -1))
    velocity = ts.frame_velocity(model, q, v, "free")
    np.testing.assert_allclose((ahead - behind) / (2 * h), velocity[:3], atol=1e-7)  # h^2 and rounding / h


def test_normalize_changes_quaternions_only():
    model = zoo().build()
    q = model.random(np.random.default_rng(30))
    scaled = q.copy()
    index = model.joints["spherical_joint"].q_index
    scaled[index] *= 1.0005
    np.testing.assert_allclose(model.normalize(scaled), q, atol=1e-15)


def test_quaternion_far_from_unit_norm_is_refused():
    model = zoo().build()
    q = model.neutral()
    q[model.joints["spherical_joint"].q_index] *= 1.01
    for call in (lambda q: model.integrate(q, np.zeros(model.nv)), lambda q: model.difference(q, q)):
        with pytest.raises(QuaternionNormError):
            call(q)


def test_normalize_takes_quaternions_of_any_norm_but_zero():
    model = zoo().build()
    index = model.joints["spherical_joint"].q_index
    unit = model.random(np.random.default_rng(3))
    scaled = unit.copy()
    scaled[index] *= 3.7
    np.testing.assert_allclose(model.normalize(scaled), unit, rtol=0.0, atol=1e-15)
    scaled[index] = 0.0
    with pytest.raises(QuaternionNormError):
        model.normalize(scaled)


def test_wrong_shapes_and_numbers_are_refused():
    model = double_pendulum().build()
    with pytest.raises(ShapeError, match="q"):
        model.integrate(np.zeros(3), np.zeros(2))
    with pytest.raises(ShapeError, match="v"):
        model.integrate(np.zeros(2), np.zeros(3))
    with pytest.raises(NonFiniteError):
        model.difference(np.zeros(2), [0.0, np.nan])
    with pytest.raises(NonFiniteError):
        model.integrate(np.zeros(2), np.zeros(2), np.nan)


def test_step_of_another_batch_shape_is_refused():
    with pytest.raises(ShapeError):
        double_pendulum().build().integrate(np.zeros((3, 2)), np.zeros((3, 2)), np.zeros(4))
