"""The search for gains, amplitudes and the period of the walk, which Feng et al. 2015 do not state.

``python -m tarsus.walking.feng.search --seed 1 --minutes 20`` prints a line for each generation and what was found.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError
from tarsus.optimization.evolution_strategy import Generation, evolve
from tarsus.walking.feng.batch_walk import BatchWalk, batch_walk
from tarsus.walking.feng.split_stance import split_stance
from tarsus.walking.feng.torques.periodic_torques import PeriodicTorques
from tarsus.walking.feng.torques.posture_springs import PostureSprings
from tarsus.walking.feng.torques.visual_lifting import VisualLifting
from tarsus.walking.feng.torques.walk_law import WalkLaw

_STANDING_HEAD = 1.45
"""Height of the head's origin in an upright walk [m]; targets are above it by the lift over its stiffness."""
_SHORTEST = 0.08
"""A step that counts is at least so long [m]."""
_TOE_REST = 0.05
"""The toes shall point down by this [rad], so that they come to lie flat under their spring."""

RANGES: dict[str, tuple[float, float]] = {
    "forward": (0.0, 800.0),
    "lead": (-0.05, 0.5),
    "lift": (500.0, 20000.0),
    "lift_force": (100.0, 1000.0),
    "pitch": (0.0, 400.0),
    "roll": (0.0, 200.0),
    "yaw": (0.0, 100.0),
    "thigh": (5.0, 80.0),
    "period": (0.6, 2.2),
    "roll_torque": (0.0, 10.0),
    "arms": (0.0, 5.0),
    "toe": (20.0, 100.0),
    "split": (0.05, 0.25),
    "speed": (0.0, 1.5),
    "knee": (0.0, 60.0),
    "knee_rest": (0.0, 0.5),
    "trunk": (0.0, 100.0),
}
"""What is searched for, and the ranges of the first draws, 0 and 1 of the coordinates: stiffness [N/m, N m/rad],
torques [N m], lengths [m], angles [rad], the period [s], the force of the lift in an upright walk [N]; of the start the
angle of the legs to the vertical [rad] and the rate at which the supporting one turns forward [rad/s]."""
_SIGNED = ("lead", "knee_rest")


class Candidates(NamedTuple):
    """Laws and starts of B robots."""

    law: WalkLaw
    q: FloatArray
    v: FloatArray


def candidates(x: FloatArray) -> Candidates:
    """Laws and starts of points x, shape (B, 17), in parts of `RANGES`; what cannot be negative is taken positive."""
    if x.ndim != 2 or x.shape[1] != len(RANGES):
        raise ArgumentError(f"x has shape {x.shape}; expected (B, {len(RANGES)})")
    p: dict[str, FloatArray] = {}
    for i, (name, (low, high)) in enumerate(RANGES.items()):
        value = low + (high - low) * x[:, i]
        p[name] = value if name in _SIGNED else np.maximum(np.abs(value), 1e-6)
    law = WalkLaw(
        VisualLifting(p["forward"], p["lift"], p["roll"], p["pitch"], p["yaw"], p["lead"],
                      _STANDING_HEAD + p["lift_force"] / p["lift"]),
        PeriodicTorques(p["thigh"], p["roll_torque"], p["arms"], p["period"]),
        PostureSprings(p["knee"], p["toe"], p["trunk"], p["knee_rest"], np.full(len(x), _TOE_REST)),
    )  # fmt: skip
    return Candidates(law, *split_stance(p["split"], p["speed"]))


def merit(walk: BatchWalk, duration: float) -> FloatArray:
    """What is made large, shape (B,): steps, then time on the feet, length of steps, straight and regular walks."""
    steps = np.array([sum(length > _SHORTEST for length in lengths) for lengths in walk.lengths])
    mean = np.array([float(np.mean(lengths)) if lengths else 0.0 for lengths in walk.lengths])
    spread = np.array([float(np.std(lengths[2:])) if len(lengths) > 5 else 0.3 for lengths in walk.lengths])
    regular = np.where(walk.standing, 5.0 - 10.0 * spread, 0.0)
    return steps + 2.0 * walk.time / duration + 2.0 * mean - 20.0 * walk.bent_back + regular


@dataclass(frozen=True)
class Stage:
    """A part of the search, from the best point of the part before.

    Attributes
    ----------
    duration : float
        Of the walks [s].
    spread : float
        Step size at its begin, in parts of `RANGES`.
    population, generations : int
    """

    duration: float
    spread: float
    population: int
    generations: int


STAGES = (Stage(6.0, 0.23, 96, 1), Stage(8.0, 0.06, 64, 30), Stage(15.0, 0.02, 64, 10))
"""Short walks and large steps first."""
_DRAWS = 1024
"""Points that are drawn over all of the ranges before the first stage."""


def search(
    seed: int = 0,
    *,
    stages: tuple[Stage, ...] = STAGES,
    draws: int = _DRAWS,
    seconds: float = math.inf,
    on_generation: Callable[[Generation], None] | None = None,
) -> FloatArray:
    """Best point x, shape (17,), of random draws and stages of `evolve`; nothing is tried after so many seconds."""
    if seed < 0:
        raise ArgumentError(f"seed is {seed}; expected 0 or above")
    if not seconds > 0.0:
        raise ArgumentError(f"seconds is {seconds!r}; expected above 0: without a walk nothing can be found")
    end = time.perf_counter() + seconds

    def valued(duration: float) -> Callable[[FloatArray], FloatArray]:
        def value(x: FloatArray) -> FloatArray:
            if time.perf_counter() > end:
                return np.full(len(x), np.nan)
            made = candidates(x)
            return merit(batch_walk(made.law, made.q, made.v, duration=duration), duration)

        return value

    x = np.random.default_rng(seed).uniform(size=(draws, len(RANGES)))
    drawn = valued(stages[0].duration)(x)
    if np.isnan(drawn).all():
        raise ArgumentError(f"seconds is {seconds!r}; expected time for at least one walk")
    best: FloatArray = x[int(np.nanargmax(drawn))]
    for number, stage in enumerate(stages):
        found = evolve(valued(stage.duration), best, stage.spread, population=stage.population,
                       generations=stage.generations, seed=seed + number, on_generation=on_generation)  # fmt: skip
        best = found.best
    return best


def law_of(x: FloatArray) -> WalkLaw:
    """The law of one point, shape (17,), with plain numbers."""
    law = candidates(x[None]).law
    parts = {name: getattr(law, name) for name in ("lifting", "periodic", "posture")}
    plain = {n: replace(p, **{k: float(a[0]) for k, a in vars(p).items()}) for n, p in parts.items()}
    return WalkLaw(**plain)


def main() -> None:
    """Run the search and print the law that was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=20.0)
    options = parser.parse_args()
    begin = time.perf_counter()

    def told(done: Generation) -> None:
        if np.isnan(done.value).all():
            return  # out of time
        median = float(np.median(done.value))
        print(f"{time.perf_counter() - begin:7.0f} s  generation {done.number:3d}  best {done.best_value:6.2f}  median "
              f"{median:6.2f}  spread {done.spread:.3f}", flush=True)  # fmt: skip

    try:
        found = search(options.seed, seconds=60.0 * options.minutes, on_generation=told)
    except ArgumentError as error:
        parser.error(str(error))
    print(law_of(found))


if __name__ == "__main__":
    main()
