"""Layouts of q, limits, sampling and the reference pose."""

import numpy as np
import pytest
from sample_models import BRICK, double_pendulum, pendulum, zoo

import tarsus as ts
from tarsus.errors import ModelError, ShapeError

ROUND_OFF = 1e-12
"""Conversions between parametrisations and dynamics of two bodies."""
PARAMETRISATIONS = (
    "rotation-matrix",
    "axis-angle",
    "rotation-vector",
    "rodrigues",
    "xyz",
    "zyx",
    "zxz",
    "roll-pitch-yaw",
)


def test_configuration_of_a_free_base_starts_with_position_and_quaternion_scalar_first():
    model = pendulum(base="free").build()
    q = model.neutral()
    np.testing.assert_array_equal(q, [0, 0, 0, 1, 0, 0, 0, 0])
    c, s = np.cos(0.3), np.sin(0.3)
    X = ts.frame_pose(model, [1.0, 2.0, 3.0, c, 0.0, 0.0, s, 0.0], "ground")
    np.testing.assert_allclose(X, ts.pose((1.0, 2.0, 3.0), ts.spatial.rotation_z(0.6)), atol=1e-15)


def test_velocity_of_a_free_base_is_linear_first_in_its_own_axes():
    model = pendulum(base="free").build()
    q = model.random(np.random.default_rng(1))
    v = np.arange(1.0, 8.0)
    np.testing.assert_allclose(ts.frame_velocity(model, q, v, "ground", "local"), v[:6], atol=ROUND_OFF)


def test_neutral_has_unit_quaternions_and_zeros():
    model = zoo().build()
    q = model.neutral()
    for joint in model.joints.values():
        expected = np.zeros(joint.nq)
        if joint.kind in ("spherical", "free"):
            expected[joint.nq - 4] = 1.0
        np.testing.assert_array_equal(q[joint.q_index], expected)


@pytest.mark.parametrize("rotation", PARAMETRISATIONS)
def test_rotation_changes_nq_and_never_v(rotation):
    plain, other = pendulum(base="free").build(), pendulum(base="free", rotation=rotation).build()
    size = ts.spatial.parametrisation(rotation).size
    assert (other.nq, other.nv) == (plain.nq - 4 + size, plain.nv)
    assert other.q_min.shape == other.q_max.shape == other.neutral().shape == (other.nq,)


@pytest.mark.parametrize("rotation", PARAMETRISATIONS)
def test_results_are_the_same_in_every_parametrisation(rotation):
    rng = np.random.default_rng(17)
    plain, other = pendulum(base="free").build(), pendulum(base="free", rotation=rotation).build()
    q = plain.random(rng, 20)
    R = ts.spatial.rotation_matrix_from_quaternion(q[:, 3:7])
    q_other = np.concatenate([q[:, :3], ts.spatial.parametrisation(rotation).parameters(R), q[:, 7:]], axis=-1)
    v, vdot = rng.normal(size=(20, plain.nv)), rng.normal(size=(20, plain.nv))
    np.testing.assert_allclose(ts.body_poses(other, q_other), ts.body_poses(plain, q), atol=ROUND_OFF)
    expected = ts.inverse_dynamics(plain, q, v, vdot)
    np.testing.assert_allclose(ts.inverse_dynamics(other, q_other, v, vdot), expected, atol=1e-10)
    np.testing.assert_allclose(other.difference(q_other[1:], q_other[:-1]), plain.difference(q[1:], q[:-1]), atol=1e-10)


@pytest.mark.parametrize("rotation", PARAMETRISATIONS)
def test_random_and_integrate_stay_in_the_layout(rotation):
    model = pendulum(base="free", rotation=rotation).build()
    q = model.random(np.random.default_rng(18), 7)
    assert q.shape == (7, model.nq)
    moved = model.integrate(q, np.full(model.nv, 0.2), 0.5)
    assert moved.shape == q.shape
    np.testing.assert_allclose(model.difference(q, moved), np.full((7, model.nv), 0.1), atol=1e-9)


def test_wrong_length_in_another_parametrisation_names_the_right_one():
    model = pendulum(base="free", rotation="xyz").build()
    with pytest.raises(ShapeError, match=r"7"):
        ts.center_of_mass(model, np.zeros(8))


def test_random_is_inside_the_limits_and_fills_them():
    model = double_pendulum().build()
    q = model.random(np.random.default_rng(19), 4000)
    assert (q >= model.q_min).all()
    assert (q <= model.q_max).all()
    span = model.q_max - model.q_min
    assert (q.min(axis=0) < model.q_min + 0.01 * span).all()
    assert (q.max(axis=0) > model.q_max - 0.01 * span).all()


@pytest.mark.parametrize(
    ("q_min", "q_max", "low", "high"),
    [
        (-np.inf, np.inf, -np.pi, np.pi),
        (1.0, np.inf, 1.0, 1.0 + 2 * np.pi),
        (-np.inf, -1.0, -1.0 - 2 * np.pi, -1.0),
        (0.5, 0.5, 0.5, 0.5),
    ],
)
def test_random_without_limits_spans_one_turn(q_min, q_max, low, high):
    builder = ts.ModelBuilder().add_link("a", BRICK).add_link("b", BRICK)
    model = builder.add_joint("j", "revolute", "a", "b", q_min=q_min, q_max=q_max).build()
    q = model.random(np.random.default_rng(20), 2000)
    assert q.min() >= low
    assert q.max() <= high
    assert q.max() - q.min() >= 0.98 * (high - low)


def test_random_base_is_in_a_cube_of_two_metres_with_uniform_rotation():
    model = pendulum(base="free").build()
    q = model.random(np.random.default_rng(21), 20_000)
    assert np.abs(q[:, :3]).max() <= 1.0
    assert np.abs(q[:, :3]).max(axis=0).min() > 0.99
    np.testing.assert_allclose(np.linalg.norm(q[:, 3:7], axis=1), 1.0, atol=1e-12)
    # the mean of a uniform rotation matrix is zero; 20,000 samples leave 0.004 a standard deviation
    R = ts.spatial.rotation_matrix_from_quaternion(q[:, 3:7])
    assert np.abs(R.mean(axis=0)).max() < 0.025


def test_random_respects_limits_of_a_planar_joint():
    builder = ts.ModelBuilder().add_link("a", BRICK).add_link("b", BRICK)
    model = builder.add_joint("j", "planar", "a", "b", q_min=(2.0, 3.0, 0.1), q_max=(2.5, 3.5, 0.2)).build()
    q = model.random(np.random.default_rng(22), 100)
    assert ((q >= model.q_min) & (q <= model.q_max)).all()


def test_random_follows_the_generator():
    model = zoo().build()
    first, second = (model.random(np.random.default_rng(23), (2, 3)) for _ in range(2))
    np.testing.assert_array_equal(first, second)
    assert first.shape == (2, 3, model.nq)
    assert not np.array_equal(first, model.random(np.random.default_rng(24), (2, 3)))


def test_empty_batches_of_random_configurations():
    assert zoo().build().random(np.random.default_rng(0), 0).shape == (0, zoo().build().nq)


def test_reference_pose_is_neutral_unless_given():
    model = zoo().build()
    np.testing.assert_array_equal(model.reference, model.neutral())


def test_reference_pose_takes_joints_and_base_coordinates():
    builder = double_pendulum(base="free")
    builder.reference = {"base.z": 0.8, "elbow": -0.4}
    np.testing.assert_array_equal(builder.build().reference, [0, 0, 0.8, 1, 0, 0, 0, 0, -0.4])
    builder = double_pendulum(base="planar")
    builder.reference = {"base.z": 0.8, "base.pitch": 0.1, "shoulder": 0.2}
    np.testing.assert_array_equal(builder.build().reference, [0, 0.8, 0.1, 0.2, 0])


def test_reference_pose_of_an_unknown_joint_is_refused():
    builder = double_pendulum()
    builder.reference = {"wrist": 0.1}
    with pytest.raises(ModelError, match="'wrist'"):
        builder.build()


def test_reference_pose_must_be_finite():
    builder = double_pendulum()
    builder.reference = {"elbow": float("nan")}
    with pytest.raises(ModelError, match="'elbow'"):
        builder.build()


def test_reference_pose_of_a_follower_does_no_harm_in_any_mode():
    builder = double_pendulum().add_coupling("elbow", "shoulder")
    builder.reference = {"shoulder": 0.4, "elbow": 0.4}
    assert [builder.build(couplings=mode).reference[0] for mode in ("reduce", "cut", "lock")] == [0.4] * 3


def test_random_is_finite_with_enormous_limits():
    builder = ts.ModelBuilder().add_link("a", BRICK).add_link("b", BRICK)
    model = builder.add_joint("j", "prismatic", "a", "b", q_min=-1e308, q_max=1e308).build()
    assert np.isfinite(model.random(np.random.default_rng(25), 100)).all()
