"""New models from old ones."""

import numpy as np
import pytest
from sample_models import BRICK, MOVING_KINDS, double_pendulum, pendulum, random_pose, zoo

import tarsus as ts
from tarsus.errors import ArgumentError, ModelError, ShapeError, UnknownNameError

ROUND_OFF = 1e-12
"""Poses through ten joints."""
DYNAMICS_ROUND_OFF = 1e-9
"""Forces of up to a thousand newton in another order of summation."""


@pytest.mark.parametrize("kind", MOVING_KINDS)
def test_locked_joint_keeps_its_position_and_loses_its_coordinates(kind):
    model = zoo().build()
    rng = np.random.default_rng(12)
    q, name = model.random(rng), f"{kind}_joint"
    locked = model.locked({name: q[model.joints[name].q_index]})
    assert locked.nv == model.nv - model.joints[name].nv
    reduced = np.delete(q, np.arange(model.nq)[model.joints[name].q_index])
    for body in model.bodies:
        np.testing.assert_allclose(ts.frame_pose(locked, reduced, body), ts.frame_pose(model, q, body), atol=ROUND_OFF)
    v = rng.normal(size=locked.nv)
    full = np.insert(v, [model.joints[name].v_index.start] * model.joints[name].nv, 0.0)
    keep = np.delete(np.arange(model.nv), np.arange(model.nv)[model.joints[name].v_index])
    expected = ts.inverse_dynamics(model, q, full, full)[keep]
    np.testing.assert_allclose(ts.inverse_dynamics(locked, reduced, v, v), expected, atol=DYNAMICS_ROUND_OFF)


def test_list_of_names_locks_at_zero():
    model = zoo().build()
    locked = model.locked([f"{kind}_joint" for kind in MOVING_KINDS])
    assert locked.nv == 6
    expected = ts.frame_pose(model, model.neutral(), "free")
    np.testing.assert_allclose(ts.frame_pose(locked, locked.neutral(), "free"), expected, atol=ROUND_OFF)


def test_locking_needs_the_right_number_of_coordinates():
    with pytest.raises(ShapeError, match="takes 2 coordinates, not 3"):
        zoo().build().locked({"universal_joint": [0.1, 0.2, 0.3]})


def test_unknown_joint_is_named_with_close_ones():
    with pytest.raises(UnknownNameError, match="joint 'elbw' not found; close: 'elbow'"):
        double_pendulum().build().locked(["elbw"])


def test_leader_of_a_coupling_cannot_be_locked():
    with pytest.raises(ArgumentError, match="'shoulder' leads a coupling"):
        double_pendulum().add_coupling("elbow", "shoulder").build().locked(["shoulder"])


def test_leader_of_a_coupling_can_be_locked_with_its_follower():
    model = double_pendulum().add_coupling("elbow", "shoulder").build().locked(["shoulder", "elbow"])
    assert list(model.joints) == ["base"] and model.couplings == ()


def test_visuals_stand_in_for_collision_shapes():
    model = ts.robots.hrp2()
    drawn = model.with_visuals_as_collisions()
    for name, body in model.bodies.items():
        assert drawn.bodies[name].collisions == body.visuals
    assert drawn.total_mass == model.total_mass


def test_follower_can_be_locked_and_its_coupling_is_gone():
    model = double_pendulum().add_coupling("elbow", "shoulder").build().locked({"elbow": 0.4})
    assert list(model.joints) == ["base", "shoulder"]
    assert model.couplings == ()


def test_locked_joint_leaves_the_reference_pose():
    builder = double_pendulum()
    builder.reference = {"shoulder": 0.2, "elbow": -0.3}
    np.testing.assert_array_equal(builder.build().locked({"elbow": 0.0}).reference, [0.2])


@pytest.mark.parametrize("frame", ["lower", "elbow", "mark", "welded"])
def test_new_frame_stands_relative_to_an_existing_one(frame):
    rng = np.random.default_rng(13)
    builder = double_pendulum().add_frame("mark", "lower", random_pose(rng)).add_link("welded", BRICK)
    model = builder.add_joint("weld", "fixed", "lower", "welded", pose=random_pose(rng)).build()
    X = random_pose(rng)
    derived = model.with_frame("new", frame, X)
    q = model.random(rng)
    expected = ts.frame_pose(model, q, frame) @ X
    np.testing.assert_allclose(ts.frame_pose(derived, q, "new"), expected, atol=ROUND_OFF)
    assert "new" not in model.frames


def test_new_frame_cannot_take_the_name_of_a_link_or_frame():
    with pytest.raises(ModelError, match="'lower'"):
        double_pendulum().build().with_frame("lower", "upper")


def test_payload_adds_its_inertia_where_it_is():
    model = double_pendulum().build()
    X = random_pose(np.random.default_rng(14))
    loaded = model.with_payload("lower", BRICK, X, name="bucket")
    assert loaded.total_mass == pytest.approx(model.total_mass + BRICK.mass)
    expected = model.bodies["lower"].inertia + BRICK.in_frame(X)
    np.testing.assert_allclose(loaded.bodies["lower"].inertia.moments, expected.moments, atol=ROUND_OFF)
    np.testing.assert_allclose(loaded.frames["bucket"].pose, X, atol=ROUND_OFF)
    assert loaded.nv == model.nv


def test_two_payloads_need_two_names():
    loaded = double_pendulum().build().with_payload("lower", BRICK)
    with pytest.raises(ModelError, match="'payload'"):
        loaded.with_payload("upper", BRICK)
    assert loaded.with_payload("upper", BRICK, name="second").total_mass == 5 * BRICK.mass


@pytest.mark.parametrize("base", ["fixed", "planar", "free"])
def test_merged_robots_move_like_the_two(base):
    rng = np.random.default_rng(15)
    carrier, arm, X = double_pendulum(base="free").build(), pendulum(base=base).build(), random_pose(rng)
    both = carrier.merged(arm, "lower", X, prefix="arm/")
    assert both.nv == carrier.nv + arm.nv
    assert both.total_mass == pytest.approx(carrier.total_mass + arm.total_mass)
    q1, q2 = carrier.random(rng), arm.random(rng)
    q = np.concatenate([q1, q2])
    expected = ts.frame_pose(carrier, q1, "lower") @ X @ ts.frame_pose(arm, q2, "bob")
    np.testing.assert_allclose(ts.frame_pose(both, q, "arm/bob"), expected, atol=ROUND_OFF)
    np.testing.assert_array_equal(both.actuated, np.concatenate([carrier.actuated, arm.actuated]))  # no base is driven


def test_merging_robots_with_the_same_names_needs_a_prefix():
    model = double_pendulum().build()
    with pytest.raises(ModelError, match="give a prefix"):
        model.merged(model, "lower")
    assert model.merged(model, "lower", prefix="second_").nv == 4


def test_merging_carries_frames_couplings_and_reference_along():
    other = double_pendulum().add_coupling("elbow", "shoulder", 0.5).add_frame("tip", "lower")
    other.reference = {"shoulder": 0.3}
    both = pendulum().build().merged(other.build(), "bob", prefix="x_")
    assert "x_tip" in both.frames
    assert both.nv == 2
    np.testing.assert_allclose(both.joint_positions(both.reference), [0.0, 0.3, 0.15])


def test_coupling_mode_is_kept():
    model = double_pendulum().add_coupling("elbow", "shoulder").build(couplings="cut")
    assert model.with_frame("f", "lower").nv == 2
    assert model.with_payload("lower", BRICK).coupling_mode == "cut"


def test_original_is_not_changed():
    model = double_pendulum().build()
    before = (model.nv, model.nb, tuple(model.frames), model.total_mass)
    model.locked(["elbow"])
    model.with_frame("f", "lower")
    model.with_payload("lower", BRICK)
    assert (model.nv, model.nb, tuple(model.frames), model.total_mass) == before
