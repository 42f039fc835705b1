"""Kinematic loops in minimal coordinates: which joints stay independent, and that the loops close."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest
from dynamics.finite_differences import assert_derivative, gradient
from loop_models import (
    DOUBLE_ROCKER,
    FREEDOM,
    LENGTHS,
    MECHANISMS,
    at,
    bennett,
    cam,
    chain_four_bar,
    differential,
    double_rocker,
    four_bar,
    four_bar_row,
    mechanism,
    opened,
    parallel_ankle,
    rod,
    serial_four_bars,
    slider_crank,
    space_rod,
    walker,
)

import tarsus as ts
from tarsus.model import Loop

CLOSED = 1e-12
"""[m, rad]: some ten roundings of lengths of a metre."""
NEAR_DEAD_POINT = 300.0
"""Largest slope of a dependent joint at the ends of a range, which stop short of the dead point."""


def loop_errors(builder, model, q):
    """Largest violation [m, rad] of every loop at configurations q (n, nq), measured on the opened tree."""
    tree = builder.build(couplings="cut")
    Q = model.joint_positions(q)
    errors = []
    for loop in builder.describe().loops:
        if loop.kind == "polynomial":
            follower, leader = (Q[..., tree.joints[name].q_index.start] for name in (loop.link_a, loop.link_b))
            errors.append(np.abs(follower - np.polynomial.polynomial.polyval(leader, loop.coefficients)).max())
            continue
        X_a = ts.frame_pose(tree, Q, loop.link_a) @ loop.pose_a
        X_b = ts.frame_pose(tree, Q, loop.link_b) @ loop.pose_b
        X = np.linalg.inv(X_a) @ X_b
        n = np.asarray(loop.axis)
        if loop.kind == "prismatic":
            position = X[..., :3, 3] - (X[..., :3, 3] @ n)[..., None] * n
            turned = X[..., :3, :3] - np.eye(3)
        else:
            position = X[..., :3, 3]
            turned = X[..., :3, :3] @ n - n if loop.kind == "revolute" else np.zeros(1)
            turned = X[..., :3, :3] - np.eye(3) if loop.kind == "fixed" else turned
        errors += [np.abs(position).max(), np.abs(turned).max()]
    return max(errors, default=0.0)


def independent(model):
    return [j.name for j in model.joints.values() if j.v_index.stop > j.v_index.start]


def whole_range(model, count=400):
    """Configurations over the whole range of a model with one degree of freedom, several turns where it goes round."""
    low, high = (float(np.clip(x[0], -9.0, 9.0)) for x in (model.q_min, model.q_max))
    return np.linspace(low, high, count)[:, None]


ONE_FREEDOM = [name for name, nv in FREEDOM.items() if nv == 1]


@pytest.mark.parametrize("name", MECHANISMS)
def test_degrees_of_freedom_are_those_of_the_mechanism(name):
    model = mechanism(name)
    assert model.nv == FREEDOM[name]
    assert model.coupling_matrix(model.reference).shape == (opened(name).nv, model.nv)


@pytest.mark.parametrize("name", MECHANISMS)
def test_random_configurations_close_every_loop(name):
    builder, model = MECHANISMS[name](), mechanism(name)
    q = model.random(np.random.default_rng(1), 20)
    assert loop_errors(builder, model, q) < CLOSED
    assert (model.q_min <= q).all() and (q <= model.q_max).all()


@pytest.mark.parametrize("name", MECHANISMS)
def test_reference_is_closed_and_within_the_limits(name):
    builder, model = MECHANISMS[name](), mechanism(name)
    assert loop_errors(builder, model, model.reference[None]) < CLOSED
    assert (model.q_min <= model.reference).all() and (model.reference <= model.q_max).all()


@pytest.mark.parametrize("name", ONE_FREEDOM)
def test_loops_close_over_the_whole_range_without_a_jump(name):
    builder, model = MECHANISMS[name](), mechanism(name)
    q = whole_range(model, 1000)
    assert loop_errors(builder, model, q) < CLOSED
    Q = model.joint_positions(q)
    slopes = np.abs(np.diff(Q, axis=0)).max() / (q[1, 0] - q[0, 0])
    assert slopes < NEAR_DEAD_POINT
    steepest = np.abs(model.coupling_matrix(q)).max()
    assert slopes <= 1.001 * steepest + 1e-9  # a jump would be steeper than the slope anywhere


@pytest.mark.parametrize("name", MECHANISMS)
def test_coupling_matrix_is_the_derivative_of_joint_positions(name):
    model = mechanism(name)
    q = model.integrate(model.reference, 0.05 * np.ones(model.nv))
    tree = opened(name)
    Q = model.joint_positions(q)
    found = model.coupling_matrix(q)
    assert_derivative(found, gradient(model, q, lambda x: tree.difference(Q, model.joint_positions(x))))
    v = np.random.default_rng(2).normal(size=model.nv)
    np.testing.assert_allclose(model.joint_velocities(q, v), found @ v, atol=1e-13)


@pytest.mark.parametrize("name", MECHANISMS)
def test_batches_close_like_single_configurations(name):
    model = mechanism(name)
    rng = np.random.default_rng(3)
    q = model.integrate(model.reference, 0.1 * rng.normal(size=(11, model.nv)))
    together = model.joint_positions(q)
    for row in range(11):
        np.testing.assert_allclose(together[row], model.joint_positions(q[row]), atol=1e-12)


# Which joints are independent


def test_joints_near_the_root_stay_independent():
    assert independent(four_bar().build()) == ["a"]
    assert independent(chain_four_bar().build()) == ["a"]
    assert independent(slider_crank().build()) == ["turn"]
    assert independent(serial_four_bars(3).build()) == ["a0", "a1", "a2"]
    assert independent(bennett().build()) == ["j1"]


def test_drives_stay_independent():
    assert independent(parallel_ankle().build()) == ["left_motor", "right_motor"]
    builder = four_bar()
    builder._joints[:] = [replace(joint, actuated=joint.name == "d") for joint in builder._joints]
    assert independent(builder.build()) == ["d"]


@pytest.mark.parametrize("name", ["a", "b", "d"])
def test_loop_may_say_which_joint_stays_independent(name):
    builder = four_bar()
    builder._loops[:] = [replace(builder._loops[0], independent=(name,))]
    model = builder.build()
    assert independent(model) == [name]
    assert loop_errors(builder, model, whole_range(model)) < CLOSED


def test_slider_leads_only_where_it_is_asked_to_and_knows_its_reach():
    builder = slider_crank()
    builder._loops[:] = [replace(builder._loops[0], independent=("slide",))]
    model = builder.build()
    assert independent(model) == ["slide"]
    assert 0.7 < model.q_min[0] < 0.75 and 1.45 < model.q_max[0] < 1.5  # |l - r| = 0.7 and l + r = 1.5
    assert loop_errors(builder, model, whole_range(model)) < CLOSED


def test_limits_are_narrowed_to_where_the_loop_closes():
    ground, crank, coupler, rocker = DOUBLE_ROCKER
    model = double_rocker().build()
    # Coupler and rocker in line, the law of cosines.
    far = np.arccos((ground**2 + crank**2 - (coupler + rocker) ** 2) / (2 * ground * crank))
    near = np.arccos((ground**2 + crank**2 - (rocker - coupler) ** 2) / (2 * ground * crank))
    assert near < model.q_min[0] < near + 0.1
    assert far - 0.1 < model.q_max[0] < far
    assert np.isinf(four_bar(LENGTHS).build().q_max[0])


def test_redundant_conditions_are_told_with_their_rank():
    for builder, rows, rank in ((four_bar(), 5, 2), (four_bar(kind="spherical"), 3, 2), (bennett(), 5, 2)):
        (warning,) = (w for w in builder.build().warnings if w.rule == "redundant-loop")
        assert f"{rows} closing conditions of rank {rank}: {rows - rank} are redundant" in warning.message
    assert [w for w in space_rod().build().warnings if w.rule == "redundant-loop"] == []


# Forms of loops


def test_planar_four_bars_and_parallelograms_have_closed_forms():
    kinds = {name: [c.kind for c in mechanism(name).coordinates.closures] for name in MECHANISMS}
    assert kinds["four-bar"] == kinds["four-bar as a chain"] == kinds["double rocker"] == ["four-bar"]
    assert kinds["parallelogram"] == kinds["row of four-bars"] == ["linear"]
    assert kinds["serial four-bars"] == 3 * ["four-bar"]
    assert kinds["Bennett"] == kinds["slider-crank"] == kinds["ankle"] == ["loop"]
    assert kinds["cam"] == ["polynomial"]


def test_both_spanning_trees_of_a_four_bar_move_alike():
    one, other = four_bar().build(), chain_four_bar().build()
    q = np.linspace(-7.0, 7.0, 50)[:, None]
    for body in ("crank", "coupler"):
        np.testing.assert_allclose(ts.frame_pose(one, q, body), ts.frame_pose(other, q, body), atol=CLOSED)


@pytest.mark.parametrize("limit", [2.0, 3.1, np.pi, 7.0, 20.0])
def test_limits_of_the_crank_do_not_make_its_loop_jump(limit):
    builder = four_bar()
    builder._joints[0] = replace(builder._joints[0], q_min=-limit, q_max=limit)
    q = np.linspace(-limit, limit, 800)[:, None]
    np.testing.assert_allclose(builder.build().joint_positions(q), four_bar().build().joint_positions(q), atol=1e-11)


@pytest.mark.parametrize("lengths", [(4.0, 1.0, 2.0, 3.0), (1.0, 0.4, 0.8, 0.6)])
def test_four_bar_with_a_change_point_continues_on_its_branch_and_comes_round_after_two_turns(lengths):
    builder = four_bar(lengths)
    builder.reference = {"a": 0.9, "b": -1.0, "d": 1.0}
    model = builder.build()
    q = np.linspace(-9.0, 9.0, 1500)[:, None]  # misses the flat configuration itself
    Q = model.joint_positions(q)
    assert loop_errors(builder, model, q) < 1e-9  # positions are determined to the root of a rounding where it is flat
    assert np.abs(np.diff(Q, axis=0)).max() < 2.5 * (q[1, 0] - q[0, 0])
    once, twice = (model.joint_positions([0.9 + k * np.pi]) for k in (2.0, 4.0))
    home = model.joint_positions([0.9])
    assert np.abs(np.sin(0.5 * (once - home))).max() > 0.1
    assert np.abs(np.sin(0.5 * (twice - home))).max() < 1e-9


def test_loops_geared_to_each_other_are_one_system():
    builder = serial_four_bars(2).add_coupling("d1", "d0", 0.5, 0.75)
    model = builder.build()
    q = whole_range(model)
    Q, places = model.joint_positions(q), builder.build(couplings="cut").joints
    assert model.nv == 1
    assert loop_errors(builder, model, q) < CLOSED
    d0, d1 = (Q[:, places[name].q_index.start] for name in ("d0", "d1"))
    np.testing.assert_allclose(d1, 0.5 * d0 + 0.75, atol=CLOSED)


def test_follower_of_a_dependent_joint_follows_it():
    model, tree = walker().build(), walker().build(couplings="cut")
    Q = model.joint_positions(model.random(np.random.default_rng(5), 30))
    spin, rocker = (Q[:, tree.joints[name].q_index.start] for name in ("spin", "d"))
    np.testing.assert_allclose(spin, -3.0 * rocker + 0.2, atol=CLOSED)


def test_structure_without_freedom_has_no_coordinates():
    builder = ts.ModelBuilder("triangle").add_link("ground").add_link("left", rod(1.0)).add_link("right", rod(1.0))
    builder.add_joint("a", "revolute", "ground", "left").add_joint(
        "b", "revolute", "ground", "right", position=(1, 0, 0)
    )
    builder.add_loop(Loop("top", "revolute", "left", "right", at(1.0), at(1.0)))
    builder.reference = {"a": 1.0, "b": 2.0}
    model = builder.build()
    assert model.nv == 0
    assert [w.rule for w in model.warnings if "freedom" in w.message] == ["rigid-loop"]
    np.testing.assert_allclose(model.joint_positions([]), [np.pi / 3, 2 * np.pi / 3], atol=CLOSED)


def test_weld_closes_with_its_axes_the_right_way_round():
    builder = bennett()
    last = builder._loops.pop()
    builder.add_link("end", rod(0.2)).add_joint("j4", "revolute", "three", "end", pose=last.pose_a)
    builder.add_loop(Loop("weld", "fixed", "end", "ground"))
    model = builder.build()
    assert model.nv == 1
    assert loop_errors(builder, model, whole_range(model)) < CLOSED
    J2 = bennett().build().joint_positions([0.4])[1]
    assert np.sin(0.5 * (model.joint_positions([0.4])[1] - J2)) == pytest.approx(0.0, abs=1e-9)


# Models as objects


@pytest.mark.parametrize("name", ["four-bar", "ankle", "walker", "cam", "differential"])
def test_restored_and_copied_models_are_the_same(name):
    model = mechanism(name)
    q = model.reference
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        np.testing.assert_array_equal(other.joint_positions(q), model.joint_positions(q))
        np.testing.assert_array_equal(ts.mass_matrix(other, q), ts.mass_matrix(model, q))
        assert (other.nv, other.warnings) == (model.nv, model.warnings)


def test_locking_holds_all_joints_of_a_loop_where_it_is_closed():
    model = walker().build(couplings="lock")
    assert independent(model) == ["base", "hip", "ankle"]
    closed = walker().build()
    for link in ("crank", "coupler", "rocker"):
        np.testing.assert_allclose(
            ts.frame_pose(model, model.reference, link), ts.frame_pose(closed, closed.reference, link), atol=CLOSED
        )


def test_loops_survive_merging_with_another_robot():
    both = cam().build().merged(four_bar().build(), "wheel", prefix="second_")
    assert both.nv == 2
    lone, q = four_bar().build(), np.array([0.3, 1.2])
    X = np.linalg.inv(ts.frame_pose(both, q, "second_ground")) @ ts.frame_pose(both, q, "second_rocker")
    np.testing.assert_allclose(X, ts.frame_pose(lone, [1.2], "rocker"), atol=CLOSED)


@pytest.mark.parametrize(
    "make", [walker, parallel_ankle, lambda: serial_four_bars(2), differential, lambda: four_bar_row(2)]
)
@pytest.mark.parametrize("seed", range(4))
def test_order_of_making_does_not_matter(make, seed):
    """Links, joints and loops in another order: the same independent joints, and by name the same accelerations."""
    builder, shuffled = make(), make()
    rng = np.random.default_rng(seed)
    for parts in (shuffled._links, shuffled._joints, shuffled._loops, shuffled._couplings):
        rng.shuffle(parts)  # type: ignore[arg-type]
    model, other = builder.build(), shuffled.build()
    assert sorted(independent(model)) == sorted(independent(other))
    q, v, tau = model.integrate(model.reference, 0.1 * rng.normal(size=model.nv)), *rng.normal(size=(2, model.nv))

    def there(x, kind):
        return np.concatenate([x[getattr(model.joints[j.name], kind)] for j in other.joints.values()])

    found = ts.forward_dynamics(other, there(q, "q_index"), there(v, "v_index"), there(tau, "v_index"))
    expected = there(ts.forward_dynamics(model, q, v, tau), "v_index")
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())
