"""Building models in code."""

import itertools
import pickle
import sys

import numpy as np
import pytest
from sample_models import BRICK, chain, double_pendulum, pendulum, star, zoo

import tarsus as ts
from tarsus.errors import ModelError, TarsusError, UnknownNameError

ROUND_OFF = 1e-12
"""Dozens of operations on numbers of order one to ten."""


def test_calls_can_be_chained_and_build_a_model():
    model = pendulum().add_frame("tip", "bob", ts.pose((0.0, 0.0, -1.0))).build()
    assert (model.name, model.nq, model.nv, model.nb) == ("pendulum", 1, 1, 2)
    assert model.frames["tip"].body == "bob"


def test_description_says_what_was_added_in_that_order():
    description = zoo().describe()
    assert [link.name for link in description.links][:3] == ["trunk", "revolute", "continuous"]
    assert description.base == "free"
    assert len(description.joints) == 9


def test_position_and_rotation_make_the_pose():
    R = ts.spatial.rotation_x(0.3)
    builder = pendulum().add_link("tail", BRICK)
    builder.add_joint("tail_joint", "revolute", "bob", "tail", position=(1.0, 2.0, 3.0), rotation=R)
    np.testing.assert_array_equal(builder.build().joints["tail_joint"].pose, ts.pose((1.0, 2.0, 3.0), R))


def test_poses_may_be_nested_lists():
    builder = pendulum().add_link("tail", BRICK)
    model = builder.add_joint("tail_joint", "revolute", "bob", "tail", pose=ts.pose((1.0, 2.0, 3.0)).tolist()).build()
    np.testing.assert_array_equal(model.joints["tail_joint"].pose, ts.pose((1.0, 2.0, 3.0)))


@pytest.mark.parametrize("properties", [{"pose": np.eye(3)}, {"axis": (0.0, 1.0)}, {"q_min": "low"}, {"q_max": None}])
def test_property_of_the_wrong_shape_or_type_is_an_error_of_ours(properties):
    with pytest.raises(TarsusError):
        pendulum().add_link("tail", BRICK).add_joint("tail_joint", "revolute", "bob", "tail", **properties).build()


def test_problems_are_listed_without_raising():
    problems = pendulum().add_link("stray").problems()
    assert [p.rule for p in problems] == ["two-roots"]


def test_building_twice_gives_equal_and_independent_models():
    builder = double_pendulum()
    first = builder.build()
    second = builder.add_link("hand", BRICK).add_joint("wrist", "revolute", "lower", "hand").build()
    assert (first.nv, second.nv) == (2, 3)


def test_misspelt_property_of_a_joint_is_refused():
    with pytest.raises(UnknownNameError, match="'axes'; close: 'axis'"):
        pendulum().add_joint("j", "revolute", "ground", "bob", axes=(0, 0, 1))


def test_gravity_must_have_three_entries():
    with pytest.raises(ValueError):
        ts.ModelBuilder(gravity=(0.0, -9.81)).add_link("a", BRICK).build()


PAIRS = (("trunk", None), ("l_thigh", "trunk"), ("l_shank", "l_thigh"), ("r_thigh", "trunk"), ("r_shank", "r_thigh"))
"""A biped as in Buschmann 2014, algorithm 1."""


def from_pairs(pairs):
    joints = {name: {"axis": (0.0, 1.0, 0.0), "position": (0.0, 0.0, -0.4)} for name, parent in pairs if parent}
    inertias = {name: ts.Inertia.of_box(1.0 + len(name), (0.1, 0.2, 0.3)) for name, _ in pairs}
    return ts.ModelBuilder.from_pairs(pairs, inertias=inertias, joints=joints, base="free", name="biped")


def test_pairs_of_body_and_parent_make_a_tree():
    model = from_pairs(PAIRS).build()
    assert list(model.bodies) == ["trunk", "l_thigh", "l_shank", "r_thigh", "r_shank"]
    assert [body.parent for body in model.bodies.values()] == [None, "trunk", "l_thigh", "trunk", "r_thigh"]
    assert list(model.joints) == ["base", "l_thigh", "l_shank", "r_thigh", "r_shank"]


@pytest.mark.parametrize("order", list(itertools.permutations(range(5)))[::17])
def test_pairs_may_come_in_any_order(order):
    model, straight = from_pairs([PAIRS[i] for i in order]).build(), from_pairs(PAIRS).build()
    indices = {body.name: body.index for body in model.bodies.values()}
    assert all(indices[body.parent] < body.index for body in model.bodies.values() if body.parent)
    q = straight.random(np.random.default_rng(3))
    other = model.neutral()
    for name, joint in straight.joints.items():
        other[model.joints[name].q_index] = q[joint.q_index]
    np.testing.assert_allclose(ts.center_of_mass(model, other), ts.center_of_mass(straight, q), atol=ROUND_OFF)
    for name in straight.bodies:
        np.testing.assert_allclose(ts.frame_pose(model, other, name), ts.frame_pose(straight, q, name), atol=ROUND_OFF)


def test_joints_of_pairs_can_be_named_and_of_any_kind():
    pairs = (("ground", None), ("cart", "ground"))
    joints = {"cart": {"name": "rail", "kind": "prismatic", "axis": (1.0, 0.0, 0.0)}}
    model = ts.ModelBuilder.from_pairs(pairs, inertias={"cart": BRICK}, joints=joints).build()
    assert model.joints["rail"].kind == "prismatic"
    assert model.joints["rail"].child == "cart"


def test_pairs_that_form_a_cycle_are_refused():
    with pytest.raises(ModelError, match="cycle"):
        ts.ModelBuilder.from_pairs((("a", None), ("b", "c"), ("c", "b"))).build()


@pytest.mark.parametrize("shape", [chain, star])
def test_ten_thousand_bodies_build_and_evaluate_without_recursion(shape):
    model = shape(10_000).build()
    assert (model.nb, model.nv) == (10_001, 10_000)
    q = np.full(model.nq, 1e-3)
    assert np.isfinite(ts.inverse_dynamics(model, q, q, q)).all()
    assert np.isfinite(ts.forward_dynamics(model, q, q, q)).all()


def test_long_chain_can_be_derived_from_and_pickled_without_recursion():
    links = 2 * sys.getrecursionlimit()
    model = pickle.loads(pickle.dumps(chain(links).build().with_frame("tip", f"link{links}")))
    assert model.frames["tip"].body == f"link{links}"
