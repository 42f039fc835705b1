"""From descriptions to models: order, numbering, the base, frames and loops."""

import itertools

import numpy as np
import pytest
from sample_models import BRICK, double_pendulum, pendulum, zoo

import tarsus as ts
from tarsus.errors import LoopError, UnknownNameError
from tarsus.model import Loop

ROUND_OFF = 1e-11
"""Results of up to ten bodies in another order of summation, numbers up to a hundred."""

LINKS = ("trunk", "l_hip", "l_knee", "r_hip", "r_knee", "head")
PARENTS = {"l_hip": "trunk", "l_knee": "l_hip", "r_hip": "trunk", "r_knee": "r_hip", "head": "trunk"}


def biped(link_order, joint_order):
    builder = ts.ModelBuilder("biped", base="free")
    for name in link_order:
        index = LINKS.index(name)
        builder.add_link(name, ts.Inertia.of_box(1.0 + index, (0.1, 0.2, 0.3), com=(0.1 * index, 0.0, 0.05)))
    for name in joint_order:
        index = LINKS.index(name)
        builder.add_joint(
            f"{name}_joint", "revolute", PARENTS[name], name, axis=(0, 1, 0.1 * index), position=(0, 0.1, -0.3)
        )
    return builder.build()


def test_joints_are_numbered_depth_first_in_the_order_given():
    model = biped(LINKS, ("head", "l_hip", "r_hip", "r_knee", "l_knee"))
    assert list(model.bodies) == ["trunk", "head", "l_hip", "l_knee", "r_hip", "r_knee"]
    assert [joint.child for joint in model.joints.values()] == list(model.bodies)
    assert [joint.index for joint in model.joints.values()] == list(range(6))


def test_order_of_links_does_not_matter():
    assert list(biped(LINKS[::-1], LINKS[1:]).bodies) == list(biped(LINKS, LINKS[1:]).bodies)


@pytest.mark.parametrize("order", list(itertools.permutations(LINKS[1:]))[::19])
def test_results_by_name_do_not_depend_on_the_order_of_insertion(order):
    rng = np.random.default_rng(5)
    straight, other = biped(LINKS, LINKS[1:]), biped(LINKS, order)
    q, v, vdot = straight.random(rng), rng.normal(size=straight.nv), rng.normal(size=straight.nv)
    q2, v2, vdot2 = other.neutral(), np.zeros(other.nv), np.zeros(other.nv)
    for name, joint in straight.joints.items():
        q2[other.joints[name].q_index] = q[joint.q_index]
        v2[other.joints[name].v_index] = v[joint.v_index]
        vdot2[other.joints[name].v_index] = vdot[joint.v_index]
    tau, tau2 = ts.inverse_dynamics(straight, q, v, vdot), ts.inverse_dynamics(other, q2, v2, vdot2)
    for name, joint in straight.joints.items():
        np.testing.assert_allclose(tau2[other.joints[name].v_index], tau[joint.v_index], atol=ROUND_OFF)
    np.testing.assert_allclose(ts.momentum(other, q2, v2), ts.momentum(straight, q, v), atol=ROUND_OFF)


@pytest.mark.parametrize(("base", "nq", "nv"), [("fixed", 1, 1), ("planar", 4, 4), ("free", 8, 7)])
def test_joint_between_world_and_root_is_called_base(base, nq, nv):
    model = pendulum(base=base).build()
    joint = model.joints["base"]
    assert (joint.index, joint.kind, joint.parent, joint.child) == (0, base, "world", "ground")
    assert (model.nq, model.nv, model.base) == (nq, nv, base)
    assert model.bodies["ground"].parent is None
    assert model.bodies["ground"].joint == "base"


def named_base():
    """A joint of a file that has the name of the joint between world and root."""
    builder = (
        ts.ModelBuilder("clash", base="free").add_link("trunk", BRICK).add_link("arm", BRICK).add_link("hand", BRICK)
    )
    builder.add_joint("base", "revolute", "trunk", "arm", axis=(0, 1, 0), q_min=-1.0, q_max=2.0)
    return builder.add_joint("wrist", "revolute", "arm", "hand", axis=(0, 0, 1))


def test_joint_of_a_file_named_base_gives_way_to_the_base():
    model = named_base().build()
    assert list(model.joints) == ["base", "base_", "wrist"]
    assert model.joints["base"].kind == "free"
    assert model.joints["base_"].child == "arm"
    assert model.bodies["arm"].joint == "base_"


def test_coupling_to_a_joint_of_a_file_named_base_means_that_joint():
    model = named_base().add_coupling("wrist", "base", 2.0).build()
    assert model.nv == 7
    q = model.neutral()
    q[model.joints["base_"].q_index] = 0.25
    np.testing.assert_allclose(model.joint_positions(q)[-2:], [0.25, 0.5])


def test_joint_of_a_file_named_base_can_be_locked():
    model = named_base().build().locked(["base_"])
    assert list(model.joints) == ["base", "wrist"]


def test_joint_of_a_file_named_base_takes_no_other_joints_name():
    builder = named_base().add_link("tool", BRICK).add_joint("base_", "revolute", "hand", "tool")
    model = builder.build()
    assert len(model.joints) == model.nb == 4
    assert len({body.joint for body in model.bodies.values()}) == 4


def test_every_body_and_every_joint_is_a_frame():
    model = zoo().build()
    assert set(model.bodies) <= set(model.frames)
    assert set(model.joints) - {"base"} <= set(model.frames)


def test_frame_of_a_body_is_the_body():
    for name, frame in zoo().build().frames.items():
        if frame.kind == "body":
            assert frame.body == name
            np.testing.assert_array_equal(frame.pose, np.eye(4))


def test_frame_of_a_joint_is_where_the_joint_is():
    model = zoo().build()
    q = model.random(np.random.default_rng(6))
    for name, joint in model.joints.items():
        if joint.kind == "revolute":
            X_WJ = ts.frame_pose(model, q, joint.parent) @ joint.pose
            np.testing.assert_allclose(ts.frame_pose(model, q, name)[:3, 3], X_WJ[:3, 3], atol=1e-14)


def test_body_wins_over_a_joint_of_the_same_name():
    builder = ts.ModelBuilder().add_link("a", BRICK).add_link("b", BRICK).add_link("c", BRICK)
    builder.add_joint("c", "revolute", "a", "b").add_joint("b", "revolute", "b", "c", position=(1, 0, 0))
    model = builder.build()
    assert (model.frames["b"].body, model.frames["b"].kind) == ("b", "body")
    assert (model.frames["c"].body, model.frames["c"].kind) == ("c", "body")
    assert model.joints["c"].child == "b"


def test_named_frame_wins_over_a_joint_of_the_same_name():
    model = pendulum().add_frame("hinge", "bob", ts.pose((0, 0, 1.0))).build()
    assert model.frames["hinge"].kind == "frame"


def looped():
    """A double pendulum whose lower end slides along the ground, and a lift that follows its elbow."""
    builder = double_pendulum().add_link("lift", BRICK).add_joint("rope", "prismatic", "ground", "lift")
    builder.add_loop(Loop("linkage", "planar", "ground", "lower", ts.pose((0, 0, -0.9)), ts.pose((0, 0, -0.5))))
    return builder.add_loop(Loop("rope", "polynomial", "rope", "elbow", coefficients=(0.0, 1.0, 2.0)))


def test_cutting_opens_loops_and_keeps_them_in_the_model():
    model = looped().build(couplings="cut")
    assert (model.nv, model.coupling_mode) == (3, "cut")
    assert [loop.name for loop in model.loops] == ["linkage", "rope"]


def test_loop_with_a_joint_of_a_polynomial_coupling_is_refused():
    with pytest.raises(LoopError, match="'linkage' contains a joint with a polynomial coupling"):
        looped().build()


def test_loop_between_links_that_cannot_meet_is_refused_with_its_joints():
    builder = double_pendulum().add_loop(Loop("linkage", "spherical", "ground", "lower", ts.pose((0, 0, 5.0))))
    with pytest.raises(LoopError, match="'linkage' cannot be closed by its joints 'shoulder', 'elbow'"):
        builder.build()


def test_unknown_coupling_mode_is_refused():
    with pytest.raises(UnknownNameError, match="'reduce', 'cut' or 'lock'"):
        pendulum().build(couplings="reduced")


def test_warnings_are_empty_for_a_sound_model():
    assert zoo().build(strict=True).warnings == ()
