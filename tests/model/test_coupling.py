"""Joints that follow others: reduced, cut or locked."""

import numpy as np
import pytest
from sample_models import BRICK, chain, double_pendulum

import tarsus as ts

ROUND_OFF = 1e-12
"""Dynamics of a few bodies with numbers of order ten."""
RATIO, OFFSET = -2.0, 0.3


def geared(**keywords):
    return double_pendulum(**keywords).add_coupling("elbow", "shoulder", RATIO, OFFSET)


def chained():
    """joint3 = 2 joint2 + 0.1, joint2 = -0.5 joint1 + 0.2; joint4 is independent."""
    return chain(4).add_coupling("joint3", "joint2", 2.0, 0.1).add_coupling("joint2", "joint1", -0.5, 0.2)


def test_follower_has_no_coordinates():
    model = geared().build()
    assert (model.nq, model.nv) == (1, 1)
    assert model.joints["elbow"].q_index.stop == model.joints["elbow"].q_index.start
    assert model.joints["elbow"].nv == 1


def test_positions_of_all_joints_follow_from_the_independent_ones():
    model = geared().build()
    np.testing.assert_allclose(model.joint_positions([0.5]), [0.5, RATIO * 0.5 + OFFSET], rtol=1e-15)
    np.testing.assert_allclose(model.joint_positions([[0.5], [0.0]]), [[0.5, -0.7], [0.0, 0.3]], rtol=1e-15)


def test_couplings_of_couplings_are_followed_to_the_end():
    model = chained().build()
    assert model.nv == 2
    joint2 = -0.5 * 0.4 + 0.2
    np.testing.assert_allclose(model.joint_positions([0.4, 0.9]), [0.4, joint2, 2.0 * joint2 + 0.1, 0.9], atol=1e-15)


def test_reduced_dynamics_is_the_projected_dynamics_of_the_tree():
    rng = np.random.default_rng(8)
    model, tree = chained().build(), chained().build(couplings="cut")
    G = np.array([[1.0, 0.0], [-0.5, 0.0], [-1.0, 0.0], [0.0, 1.0]])
    q, v, vdot = model.random(rng), rng.normal(size=2), rng.normal(size=2)
    q_tree, v_tree, vdot_tree = model.joint_positions(q), G @ v, G @ vdot
    np.testing.assert_allclose(ts.mass_matrix(model, q), G.T @ ts.mass_matrix(tree, q_tree) @ G, rtol=ROUND_OFF)
    expected = G.T @ ts.inverse_dynamics(tree, q_tree, v_tree, vdot_tree)
    np.testing.assert_allclose(ts.inverse_dynamics(model, q, v, vdot), expected, rtol=ROUND_OFF)
    np.testing.assert_allclose(ts.jacobian(model, q, "link4"), ts.jacobian(tree, q_tree, "link4") @ G, atol=ROUND_OFF)
    tau = ts.inverse_dynamics(model, q, v, vdot)
    np.testing.assert_allclose(ts.forward_dynamics(model, q, v, tau), vdot, rtol=1e-9)


def test_cut_frees_the_followers():
    model = geared().build(couplings="cut")
    assert (model.nv, model.coupling_mode) == (2, "cut")
    assert len(model.couplings) == 1
    np.testing.assert_array_equal(model.joint_positions([0.5, 0.6]), [0.5, 0.6])


def test_lock_fixes_the_followers_where_they_are_when_their_leaders_are_at_zero():
    model = geared().build(couplings="lock")
    assert list(model.joints) == ["base", "shoulder"]
    reduced = geared().build()
    np.testing.assert_allclose(
        ts.frame_pose(model, [0.0], "lower"), ts.frame_pose(reduced, [0.0], "lower"), atol=ROUND_OFF
    )
    assert model.bodies["upper"].links == ("upper", "lower")


def test_lock_follows_couplings_of_couplings():
    model = chained().build(couplings="lock")
    tree = chained().build(couplings="cut")
    assert list(model.joints) == ["base", "joint1", "joint4"]
    expected = ts.frame_pose(tree, [0.7, 0.2, 0.5, 0.3], "link4")
    np.testing.assert_allclose(ts.frame_pose(model, [0.7, 0.3], "link4"), expected, atol=ROUND_OFF)


def test_limits_of_a_follower_narrow_those_of_its_leader():
    # |elbow| <= 1.5 with elbow = -2 shoulder + 0.3 leaves shoulder in [-0.6, 0.9]
    model = geared().build()
    np.testing.assert_allclose([model.q_min[0], model.q_max[0]], [-0.6, 0.9], atol=1e-15)


def test_random_configurations_keep_all_joints_inside_their_limits():
    model = geared().build()
    positions = model.joint_positions(model.random(np.random.default_rng(9), 1000))
    low = np.concatenate([joint.q_min for joint in model.joints.values()])
    high = np.concatenate([joint.q_max for joint in model.joints.values()])
    assert ((positions >= low - 1e-12) & (positions <= high + 1e-12)).all()


def test_follower_may_come_before_its_leader():
    model = chain(3).add_coupling("joint1", "joint3", 2.0).build()
    np.testing.assert_allclose(model.joint_positions([0.1, 0.2]), [0.4, 0.1, 0.2], atol=1e-15)


def test_prismatic_and_revolute_joints_can_be_coupled():
    builder = ts.ModelBuilder().add_link("a", BRICK).add_link("pinion", BRICK).add_link("rack", BRICK)
    builder.add_joint("turn", "continuous", "a", "pinion").add_joint("slide", "prismatic", "a", "rack", axis=(1, 0, 0))
    model = builder.add_coupling("slide", "turn", 0.05).build()
    assert ts.frame_pose(model, [2.0], "rack")[0, 3] == pytest.approx(0.1)
    assert ts.mass_matrix(model, [0.3])[0, 0] > 0.05**2 * BRICK.mass


def test_base_coordinates_are_untouched_by_couplings():
    model = geared(base="free").build()
    q = model.random(np.random.default_rng(10))
    np.testing.assert_allclose(model.joint_positions(q)[:8], q, atol=1e-15)


def test_coordinates_describe_the_coupling_matrix():
    c = chained().build().coordinates
    assert (c.nq, c.nv) == (2, 2)
    np.testing.assert_array_equal(c.leader_v, [0, 0, 0, 1])
    np.testing.assert_allclose(c.ratio_v, [1.0, -0.5, -1.0, 1.0])
    np.testing.assert_allclose(c.offset_q, [0.0, 0.2, 0.5, 0.0])
    np.testing.assert_array_equal(c.independent, [True, True, False, False, True])
    np.testing.assert_array_equal(c.tree_q_start, [0, 0, 1, 2, 3, 4])
    np.testing.assert_array_equal(c.q_start, [0, 0, 1, 1, 1, 2])
