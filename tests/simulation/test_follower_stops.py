"""Limits of followers are stops that act on the followers, and by G^T on all that leads them."""

from dataclasses import replace

import numpy as np
import pytest
from parallel_robots import delta, five_bar_urdf

import tarsus as ts
from tarsus.model.assembly import assemble

pytestmark = pytest.mark.filterwarnings("ignore::tarsus.errors.ModelWarning")
SINKS = 0.02
"""By which a stop gives way under the weight [rad or m]."""
DURATION, AT_REST = 8.0, 2e-3
"""Time after which the robots are at rest [s], and the share of the forces that then still moves them."""


def limited(model, **limits):
    """The model with limits on some joints."""
    joints = []
    for j in model.description.joints:
        if j.name in limits:
            low, high = limits[j.name]
            j = replace(j, kind="revolute" if j.kind == "continuous" else j.kind, q_min=low, q_max=high)
        joints.append(j)
    return assemble(replace(model.description, joints=tuple(joints)))


def five_bar(tmp_path):
    path = tmp_path / "five_bar.urdf"
    path.write_text(five_bar_urdf())
    reference = {"left_shoulder": 2.0, "right_shoulder": 1.1, "left_elbow": -1.0, "right_elbow": 1.0}
    return ts.load(path, loops=[("left_tip", "right_tip")], reference=reference)


CASES = {
    "elbow of a five-bar": (five_bar, "left_elbow", 0.1, (0.0, 0.0)),
    "platform of a delta robot": (lambda _: delta().build(), "z", 0.02, (0.15, 0.0, -0.1)),
}
"""Robots with several leaders, a follower, how far it may move from the reference, and the goal of a law beside it."""
KP, KD = 5.0, 2.0
"""Gains of a law that is too soft to hold the robots up [N m/rad], [N m s/rad]."""


@pytest.mark.parametrize("case", CASES)
def test_a_robot_rests_on_the_stop_of_a_follower_of_several_leaders(case, tmp_path):
    """What holds it there beside the law is one force on the follower: G_k^T f, of the sign that pushes it back."""
    make, name, room, beside = CASES[case]
    free = make(tmp_path)
    k = int(free.coordinates.tree_q_start[free.joints[name].index])
    start = float(free.joint_positions(free.reference)[k])
    model = limited(free, **{name: (start - room, start + room)})
    assert model.nv > 1
    goal = free.reference + beside
    law = ts.simulation.JointLaw(kp=KP, kd=KD, q=goal)
    moved, held = (ts.simulate(x, duration=DURATION, controller=law) for x in (free, model))
    follower = model.joint_positions(held.q)[:, k] - start
    assert np.abs(free.joint_positions(moved.q)[-1, k] - start) > room + SINKS  # it would go further
    assert np.abs(follower).max() < room + SINKS
    assert np.abs(follower[-1]) > 0.95 * room
    q = held.q[-1]
    needed = ts.gravity_force(model, q) - KP * (goal - q)
    v = int(model.coordinates.tree_v_start[model.joints[name].index])
    G = model.coupling_matrix(q)[v]
    force = needed @ G / (G @ G)
    np.testing.assert_allclose(needed, force * G, atol=AT_REST * np.abs(needed).max())
    assert force * follower[-1] < 0.0
