"""Links behind fixed joints become part of the body that carries them."""

import numpy as np
from sample_models import BRICK, pendulum, random_pose

import tarsus as ts
from tarsus.model import Box, Shape

ROUND_OFF = 1e-14
"""A dozen operations on numbers of order one."""


def with_hand(X_BH, inertia=None):
    """Pendulum with a link `hand` fixed to the bob at X_BH."""
    builder = pendulum().add_link("hand", BRICK if inertia is None else inertia, visuals=[Shape(Box((1, 1, 1)))])
    return builder.add_joint("weld", "fixed", "bob", "hand", pose=X_BH)


def test_two_point_masses_add_up_as_by_hand():
    builder = ts.ModelBuilder().add_link("ground", BRICK)
    builder.add_link("bob", ts.Inertia(1.0)).add_link("tip", ts.Inertia(3.0))
    builder.add_joint("hinge", "revolute", "ground", "bob", axis=(0, 1, 0))
    builder.add_joint("weld", "fixed", "bob", "tip", position=(0.0, 0.0, -2.0))
    inertia = builder.build().bodies["bob"].inertia
    assert inertia.mass == 4.0
    np.testing.assert_allclose(inertia.com, [0.0, 0.0, -1.5], atol=ROUND_OFF)
    # m1 m2 / (m1 + m2) d^2 = 3/4 * 4 about both axes across the rod
    np.testing.assert_allclose(inertia.moments, np.diag([3.0, 3.0, 0.0]), atol=ROUND_OFF)


def test_rotated_link_adds_its_moments_about_the_common_centre():
    X = random_pose(np.random.default_rng(2))
    inertia = with_hand(X).build().bodies["bob"].inertia
    R, p = X[:3, :3], X[:3, 3]
    c1, c2 = BRICK.com, p + R @ BRICK.com
    com = 0.5 * (c1 + c2)
    moments = np.zeros((3, 3))
    for part, c in ((BRICK.moments, c1), (R @ BRICK.moments @ R.T, c2)):
        d = c - com
        moments += part + BRICK.mass * (d @ d * np.eye(3) - np.outer(d, d))
    assert inertia.mass == 2 * BRICK.mass
    np.testing.assert_allclose(inertia.com, com, atol=ROUND_OFF)
    np.testing.assert_allclose(inertia.moments, moments, atol=ROUND_OFF)


def test_merged_links_and_joints_keep_their_names_as_frames():
    X = random_pose(np.random.default_rng(3))
    model = with_hand(X).build()
    assert list(model.bodies) == ["ground", "bob"]
    assert model.bodies["bob"].links == ("bob", "hand")
    assert "weld" not in model.joints
    for name, kind in (("hand", "link"), ("weld", "joint")):
        frame = model.frames[name]
        assert (frame.body, frame.kind) == ("bob", kind)
        np.testing.assert_allclose(frame.pose, X, atol=ROUND_OFF)


def test_frames_and_shapes_of_merged_links_move_into_the_body():
    X, Y = (random_pose(np.random.default_rng(seed)) for seed in (4, 5))
    model = with_hand(X).add_frame("grip", "hand", Y).build()
    np.testing.assert_allclose(model.frames["grip"].pose, X @ Y, atol=ROUND_OFF)
    np.testing.assert_allclose(model.bodies["bob"].visuals[0].pose, X, atol=ROUND_OFF)


def test_chains_of_fixed_joints_multiply_their_poses():
    X, Y, Z = (random_pose(np.random.default_rng(seed)) for seed in (6, 7, 8))
    builder = with_hand(X).add_link("finger", BRICK)
    builder.add_joint("weld2", "fixed", "hand", "finger", pose=Y, child_pose=Z)
    model = builder.build()
    np.testing.assert_allclose(model.frames["weld2"].pose, X @ Y, atol=ROUND_OFF)
    np.testing.assert_allclose(model.frames["finger"].pose, X @ Y @ Z, atol=ROUND_OFF)


def test_moving_joint_behind_a_fixed_link_is_placed_in_the_body_that_carries_it():
    X, Y = (random_pose(np.random.default_rng(seed)) for seed in (9, 10))
    builder = with_hand(X).add_link("finger", BRICK).add_joint("knuckle", "revolute", "hand", "finger", pose=Y)
    joint = builder.build().joints["knuckle"]
    assert joint.parent == "bob"
    np.testing.assert_allclose(joint.pose, X @ Y, atol=ROUND_OFF)


def test_links_fixed_to_the_root_are_part_of_it():
    builder = pendulum().add_link("table", BRICK).add_joint("bolt", "fixed", "ground", "table", position=(1, 0, 0))
    model = builder.build()
    assert model.bodies["ground"].links == ("ground", "table")
    assert model.total_mass == 3 * BRICK.mass


def test_merged_model_moves_like_one_made_of_a_single_body():
    X = random_pose(np.random.default_rng(11))
    merged = with_hand(X).build()
    single = ts.ModelBuilder().add_link("ground", BRICK).add_link("bob", BRICK + BRICK.in_frame(X))
    single = single.add_joint("hinge", "revolute", "ground", "bob", axis=(0, 1, 0)).build()
    q, v, vdot = [0.3], [0.7], [-0.4]
    expected = ts.inverse_dynamics(single, q, v, vdot)
    np.testing.assert_allclose(ts.inverse_dynamics(merged, q, v, vdot), expected, rtol=10 * ROUND_OFF)
