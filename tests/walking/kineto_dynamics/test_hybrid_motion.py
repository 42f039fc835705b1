"""The general equation (5.96) is that of a robot with rheonomic constraints, and (5.91) is a special case of it."""

import numpy as np
import pytest
from sample_models import chain, zoo

import tarsus as ts
from tarsus.errors import ArgumentError, InconsistentConstraintsError, ShapeError
from tarsus.walking.biped.biped import Biped
from tarsus.walking.kineto_dynamics.force_distribution import force_distribution
from tarsus.walking.kineto_dynamics.hybrid_motion import Split, hybrid_motion
from tarsus.walking.kineto_dynamics.moment_equation import moment_equation
from tarsus.walking.kineto_dynamics.reference_robot import ReferenceRobot

EXACT = 1e-9
"""Of accelerations, in the largest of them: two solutions of the same linear equations by other ways."""

ROBOTS = {
    "lola": (ts.robots.lola, ("l_sole", "r_sole")),
    "hrp2": (ts.robots.hrp2, ("l_sole", "r_sole")),
    "tree of all joints": (lambda: zoo().build(), ("free",)),
    "random chain": (lambda: chain(9, base="free").build(), ("link8",)),
}


def prescribed(model, q, v, frame, acceleration):
    """A frame whose motion is that of the state, with a given acceleration."""
    X, V = ts.frame_pose(model, q, frame), ts.frame_velocity(model, q, v, frame)
    return ts.constraints.PrescribedFrame("world", frame, motion=lambda t: (X, V, acceleration))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", ROBOTS)
def test_motion_with_known_frames_and_torques_is_that_of_constrained_dynamics(name, seed):
    build, frames = ROBOTS[name]
    model, rng = build(), np.random.default_rng(seed)
    q, v, tau = model.random(rng), rng.normal(size=model.nv), 10.0 * rng.normal(size=model.nv)
    known = rng.normal(size=6 * len(frames))
    J = np.concatenate([ts.jacobian(model, q, frame) for frame in frames])
    bias = np.concatenate([ts.jacobian_dot_v(model, q, v, frame) for frame in frames])
    W = np.hstack([np.eye(model.nv), J.T])
    force = Split.of(np.arange(model.nv + len(known)) < model.nv, tau)
    found = hybrid_motion(model, q, v, J, bias, Split.of(np.ones(len(known), dtype=bool), known), W, force)
    parts = zip(frames, known.reshape(-1, 6), strict=True)
    constraints = [prescribed(model, q, v, frame, own) for frame, own in parts]
    expected = ts.constrained_dynamics(model, q, v, tau, constraints)
    assert np.abs(found.vdot - expected.vdot).max() < EXACT * np.abs(expected.vdot).max()
    assert found.acceleration == pytest.approx(known)
    reaction = J.T @ found.force[model.nv :]
    assert np.abs(reaction - expected.joint_force).max() < EXACT * max(1.0, np.abs(reaction).max())


@pytest.mark.parametrize("name", ["lola", "hrp2"])
def test_walking_equation_is_the_general_one_with_known_contact_moments(name):
    """Both feet stand; unknown are the force, T_z, all torques, and x_C and y_C."""
    biped = Biped.of(ROBOTS[name][0]())
    model, rng = biped.lower.model, np.random.default_rng(3)
    soles = [leg.sole for leg in biped.legs]
    robot = ReferenceRobot(model, biped.q[biped.lower.q], (biped.pelvis, *soles), 1.5e-3)
    robot.v = 0.1 * rng.normal(size=model.nv)
    X = np.stack([ts.frame_pose(model, robot.q, frame) for frame in (biped.pelvis, *soles)])
    V = np.stack([ts.frame_velocity(model, robot.q, robot.v, frame) for frame in (biped.pelvis, *soles)])
    A, lift, T = rng.normal(size=(3, 6)), 0.3, np.array([12.0, -7.0])
    centroid, point = robot.look(), np.array([0.05, 0.02, 0.0])
    heading = np.eye(2)
    equation = moment_equation(centroid, lift, point, heading)
    vdot = robot.accelerate(centroid, lift, (X, V, A), moment=(equation, T, heading))

    J = np.vstack([ts.com_jacobian(model, robot.q), ts.jacobian(model, robot.q, biped.pelvis)[3:],
                   *(ts.jacobian(model, robot.q, sole) for sole in soles)])  # fmt: skip
    bias = np.concatenate([ts.momentum_dot_v(model, robot.q, robot.v)[:3] / model.total_mass,
                           ts.jacobian_dot_v(model, robot.q, robot.v, biped.pelvis)[3:],
                           *(ts.jacobian_dot_v(model, robot.q, robot.v, sole) for sole in soles)])  # fmt: skip
    known = np.concatenate([[lift], A[0, 3:], A[1], A[2]])
    motion = Split.of(np.arange(18) >= 2, known)
    D = force_distribution([0.3, 0.7], X[1:, :3, 3], point)
    feet = np.hstack([ts.jacobian(model, robot.q, sole).T for sole in soles]) @ D
    W = np.hstack([feet, np.eye(model.nv)[:, 6:]])
    moments = np.zeros(W.shape[1], dtype=bool)
    moments[3:5] = True  # lambda = (F, T_x, T_y, T_z, torques)
    found = hybrid_motion(model, robot.q, robot.v, J, bias, motion, W, Split.of(moments, T))
    assert np.abs(found.vdot - vdot).max() < EXACT * np.abs(vdot).max()
    assert found.force[3:5] == pytest.approx(T)


def test_wrenches_of_the_feet_are_the_total_one_together():
    rng = np.random.default_rng(1)
    wrench, feet, point = rng.normal(size=6), rng.normal(size=(2, 3)), rng.normal(size=3)
    D = force_distribution([0.25, 0.75], feet, point)
    own = (D @ wrench).reshape(2, 6)
    assert own[:, :3].sum(axis=0) == pytest.approx(wrench[:3])
    about = own[:, 3:] + np.cross(feet - point, own[:, :3])
    assert about.sum(axis=0) == pytest.approx(wrench[3:])


def test_of_more_unknowns_than_rows_the_weighted_least_are_taken():
    model = ts.robots.planar4()
    rng = np.random.default_rng(2)
    q, v = model.random(rng), rng.normal(size=model.nv)
    frame = list(model.frames)[-1]
    J, bias = ts.jacobian(model, q, frame)[:1], ts.jacobian_dot_v(model, q, v, frame)[:1]
    none = Split.of(np.zeros(model.nv, dtype=bool), np.zeros(0))
    motion = Split.of(np.ones(1, dtype=bool), [0.7])
    weights = np.arange(1.0, model.nv + 1.0)
    found = hybrid_motion(model, q, v, J, bias, motion, np.eye(model.nv), none, weights=weights)
    assert (J @ found.vdot + bias)[0] == pytest.approx(0.7)
    # Of weighted least squares the gradient w l is in the row space of G.
    G = J @ np.linalg.inv(ts.mass_matrix(model, q))
    gradient = weights * found.force
    assert np.linalg.matrix_rank(np.vstack([G[0] / np.abs(G).max(), gradient / np.abs(gradient).max()]), tol=1e-8) == 1


def test_motions_that_contradict_each_other_are_refused():
    model = ts.robots.lola()
    q, v = model.reference, np.zeros(model.nv)
    J = np.repeat(ts.jacobian(model, q, "l_sole")[:1], 2, axis=0)
    motion = Split.of(np.ones(2, dtype=bool), [1.0, 2.0])
    force = Split.of(np.zeros(model.nv, dtype=bool), np.zeros(0))
    with pytest.raises(InconsistentConstraintsError, match="contradict"):
        hybrid_motion(model, q, v, J, np.zeros(2), motion, np.eye(model.nv), force)


def test_bad_arguments_are_named():
    model = ts.robots.lola()
    with pytest.raises(ShapeError, match="known, unknown, value"):
        Split(np.eye(3), np.eye(2), np.zeros(3))
    with pytest.raises(ArgumentError, match="booleans"):
        Split.of([0, 1], [1.0])
    motion, force = Split.of([True], [0.0]), Split.of([True], [0.0])
    with pytest.raises(ShapeError, match="jacobian, projection"):
        hybrid_motion(model, model.reference, np.zeros(model.nv), np.eye(3), np.zeros(1), motion, np.eye(2), force)
    with pytest.raises(ArgumentError, match="1 together"):
        force_distribution([0.5, 0.6], np.zeros((2, 3)), np.zeros(3))
    with pytest.raises(ArgumentError, match="found shape"):
        force_distribution([0.5, 0.5], np.zeros((1, 3)), np.zeros(3))
