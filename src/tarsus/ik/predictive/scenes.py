"""The scenes of Buschmann 2014, 5.6: a planar arm that passes an obstacle, and an arm of nine joints beside itself.

The text gives weights and horizons; paths, sizes, gains and activation distances are estimates.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tarsus.arrays import FloatArray, IntArray
from tarsus.collision import CollisionModel, Obstacle, SweptSphere
from tarsus.dynamics import frame_pose
from tarsus.errors import UnknownNameError, nearest
from tarsus.ik.predictive.costs import CollisionCost, Costs, Kind, LimitCost
from tarsus.ik.predictive.local import local
from tarsus.ik.predictive.motion import Motion, Plan
from tarsus.ik.predictive.optimize import Level, optimize
from tarsus.ik.predictive.receding_horizon import PredictiveMotion, follow
from tarsus.ik.predictive.task_path import whole_steps
from tarsus.model import Model
from tarsus.robots import crops9, planar4
from tarsus.spatial import rotation_matrix_from_rotation_vector, rotation_vector_from_rotation_matrix
from tarsus.tasks import FramePose, Position, Task

GAIN = 50.0
"""Of the tasks [1/s]: errors of steps of 10 ms stay below a tenth of a millimetre."""


PIECEWISE: Kind = "piecewise"
CUBIC: Kind = "cubic"


@dataclass(frozen=True, eq=False)
class Scene:
    """A robot, what it shall follow, and what motions cost.

    Attributes
    ----------
    name : str
    model : Model
    task : Task
        With targets over time.
    q0 : ndarray, shape (nq,)
    dt : float
        [s]
    scene : CollisionModel or None
    local_costs, costs : Costs
        Of local and of predictive redundancy resolution.
    horizons : tuple of float
        [s]; the last is the one that the text calls long.
    counted : ndarray of int
        Entries of v that count for the pseudoenergy: revolute joints.
    """

    name: str
    model: Model
    task: Task
    q0: FloatArray
    dt: float
    scene: CollisionModel | None
    local_costs: Costs
    costs: Costs
    horizons: tuple[float, ...]
    counted: IntArray

    def unaware(self) -> Plan:
        """Local resolution that knows of no collision."""
        known = None if self.scene is None else CollisionCost(self.scene, 0.0)
        costs = Costs(limits=self.local_costs.limits, collision=known)
        return local(self.model, self.task, self.q0, dt=self.dt, costs=costs)

    def local(self) -> Plan:
        """Local resolution."""
        return local(self.model, self.task, self.q0, dt=self.dt, costs=self.local_costs)

    def predictive(
        self,
        horizon: float | None = None,
        *,
        level: Level = "velocity",
        iterations: int = 3,
        cycle: float | None = None,
        keep: bool = False,
    ) -> PredictiveMotion:
        """Predictive resolution; the last horizon by default."""
        return follow(
            self.model,
            self.task,
            self.q0,
            dt=self.dt,
            costs=self.costs,
            horizon=self.horizons[-1] if horizon is None else horizon,
            level=level,
            iterations=iterations,
            first_iterations=30,
            cycle=cycle,
            keep=keep,
        )

    def whole(self, guess: FloatArray, *, free_start: bool = False) -> Plan:
        """Global resolution: the whole path as one horizon, from the input of another motion on."""
        return optimize(
            self.model,
            self.task,
            self.q0,
            dt=self.dt,
            costs=self.costs,
            guess=guess,
            iterations=500,
            free_start=free_start,
        )

    def pseudo_energy(self, motion: Motion) -> FloatArray:
        """Sum of the squared velocities that count, shape (K,)."""
        result: FloatArray = (motion.v[:, self.counted] ** 2).sum(axis=-1)
        return result


def smooth_steps(steps: int) -> FloatArray:
    """From 0 to 1 with rest at both ends, shape (steps + 1,): a polynomial of fifth degree."""
    s = np.linspace(0.0, 1.0, steps + 1)
    result: FloatArray = 10 * s**3 - 15 * s**4 + 6 * s**5
    return result


def planar4_past_an_obstacle() -> Scene:
    """Figures 5.30 to 5.34: a straight line of the tool, past a ball that the links would touch.

    Weights 1.0 (velocity), 1.0 (collision), 0.6 (limits), horizon 1 s.
    """
    model, dt, steps = planar4(), 0.01, 400
    volumes = {f"link{k}": [SweptSphere([[0.0, 0.0, 0.0], [0.5, 0.0, 0.0]], 0.045)] for k in range(1, 5)}
    ball = Obstacle("ball", [SweptSphere([[0.85, -0.2, 0.1]], 0.12)])
    scene = CollisionModel(model, volumes, [ball], include=["ball"])
    start, end = np.array([1.4, 0.9, 0.1]), np.array([1.4, -0.9, 0.1])
    targets = start + smooth_steps(steps)[:, None] * (end - start)
    costs = Costs(limits=LimitCost(0.6), collision=CollisionCost(scene, 1.0, activation=0.2, gain=200.0, kind="cubic"))
    q0 = np.array([0.65897952, 0.11121705, 0.40132847, -1.61594164])  # the tool is at the start of the line
    task = Position("tool", targets, axes=[True, True, False], gain=GAIN)
    return Scene("planar4", model, task, q0, dt, scene, costs, costs, (1.0,), np.arange(4))


NEXT_BUT_ONE = (
    ("platform", "link2"),
    ("carriage", "link3"),
    ("link3", "link5"),
    ("link5", "link7"),
    ("link6", "link8"),
    ("link7", "link9"),
)
"""Pairs of crops9 that are always near each other."""


def crops9_beside_itself() -> Scene:
    """Figure 5.35: a motion of the tool from pose to pose on which the arm would touch itself.

    Weights of local resolution 1.0, 2.0, 0.6 with the piecewise potential (5.58), of predictive resolution 1.0, 5000,
    80 with the cubic one; horizons 0.15 s and 2 s.
    """
    model, dt, steps = crops9(), 0.01, 400
    scene = CollisionModel(model, exclude=NEXT_BUT_ONE)
    q0 = np.array([0.49, 0.911, 0.126, -1.293, 1.205, -1.241, 0.457, -0.543, -0.546])
    q1 = np.array([0.602, -0.226, 0.535, -1.198, 1.449, -1.797, 1.178, -0.465, 0.029])
    X, end = np.tile(frame_pose(model, q0, "tool"), (steps + 1, 1, 1)), frame_pose(model, q1, "tool")
    s, turn = smooth_steps(steps)[:, None], rotation_vector_from_rotation_matrix(end[:3, :3] @ X[0, :3, :3].T)
    X[:, :3, :3] = rotation_matrix_from_rotation_vector(s * turn) @ X[:, :3, :3]
    X[:, :3, 3] += s * (end[:3, 3] - X[0, :3, 3])
    near, bounds = 0.08, LimitCost(0.6, kind="piecewise")
    local_costs = Costs(limits=bounds, collision=CollisionCost(scene, 2.0, near, gain=5.0, kind="piecewise"))
    costs = Costs(
        limits=LimitCost(80.0, kind="piecewise"), collision=CollisionCost(scene, 5000.0, near, gain=1.0, kind="cubic")
    )
    task = FramePose("tool", X, gain=GAIN)
    return Scene("crops9", model, task, q0, dt, scene, local_costs, costs, (0.15, 2.0), np.arange(1, 9))


def line_scene(
    model: Model,
    frame: str,
    end: tuple[float, float, float],
    q0: FloatArray,
    duration: float,
    horizon: float,
    keep_orientation: bool = False,
    dt: float = 0.01,
) -> Scene:
    """A frame of any robot on a straight line from where it is, with the weights of figure 5.35.

    Collisions are those of `model.volumes`. The activation distance is 8 cm, or less where volumes are nearer than that
    at the start, as neighbours of neighbours are; gains are such that potentials at contact are the same.
    """
    steps = whole_steps("duration", duration, dt)
    X = np.tile(frame_pose(model, q0, frame), (steps + 1, 1, 1))
    X[:, :3, 3] += smooth_steps(steps)[:, None] * (np.asarray(end) - X[0, :3, 3])
    task = FramePose(frame, X, gain=GAIN) if keep_orientation else Position(frame, X[:, :3, 3], gain=GAIN)
    scene = CollisionModel(model) if model.volumes else None
    near = 0.08 if scene is None else float(np.clip(0.8 * scene.clearance(q0), 0.01, 0.08))
    scale = 0.08 / near
    both = [
        Costs(
            limits=LimitCost(limits, kind="piecewise"),
            collision=None if scene is None else CollisionCost(scene, weight, near, gain=gain, kind=kind),
        )
        for limits, weight, gain, kind in ((0.6, 2.0, 5.0 * scale, PIECEWISE), (80.0, 5000.0, scale**3, CUBIC))
    ]
    turning = np.array(
        [k for j in model.joints.values() for k in range(j.v_index.start, j.v_index.stop) if j.kind != "prismatic"],
        dtype=np.intp,
    )
    return Scene(model.name, model, task, q0, dt, scene, both[0], both[1], (horizon,), turning)


SCENES: dict[str, Callable[[], Scene]] = {"planar4": planar4_past_an_obstacle, "crops9": crops9_beside_itself}
"""By the names of their robots."""


def scene(name: str) -> Scene:
    """The scene of that name."""
    if name not in SCENES:
        hint = nearest(name, SCENES) or f"; there are {', '.join(SCENES)}"
        raise UnknownNameError(f"scene {name!r} not found{hint}")
    return SCENES[name]()
