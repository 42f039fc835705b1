"""Rods between two ball joints: their spin is left out, and nothing else."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest
from dynamics.states import assert_close
from loop_models import at, rod, space_rod

import tarsus as ts
from tarsus.errors import LoopError
from tarsus.model import Loop
from tarsus.model.derive import joint_transform
from tarsus.spatial import pose
from tarsus.spatial.quaternion import quaternion_from_rotation_matrix
from tarsus.spatial.rotation_vector import rotation_matrix_from_rotation_vector

MULTIPLIERS = 1e-9
"""Two exact routes, through closures of 1e-12 m and mass matrices of condition 1e5 (a thin rod spins easily)."""
CYLINDER = ts.Inertia.of_cylinder(1.3, 0.05, 1.2, axis=0, com=(0.5, 0.0, 0.0))
TURNED = pose((0.1, -0.2, 0.3), rotation_matrix_from_rotation_vector((0.4, -0.3, 0.9)))


def balls(inertia=CYLINDER, **constants):
    """Crank about z and rocker about x joined by a rod with balls at both ends."""
    builder = space_rod()
    builder._links[2] = replace(builder._links[2], inertia=inertia)
    builder._joints[1] = replace(builder._joints[1], kind="spherical", **constants)
    return builder


def turned_balls():
    """The same rod with a frame of its link that is neither at a ball nor along the rod."""
    builder = balls(CYLINDER.in_frame(TURNED))
    builder._joints[1] = replace(builder._joints[1], child_pose=np.linalg.inv(TURNED))
    builder._loops[0] = replace(builder._loops[0], pose_a=TURNED @ at(1.2))
    return builder


def tree_state(model, tree, q, v):
    """The state of the opened tree in which the rod does not spin."""
    positions, velocities = model.joint_positions(q), model.joint_velocities(q, v)
    R = joint_transform(model.joints["cross"], positions[1:3])[:3, :3]
    Q = np.concatenate([positions[:1], quaternion_from_rotation_matrix(R), positions[3:]])
    X = tree.joints["cross"].child_pose[:3, :3]
    w_rod, w_crank = (ts.frame_velocity(model, q, v, name, "local")[3:] for name in ("rod", "crank"))
    line = X.T @ (ends(model, q) / np.linalg.norm(ends(model, q)))
    w_rod = w_rod - (w_rod @ line) * line
    return Q, np.concatenate([velocities[:1], X @ w_rod - R.T @ w_crank, velocities[3:]])


def ends(model, q):
    """From ball to ball, in the axes of the moving side of the joint."""
    loop, joint = model.loops[0], model.joints["cross"]
    return (joint.child_pose @ loop.pose_a)[:3, 3]


def test_rod_gets_a_universal_joint_and_a_warning_that_names_it():
    model = balls().build()
    (warning,) = (w for w in model.warnings if w.rule == "idle-spin")
    assert warning.element == "joint 'cross'"
    assert "the spin of 'rod' about its own axis" in warning.message and "changes" not in warning.message
    joint = model.joints["cross"]
    assert (joint.kind, model.nv, model.nq) == ("universal", 1, 1)
    line = ends(model, model.reference)
    np.testing.assert_allclose([joint.axis @ line, joint.axis2 @ line, joint.axis @ joint.axis2], 0.0, atol=1e-15)


@pytest.mark.parametrize("builder", [balls, turned_balls])
@pytest.mark.parametrize("method", ["articulated-body", "composite-body"])
def test_rod_moves_like_one_between_balls_that_does_not_spin(builder, method):
    model, tree = builder().build(), builder().build(couplings="cut")
    constraints, rng = ts.loop_constraints(tree), np.random.default_rng(3)
    for q in np.linspace(model.q_min, model.q_max, 8)[1:-1]:
        v, tau = rng.normal(size=(2, 1))
        Q, V = tree_state(model, tree, q, v)
        rows = ts.constraint_rows(tree, Q, V, constraints)
        np.testing.assert_allclose(rows.violation, 0.0, atol=1e-11)
        np.testing.assert_allclose(rows.jacobian @ V, 0.0, atol=1e-11)
        motion = ts.constrained_dynamics(tree, Q, V, np.concatenate([tau, np.zeros(4)]), constraints)
        vdot = ts.forward_dynamics(model, q, v, tau, method=method)
        assert_close(vdot, motion.vdot[:1], MULTIPLIERS)
        expected = ts.frame_acceleration(tree, Q, V, motion.vdot, "rocker")
        assert_close(ts.frame_acceleration(model, q, v, vdot, "rocker"), expected, MULTIPLIERS)
        assert_close(ts.kinetic_energy(model, q, v), ts.kinetic_energy(tree, Q, V), MULTIPLIERS)
        assert_close(ts.momentum(model, q, v), ts.momentum(tree, Q, V), MULTIPLIERS)


@pytest.mark.parametrize(
    "builder",
    [
        lambda: balls(rod(1.2)),
        lambda: balls(ts.Inertia.of_cylinder(1.0, 0.05, 1.2, axis=0, com=(0.6, 0.01, 0.0))),
        lambda: balls(damping=0.1),
    ],
    ids=["moments", "centre of mass", "damping"],
)
def test_a_spin_that_is_not_idle_is_told_and_the_inertia_kept(builder):
    model, tree = builder().build(), builder().build(couplings="cut")
    (warning,) = (w for w in model.warnings if w.rule == "idle-spin")
    assert "this changes its motion" in warning.message
    np.testing.assert_array_equal(model.bodies["rod"].inertia.moments, tree.bodies["rod"].inertia.moments)


@pytest.mark.parametrize("constants", [{"stiffness": 2.0}, {"damping": (0.1, 0.2, 0.3)}])
def test_a_ball_with_a_spring_or_preferred_axes_stays_a_ball(constants):
    with pytest.raises(LoopError, match="'ball' has no minimal coordinates"):
        balls(**constants).build()


def test_opened_models_keep_the_ball():
    tree = balls().build(couplings="cut")
    assert (tree.joints["cross"].kind, tree.nv) == ("spherical", 5)
    assert [w for w in tree.warnings if w.rule == "idle-spin"] == []


def test_a_ball_that_carries_more_or_is_tied_twice_is_no_rod():
    carrying = balls().add_link("flag", rod(0.2)).add_joint("wave", "revolute", "rod", "flag", position=(0.4, 0.0, 0.0))
    twice = balls().add_loop(Loop("second", "spherical", "rod", "rocker", at(1.2, 0.1), at(0.6, 0.1)))
    for builder in (carrying, twice):
        try:
            kind = builder.build().joints["cross"].kind
        except LoopError:
            continue
        assert kind == "spherical"


def test_a_rod_survives_copies_and_its_ball_can_be_locked():
    model = balls().build()
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert other.joints["cross"].kind == "universal"
        assert [w.rule for w in other.warnings].count("idle-spin") == 1
    opened = balls().build(couplings="cut").locked(["cross"])
    assert "cross" not in opened.joints
