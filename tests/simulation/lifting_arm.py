"""An arm of a public model whose gripper closes on a cube, lifts it and puts it down."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from robot_data import robot_data_path, robots_directory

import tarsus as ts
from tarsus.model.shapes import Box
from tarsus.simulation import JointLaw

Array = npt.NDArray[np.float64]
TOOL = "panda_hand_tcp"
SIDE, MASS, LIFT, PLACE = 0.04, 0.2, 0.15, 0.45
"""Edge [m] and mass [kg] of the cube, how high it is lifted and where it stands [m]."""


def reach(model: ts.Model, q: Array, position: Array) -> Array:
    """Joint angles with the tool at a position, its z downwards and its y along -y of the world."""
    R, q = np.diag([1.0, -1.0, -1.0]), q.copy()
    for _ in range(200):
        X, J = ts.frame_pose(model, q, TOOL), ts.jacobian(model, q, TOOL)[:, :7]
        E = R @ X[:3, :3].T
        turn = 0.5 * np.array([E[2, 1] - E[1, 2], E[0, 2] - E[2, 0], E[1, 0] - E[0, 1]])
        error = np.concatenate([position - X[:3, 3], turn])
        if np.abs(error).max() < 1e-9:
            return q
        q[:7] += 0.5 * J.T @ np.linalg.solve(J @ J.T + 1e-6 * np.eye(6), error)
    raise AssertionError(f"the tool does not reach {position}")


def lifting() -> tuple[ts.Model, Array, JointLaw]:
    """An arm with a cube between its fingers, its start, and a law that closes, lifts, lowers and opens in 4.1 s."""
    arm = ts.load(robot_data_path("panda_description/urdf/panda.urdf"), package_dirs=[robots_directory()])
    bow = 0.5 * (1.0 - np.cos(np.linspace(0.0, np.pi, 11)))[1:]
    heights = LIFT * np.concatenate([np.zeros(6), bow, np.ones(10), bow[::-1], np.zeros(6)])
    q = np.array([0, -0.785, 0, -2.356, 0, 1.571, 0.785, 0.04])
    path = []
    for height in heights:
        q = reach(arm, q, np.array([PLACE, 0.0, 0.5 * SIDE + height]))
        path.append(q)
    way = np.array(path)
    way[1:-6, 7] = 0.0  # fingers closed as far as they come
    model = arm.with_object(Box((SIDE, SIDE, SIDE)), MASS, ts.pose((PLACE, 0.0, 0.5 * SIDE)), name="cube")
    references = np.hstack([way, np.tile(model.reference[8:], (len(way), 1))])
    gains = {"kp": [*[4000.0] * 7, 800.0, *[0.0] * 6], "kd": [*[200.0] * 7, 40.0, *[0.0] * 6]}
    law = JointLaw(q=references, times=0.1 * np.arange(len(way)), gravity=True,
                   **{name: np.array(gain) for name, gain in gains.items()})  # fmt: skip
    return model, references[0], law
