"""Random reaching motions of crops9 and hrp2, checked against their true shapes; a run that was ended goes on.

python tests/ik/study_reaching.py --count 1000 --results benchmarks/results/reaching.jsonl

crops9 goes from one random posture without collision to the tool's pose of another. hrp2 stands in its reference pose
with both feet and the centre of mass kept and brings its right hand to the pose that it has in a random standing
posture without collision. Arrived means: every limit, every pair of shapes and every kept task holds at ten times the
rate of the motion's samples.
"""

from __future__ import annotations

import functools
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from ik.true_shapes import TrueShapes
from study import run_study, study_parser

import tarsus as ts
from tarsus.ik.reaching.moving_space import moving_space
from tarsus.ik.reaching.task_solver import TaskSolver

CONTROL = 0.01
"""Time between samples of a motion [s]."""
FINER = 10
"""Checks a sample."""
LIMIT_ROUNDING = 1e-9
KEPT = 1e-6
"""Of feet and centre of mass [m, rad]."""
ARRIVED = 1e-6
"""Of the target [m, rad]."""


class Robot:
    """A robot, what it keeps, and random postures of it without collision."""

    frame: str

    def __init__(self, model: Any) -> None:
        self.model = model
        self.scenes = ts.collision.motion_scenes(model).scenes
        self.shapes = TrueShapes(model)
        self.keep: tuple[Any, ...] = ()

    def posture(self, rng: np.random.Generator) -> Any:
        raise NotImplementedError

    def free(self, q: Any) -> Any:
        return np.all([scene.clearance(q) > 0 for scene in self.scenes], axis=0)

    def motion(self, number: int) -> tuple[Any, Any]:
        """The motion of one number, and its target."""
        raise NotImplementedError


class Crops9(Robot):
    frame = "tool"

    def __init__(self) -> None:
        super().__init__(ts.robots.crops9())

    def posture(self, rng: np.random.Generator) -> Any:
        while True:
            q = self.model.random(rng, 32)
            free = q[self.free(q)]
            if len(free):
                return free[0]

    def motion(self, number: int) -> tuple[Any, Any]:
        rng = np.random.default_rng([9, number])
        start, end = self.posture(rng), self.posture(rng)
        task = ts.tasks.FramePose(self.frame, ts.frame_pose(self.model, end, self.frame))
        return ts.ik.reach(self.model, task, start, collision=self.scenes, dt=CONTROL, seed=number), task


class Hrp2(Robot):
    frame = "r_hand"

    def __init__(self) -> None:
        super().__init__(ts.robots.hrp2())
        self.keep = ts.ik.stance(self.model)
        self.space = moving_space(self.model, self.keep, np.array(self.model.reference), None)
        self.solver = TaskSolver(self.space, self.keep)

    def posture(self, rng: np.random.Generator) -> Any:
        while True:
            q, solved = self.solver.solve(self.space.random(rng, 64))
            q = q[solved & self.space.inside(q)]
            free = q[self.free(q)]
            if len(free):
                return free[0]

    def motion(self, number: int) -> tuple[Any, Any]:
        end = self.posture(np.random.default_rng([2, number]))
        task = ts.tasks.FramePose(self.frame, ts.frame_pose(self.model, end, self.frame))
        options = {"collision": self.scenes, "keep": self.keep, "dt": CONTROL, "seed": number}
        return ts.ik.reach(self.model, task, **options), task


ROBOTS = {"crops9": Crops9, "hrp2": Hrp2}


def violations(robot: Robot, motion: Any, task: Any) -> list[str]:
    """What a motion that arrived does wrong."""
    model, found = robot.model, []
    t = np.linspace(0.0, motion.duration, FINER * (len(motion.t) - 1) + 1)
    q, v, vdot = motion.sample(t)
    if not ((q >= model.q_min - LIMIT_ROUNDING) & (q <= model.q_max + LIMIT_ROUNDING)).all():
        found.append("position limit")
    if not (np.abs(v) <= motion.v_max * (1 + LIMIT_ROUNDING)).all():
        found.append(f"velocity limit by {(np.abs(v) / motion.v_max).max():.6f}")
    if not (np.abs(vdot) <= motion.vdot_max * (1 + LIMIT_ROUNDING)).all():
        found.append(f"acceleration limit by {(np.abs(vdot) / motion.vdot_max).max():.6f}")
    found += [f"{' and '.join(pair)} touch" for pair in sorted(robot.shapes.touching(q))]
    for kept in robot.keep:
        if np.abs(kept.error(model, q)).max() > KEPT:
            found.append(f"{type(kept).__name__} is off by {np.abs(kept.error(model, q)).max():.2g}")
    if np.abs(task.error(model, q[-1])).max() > ARRIVED:
        found.append("the target is missed")
    if np.abs(np.concatenate([v[0], v[-1]])).max() > 1e-9:
        found.append("it does not begin and end at rest")
    return found


def outcome(robot: Robot, number: int) -> dict[str, Any]:
    """What became of one motion."""
    begin = time.process_time()
    motion, task = robot.motion(number)
    spent = time.process_time() - begin
    wrong = violations(robot, motion, task) if motion.success else []
    return {
        "status": motion.status,
        "reason": motion.reason,
        "wrong": wrong,
        "time": round(spent, 4),
        "duration": motion.duration,
        "iterations": motion.iterations,
    }


@functools.cache
def robot_of(name: str) -> Robot:
    """A robot, made once a process."""
    made: Robot = ROBOTS[name]()
    return made


def numbered(robot: str, number: int) -> dict[str, Any]:
    """Outcome of one motion of a robot."""
    return outcome(robot_of(robot), number)


def main() -> int:
    options = study_parser(__doc__, 1000).parse_args()
    cases = [{"robot": name, "number": number} for name in ROBOTS for number in range(options.count)]
    found = run_study(options, numbered, cases)
    good = True
    for name in ROBOTS:
        mine = [
            (case["number"], value) for case, value in zip(cases, found.values, strict=True) if case["robot"] == name
        ]
        arrived = sum(value["status"] == "arrived" for _, value in mine)
        wrong = [(number, value["wrong"]) for number, value in mine if value["wrong"]]
        times = [value["time"] for _, value in mine]
        told = f"{arrived} of {len(mine)} arrived, {len(wrong)} with something wrong"
        print(f"{name}: {told}; {np.mean(times):.3f} s of processor a motion, at most {max(times):.2f}", flush=True)
        for number, words in wrong:
            print(f"  {number}: {', '.join(words)}", flush=True)
        good &= not wrong and arrived >= 0.95 * len(mine)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
