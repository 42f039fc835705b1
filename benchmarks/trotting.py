"""1024 Solo12 robots that stand and trot under joint PD, one call for each action, here and in MuJoCo.

Both take steps of 2 ms, ten for each action, with the PD gains and the damping of contact implicit. As learning does,
each action has references of its own for every robot, states are read after it, and some robots are put back. MuJoCo's
`rollout` is called as a user would; its model is made from ours without the meshes that would only slow it down.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mujoco
import mujoco.rollout
import numpy as np
import numpy.typing as npt
from rich.table import Table

import tarsus as ts
from benchmarks.cells import empty_table
from benchmarks.contestants import robot_file
from benchmarks.section import Section, as_one
from benchmarks.standing import FRICTION, mujoco_model
from benchmarks.target import Target
from tarsus.arrays import FloatArray
from tarsus.contact import Compliant, ContactPoint, flat
from tarsus.control.joint_law import JointLaw
from tarsus.model.model import Model

SOLO12 = "solo_description/robots/solo12.urdf"
DT, STEPS, ACTIONS = 2e-3, 10, 25
KP, KD = 20.0, 0.6
ROBOTS, RESET_PART = 1024, 0.01
"""Robots, and the part of them that is put back after each action."""
LINK, HEIGHT, LIFT, STRIDE, PERIOD, RADIUS = 0.16, 0.23, 0.06, 0.1, 0.4, 0.0175
"""Legs of Solo12 and the trot [m, s]."""
SETTLING = 50
"""Actions before anything is measured."""


@dataclass(frozen=True)
class Trotting:
    """Times of the processor for one step of one robot [us], the best, with everything that an action asks for.

    `travel` are the mean ways of trotting robots in 2 s, ours and MuJoCo's [m].
    """

    standing: float
    standing_peer: float
    trotting: float
    trotting_peer: float
    different: float
    travel: tuple[float, float]
    threads: int

    @property
    def ratios(self) -> dict[str, float]:
        """How many times as many steps as MuJoCo."""
        return {
            "1024 robots standing": self.standing_peer / self.standing,
            "1024 robots trotting": self.trotting_peer / self.trotting,
            "1024 robots trotting, masses and friction of their own": self.trotting_peer / self.different,
        }


def solo12() -> tuple[Model, FloatArray, tuple[ContactPoint, ...]]:
    """The robot, its stance, and its feet."""
    model = ts.load(robot_file(SOLO12), base="free")
    q = model.neutral()
    q[7:] = np.tile([0.0, *_leg(np.zeros(1), np.full(1, -HEIGHT))[0]], 4)
    q[2] = HEIGHT + RADIUS
    feet = tuple(ContactPoint(name, name, radius=RADIUS) for name in ("FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"))
    return model, q, feet


def _leg(x: FloatArray, z: FloatArray) -> FloatArray:
    """Angles (..., 2) of thigh and knee that put the foot there, from the hip."""
    knee = -2.0 * np.arccos(np.hypot(x, z) / (2.0 * LINK))
    return np.stack([np.arctan2(-x, -z) - 0.5 * knee, knee], axis=-1)


def trot(phase: FloatArray) -> FloatArray:
    """Joint references (..., 12): diagonal legs swing in turn."""
    angles = np.zeros((*phase.shape, 4, 3))
    for leg in range(4):
        part = np.mod(phase + (0.0 if leg in (0, 3) else 0.5), 1.0)
        u, swings = np.mod(2.0 * part, 1.0), part < 0.5
        x = STRIDE * np.where(swings, -0.5 * np.cos(np.pi * u), 0.5 - u)
        angles[..., leg, 1:] = _leg(x, -HEIGHT + np.where(swings, LIFT * np.sin(np.pi * u), 0.0))
    return angles.reshape(*phase.shape, 12)


class Ours:
    """Robots here."""

    def __init__(
        self, model: Model, q: FloatArray, feet: tuple[ContactPoint, ...], threads: int, **options: Any
    ) -> None:
        ground = flat(Compliant(friction=FRICTION))
        self.sim = ts.Simulation(model, q, batch=ROBOTS, ground=ground, contacts=feet, dt=DT, threads=threads,
                                 stops=False, **options)  # fmt: skip
        self._start, self._reference = q, np.tile(q, (ROBOTS, 1))

    def act(self, reference: FloatArray, back: npt.NDArray[np.bool_]) -> FloatArray:
        """States after an action."""
        self._reference[:, 7:] = reference
        self.sim.step(JointLaw(KP, KD, q=self._reference, limited=False), steps=STEPS)
        self.sim.reset(self._start, where=back | self.sim.failed)
        return np.concatenate([self.sim.q, self.sim.v], axis=1)


class Peer:
    """Robots in MuJoCo."""

    def __init__(self, model: Model, q: FloatArray, feet: tuple[ContactPoint, ...], threads: int) -> None:
        self._model = mujoco_model(model, feet, DT, KP, KD)
        self._data = [mujoco.MjData(self._model) for _ in range(threads)]
        self._rollout = mujoco.rollout.Rollout(nthread=0 if threads == 1 else threads)
        self._start = np.concatenate([[0.0], q, np.zeros(model.nv)])
        self._states = np.tile(self._start, (ROBOTS, 1))
        self._out = np.zeros((ROBOTS, STEPS, len(self._start)))

    def act(self, reference: FloatArray, back: npt.NDArray[np.bool_]) -> FloatArray:
        """States after an action."""
        controls = np.broadcast_to(reference[:, None], (ROBOTS, STEPS, 12))
        self._rollout.rollout(self._model, self._data, self._states, controls, state=self._out)
        self._states = self._out[:, -1].copy()
        self._states[back] = self._start
        return self._states


def measure_trotting(rounds: int = 5, threads: int = 1) -> Trotting:
    """Both simulators in turn."""
    model, q, feet = solo12()
    rng = np.random.default_rng(0)
    phase = rng.random(ROBOTS)
    still = np.broadcast_to(q[7:], (SETTLING + ACTIONS, ROBOTS, 12))
    moving = trot(phase + (np.arange(SETTLING + ACTIONS) * STEPS * DT / PERIOD)[:, None])
    back = rng.random((SETTLING + ACTIONS, ROBOTS)) < RESET_PART
    own = {"inertias": ts.simulation.body_inertias(model, rng.uniform(0.9, 1.1, (ROBOTS, 1))),
           "friction": rng.uniform(0.5, 1.0, ROBOTS)}  # fmt: skip
    contests: dict[str, tuple[Ours | Peer, FloatArray]] = {
        "standing": (Ours(model, q, feet, threads), still),
        "standing_peer": (Peer(model, q, feet, threads), still),
        "trotting": (Ours(model, q, feet, threads), moving),
        "trotting_peer": (Peer(model, q, feet, threads), moving),
        "different": (Ours(model, q, feet, threads, **own), moving),
    }
    for robots, references in contests.values():
        for k in range(SETTLING):
            robots.act(references[k], back[k])
    best = {name: np.inf for name in contests}
    for _ in range(rounds):
        for name, (robots, references) in contests.items():
            taken = _time(lambda k, r=robots, x=references: r.act(x[SETTLING + k], back[SETTLING + k]))
            best[name] = min(best[name], taken / (ROBOTS * STEPS * ACTIONS) * 1e6)
    return Trotting(**best, travel=_travel(model, q, feet, moving), threads=threads)


def _time(act: Callable[[int], Any]) -> float:
    begin = time.process_time()
    for k in range(ACTIONS):
        act(k)
    return time.process_time() - begin


def _travel(model: Model, q: FloatArray, feet: tuple[ContactPoint, ...], references: FloatArray) -> tuple[float, float]:
    """Mean way in x of trotting robots within 2 s, ours and MuJoCo's [m]."""
    none = np.zeros(ROBOTS, dtype=bool)
    ours, peer = Ours(model, q, feet, 1), Peer(model, q, feet, 1)
    for k in range(round(2.0 / (STEPS * DT))):
        mine, theirs = (robots.act(references[k % len(references)], none) for robots in (ours, peer))
    return float(mine[:, 0].mean()), float(theirs[:, 1].mean())


_TROTTING = (
    # what, floor
    ("1024 robots standing", 8.0),
    ("1024 robots trotting", 8.0),
)


def trotting_table(trotting: Trotting) -> Table:
    """Solo12 standing and trotting, here and in MuJoCo."""
    table = empty_table(
        "1024 solo12, ten steps of 2 ms an action", ("", "ours, us a step", "mujoco, us a step", "ratio"), left=("",)
    )
    times = {
        "standing": (trotting.standing, trotting.standing_peer),
        "trotting": (trotting.trotting, trotting.trotting_peer),
        "trotting, masses and friction of their own": (trotting.different, trotting.trotting_peer),
    }
    for name, (ours, theirs) in times.items():
        table.add_row(name, f"{ours:.3g}", f"{theirs:.3g}", f"{theirs / ours:.2f}")
    table.caption = f"trotting robots travel {trotting.travel[0]:.2f} m in 2 s, MuJoCo's {trotting.travel[1]:.2f} m"
    return table


def judge_trotting(trotting: Trotting | None) -> list[Target]:
    """Solo12 on its feet, action by action, against MuJoCo."""
    ratios = {} if trotting is None else trotting.ratios
    return [Target(f"solo12, {name}: mujoco / ours", floor, None, ratios.get(name)) for name, floor in _TROTTING]


SECTION = Section(
    "trotting",
    lambda options: iter([measure_trotting(options.rounds(10, 2))]),
    lambda found: [trotting_table(found[0])],
    lambda found: judge_trotting(found[0] if found else None),
    as_one,
)


if __name__ == "__main__":
    import sys

    found = measure_trotting(threads=int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    print(found)
    print(found.ratios)
