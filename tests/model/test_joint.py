"""Joint kinds, their sizes, and the axes of planar joints."""

from dataclasses import replace

import numpy as np
import pytest
from sample_models import MOVING_KINDS, pendulum, zoo

import tarsus as ts
from tarsus.model.derive import joint_transform
from tarsus.model.description import Description, JointSpec, LinkSpec
from tarsus.model.joint import HINGES, JOINT_SIZES, JOINT_TRAITS, ONE_AXIS, planar_tangents
from tarsus.model.validation import find_problems

ROUND_OFF = 1e-15
"""A few operations on numbers of order one."""


@pytest.mark.parametrize(
    ("kind", "nq", "nv"),
    [
        ("fixed", 0, 0),
        ("revolute", 1, 1),
        ("continuous", 1, 1),
        ("prismatic", 1, 1),
        ("helical", 1, 1),
        ("cylindrical", 2, 2),
        ("universal", 2, 2),
        ("spherical", 4, 3),
        ("planar", 3, 3),
        ("free", 7, 6),
    ],
)
def test_sizes_of_all_kinds(kind, nq, nv):
    assert JOINT_SIZES[kind] == (nq, nv)


def test_table_of_sizes_lists_exactly_the_ten_kinds():
    assert set(JOINT_SIZES) == {"fixed", *MOVING_KINDS}


@pytest.mark.parametrize("kind", MOVING_KINDS)
def test_a_joint_occupies_slices_of_its_size(kind):
    model = zoo().build()
    joint = model.joints[f"{kind}_joint"]
    assert joint.q_index.stop - joint.q_index.start == joint.nq == JOINT_SIZES[kind].nq
    assert joint.v_index.stop - joint.v_index.start == joint.nv == JOINT_SIZES[kind].nv


def test_slices_of_all_joints_tile_q_and_v():
    model = zoo().build()
    q = [i for joint in model.joints.values() for i in range(joint.q_index.start, joint.q_index.stop)]
    v = [i for joint in model.joints.values() for i in range(joint.v_index.start, joint.v_index.stop)]
    assert q == list(range(model.nq))
    assert v == list(range(model.nv))


@pytest.mark.parametrize(
    ("axis", "t1", "t2"),
    [
        ((0, 0, 1), (1, 0, 0), (0, 1, 0)),
        ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
        ((0, 1, 0), (1, 0, 0), (0, 0, 1)),
        ((0, 0, -1), (1, 0, 0), (0, -1, 0)),
        ((-1, 0, 0), (0, 1, 0), (0, 0, -1)),
        ((0, -1, 0), (1, 0, 0), (0, 0, 1)),
    ],
)
def test_planar_tangents_of_coordinate_axes(axis, t1, t2):
    found1, found2 = planar_tangents(np.array(axis, dtype=float))
    np.testing.assert_array_equal(found1, t1)
    np.testing.assert_array_equal(found2, t2)


def test_planar_tangents_of_any_axis_are_a_right_handed_frame_with_the_first_next_to_x():
    rng = np.random.default_rng(1)
    for _ in range(50):
        n = rng.normal(size=3)
        t1, t2 = planar_tangents(n)
        n = n / np.linalg.norm(n)
        np.testing.assert_allclose(np.cross(t1, t2), n, atol=10 * ROUND_OFF)
        assert abs(t1 @ n) < 10 * ROUND_OFF
        assert t1[0] >= 0.0
        assert abs(t1 @ np.cross(n, [1.0, 0.0, 0.0])) < 10 * ROUND_OFF


def test_planar_base_moves_in_x_and_z_and_pitches_about_plus_y():
    model = ts.ModelBuilder(base="planar").add_link("trunk", ts.Inertia.of_sphere(1.0, 0.1)).build()
    X = ts.frame_pose(model, [0.3, 0.7, 0.2], "trunk")
    c, s = np.cos(0.2), np.sin(0.2)
    np.testing.assert_allclose(X[:3, :3], [[c, 0, s], [0, 1, 0], [-s, 0, c]], atol=ROUND_OFF)
    np.testing.assert_allclose(X[:3, 3], [0.3, 0.0, 0.7], atol=ROUND_OFF)


def test_velocity_of_a_planar_base_is_in_its_own_axes():
    model = ts.ModelBuilder(base="planar").add_link("trunk", ts.Inertia.of_sphere(1.0, 0.1)).build()
    q, v = [0.3, 0.7, 0.2], [1.0, 2.0, 0.5]
    local = ts.frame_velocity(model, q, v, "trunk", "local")
    np.testing.assert_allclose(local, [1.0, 0.0, 2.0, 0.0, 0.5, 0.0], atol=10 * ROUND_OFF)


def test_axes_are_normalised():
    builder = ts.ModelBuilder().add_link("a", ts.Inertia.of_sphere(1, 1)).add_link("b", ts.Inertia.of_sphere(1, 1))
    model = builder.add_joint("j", "revolute", "a", "b", axis=(0.0, 3.0, 4.0)).build()
    np.testing.assert_allclose(model.joints["j"].axis, [0.0, 0.6, 0.8], atol=ROUND_OFF)


def test_limits_given_as_one_number_hold_for_every_degree_of_freedom():
    builder = pendulum().add_link("ball", ts.Inertia.of_sphere(1.0, 0.1))
    model = builder.add_joint("ball_joint", "universal", "bob", "ball", axis=(1, 0, 0), q_min=-0.5, tau_max=3.0).build()
    joint = model.joints["ball_joint"]
    np.testing.assert_array_equal(joint.q_min, [-0.5, -0.5])
    np.testing.assert_array_equal(joint.tau_max, [3.0, 3.0])
    np.testing.assert_array_equal(model.q_min[joint.q_index], [-0.5, -0.5])
    np.testing.assert_array_equal(model.tau_max[joint.v_index], [3.0, 3.0])


def test_base_joint_is_never_actuated_and_others_are_unless_said_otherwise():
    builder = pendulum(base="free").add_link("tail", ts.Inertia.of_sphere(1.0, 0.1))
    model = builder.add_joint("tail_joint", "revolute", "bob", "tail", actuated=False).build()
    np.testing.assert_array_equal(model.actuated, [False] * 6 + [True, False])


def spec(kind, **properties):
    return JointSpec("j", kind, "a", "b", axis=(0.0, 0.6, 0.8), axis2=(1.0, 0.0, 0.0), pitch=0.1, **properties)


@pytest.mark.parametrize("kind", JOINT_TRAITS)
def test_frames_coincide_at_the_neutral_coordinates(kind):
    traits = JOINT_TRAITS[kind]
    assert len(traits.neutral) == traits.nq
    np.testing.assert_array_equal(joint_transform(spec(kind), traits.neutral), np.eye(4))


@pytest.mark.parametrize("kind", JOINT_TRAITS)
def test_entries_that_slide_do_not_turn_and_the_others_do(kind):
    traits = JOINT_TRAITS[kind]
    assert len(traits.slides) == traits.nv
    assert sorted(traits.slides, reverse=True) == list(traits.slides)
    for k in range(min(traits.nq, traits.nv)):
        if traits.quaternion is not None and k >= traits.quaternion:
            assert not traits.slides[k]
            continue
        q = np.array(traits.neutral)
        q[k] = 0.5
        X = joint_transform(spec(kind), q)
        assert np.allclose(X[:3, :3], np.eye(3)) == traits.slides[k]


@pytest.mark.parametrize("kind", JOINT_TRAITS)
def test_kinds_that_come_round_are_where_they_were_after_a_turn(kind):
    traits = JOINT_TRAITS[kind]
    angles = [k for k, slides in enumerate(traits.slides) if not slides] if traits.flat else []
    turned = [2.0 * np.pi * (k in angles) for k in range(traits.nq)] if traits.flat else traits.neutral
    same = np.allclose(joint_transform(spec(kind), turned), np.eye(4), atol=10 * ROUND_OFF)
    assert traits.comes_round == (bool(angles) and same)


@pytest.mark.parametrize("kind", MOVING_KINDS)
def test_velocities_of_flat_kinds_are_the_rates_of_their_coordinates(kind):
    model, rng = zoo().build(), np.random.default_rng(3)
    q, v = model.random(rng), rng.normal(size=model.nv)
    joint = model.joints[f"{kind}_joint"]
    moved = model.integrate(q, v, 1.0)[joint.q_index]
    traits = joint.traits
    summed = traits.nq == traits.nv and np.allclose(moved, q[joint.q_index] + v[joint.v_index], rtol=ROUND_OFF)
    assert summed == traits.flat


@pytest.mark.parametrize("kind", MOVING_KINDS)
def test_kinds_with_axes_need_them(kind):
    def rules(**axes):
        links = (LinkSpec("a"), LinkSpec("b", ts.Inertia.of_sphere(1.0, 0.1)))
        return [problem.rule for problem in find_problems(Description("m", links, (replace(spec(kind), **axes),)))]

    zero = (0.0, 0.0, 0.0)
    assert ("zero-axis" in rules(axis=zero)) == (JOINT_TRAITS[kind].axes > 0)
    assert ("zero-axis" in rules(axis2=zero)) == (JOINT_TRAITS[kind].axes == 2)


def test_lists_of_kinds_follow_from_the_table():
    assert ONE_AXIS == ("revolute", "continuous", "prismatic", "helical")
    assert HINGES == ("revolute", "continuous")
    assert [kind for kind, traits in JOINT_TRAITS.items() if traits.unlimited] == ["continuous"]
