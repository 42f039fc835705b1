"""Reaching beside free bodies, and margins of pairs that are near at the start."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.collision import CollisionModel, Obstacle, SweptSphere


@pytest.fixture(scope="module")
def arm_and_cube():
    rod = ts.Inertia.of_box(1.0, (0.4, 0.05, 0.05), com=(0.2, 0, 0))
    builder = ts.ModelBuilder("arm and cube").add_link("ground").add_link("upper", rod).add_link("lower", rod)
    builder.add_joint("shoulder", "revolute", "ground", "upper", axis=(0, 1, 0), q_min=-2.0, q_max=2.0, v_max=1.0)
    builder.add_joint(
        "elbow", "revolute", "upper", "lower", axis=(0, 1, 0), position=(0.4, 0, 0), q_min=-2.0, q_max=2.0, v_max=1.0
    )
    builder.add_frame("tip", "lower", ts.pose((0.4, 0, 0)))
    builder.add_link("cube", ts.Inertia.of_box(0.5, (0.1, 0.1, 0.1)))
    builder.add_joint("float", "free", "ground", "cube", position=(0.5, 0.0, 0.3))
    return builder.build()


def test_free_bodies_stay_and_what_arrives_meets_its_tasks(arm_and_cube):
    model = arm_and_cube
    q0 = np.array(model.reference)
    place = ts.frame_pose(model, q0, "cube")
    for target in ([0.0, 0.0, 0.0], [0.1, 0.0, 0.1], [3.0, 0.0, 0.0]):
        task = ts.tasks.Position("tip", target, reference="cube", axes=[True, False, True])
        motion = ts.ik.reach(model, task, collision=())
        assert motion.success == (np.abs(task.error(model, motion.q[-1])).max() < 1e-6), motion.reason
        np.testing.assert_allclose(ts.frame_pose(model, motion.q[-1], "cube"), place, atol=1e-9)
    grasp = ts.tasks.Position("tip", [0.0, 0.0, 0.0], reference="cube", axes=[True, False, True])
    assert ts.ik.reach(model, grasp, collision=()).success


def test_pairs_that_begin_a_little_beyond_the_margin_keep_it():
    model = ts.robots.crops9()
    q, margin = model.reference, 0.02
    tip = ts.frame_pose(model, q, "tool")[:3, 3]

    def scene(radius):
        ball = Obstacle("ball", [SweptSphere([tip + np.array([0.3, 0.0, 0.0])], radius)])
        return CollisionModel(model, obstacles=[ball], include=["ball"])

    near = scene(0.05 + scene(0.05).distances(q).min() - margin - 1e-3)
    assert margin < near.distances(q).min() < margin + 2e-3
    motion = ts.ik.reach(model, ts.tasks.Position("tool", tip - [0.05, 0.0, 0.05]), collision=near, margin=margin)
    assert motion.success and near.distances(motion.q).min() > margin - 1e-9
