"""The quadruped trots, HRP-2 is pushed, and a trot is learned: docs/pictures/learning.png.

python -m docs.pictures.make_learning, from the root of the repository.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np

import tarsus as ts
from tarsus.arrays import BoolArray, FloatArray
from tarsus.gym import HRP2StandVectorEnv, QuadrupedWalkVectorEnv, policies
from tarsus.viewer import draw

mpl.use("Agg")
import matplotlib.pyplot as plt

HERE = Path(__file__).parent
ACTIONS = 500
BLUE, ORANGE, RED = "#1f4fd8", "#d9730d", "#c62828"


def trots() -> tuple[FloatArray, FloatArray]:
    """Configurations (actions, 32, nq) of quadrupeds, and the speeds that they are told (32,)."""
    env = QuadrupedWalkVectorEnv(32, max_episode_steps=None)
    seen, _ = env.reset(seed=1)
    found = []
    for _ in range(ACTIONS):
        seen, *_ = env.step(policies.trot(seen))
        found.append(env.sim.q)
    return np.array(found), env.speed.copy()


def pushed(balanced: bool) -> tuple[FloatArray, BoolArray]:
    """Deviations of centres of mass of HRP-2 robots (actions, 48, 2) [m], and which of them fall."""
    env = HRP2StandVectorEnv(48, max_episode_steps=None)
    seen, _ = env.reset(seed=0)
    found, fallen = [], np.zeros(48, dtype=bool)
    for _ in range(ACTIONS):
        seen, _, ended, _, _ = env.step(policies.balance(seen) if balanced else np.zeros((48, 12)))
        fallen |= ended
        found.append(np.where(fallen[:, None], np.nan, seen[:, 9:11]))
    return np.array(found), fallen


def learned(seed: int, generations: int = 12) -> list[float]:
    """Mean rewards of the generations of the evolution strategy of docs/learning.md."""
    rng = np.random.default_rng(seed)
    mean, spread = np.array([0.2, 0.0, 0.0, 0.03]), np.array([0.5, 0.1, 0.2, 0.02])
    curve = []
    for generation in range(generations):
        tried = mean + spread * rng.normal(size=(48, 4))
        env = QuadrupedWalkVectorEnv(48, max_episode_steps=None)
        seen, _ = env.reset(seed=1000 * seed + generation)
        stride, bias, feedback, lift = np.clip(tried, [0.0, -0.5, -1.0, 0.02], [3.0, 0.5, 1.0, 0.1]).T
        total = np.zeros(48)
        for _ in range(100):
            seen, reward, *_ = env.step(policies.trot(seen, stride=stride, bias=bias, feedback=feedback, lift=lift))
            total += 0.01 * reward
        curve.append(float(total.mean()))
        best = tried[np.argsort(total)[-12:]]
        mean, spread = best.mean(axis=0), 0.7 * best.std(axis=0) + 0.3 * spread
    return curve


def main() -> None:
    """Draw robots above, curves below."""
    ways, speeds = trots()
    time = 0.02 * np.arange(1, ACTIONS + 1)
    figure = plt.figure(figsize=(12.0, 5.6), layout="constrained")
    upper, lower = figure.subfigures(2, 1, height_ratios=(0.75, 1.3))
    model, robot = ts.robots.quadruped(), int(np.argmax(speeds))
    for axes, k in zip(upper.subplots(1, 5), range(200, 225, 5), strict=True):
        q = ways[k, robot].copy()
        q[:2] = 0.0
        draw(model, q, view=(60.0, 10.0), size=(420, 330), ax=axes)
        axes.set_axis_off()
        axes.set_title(f"{time[k]:.1f} s", fontsize=10)
    walk, stand, learn = lower.subplots(1, 3)
    for i, speed in enumerate(speeds):
        walk.plot(time, ways[:, i, 0], color=BLUE, lw=0.8, label="trot" if i == 0 else None)
        walk.plot(time, speed * time, color="0.6", lw=0.6, ls="--", label="wanted" if i == 0 else None)
    walk.set(xlabel="time [s]", ylabel="way [m]", title="32 quadrupeds")
    walk.legend(frameon=False)
    for balanced, color, label in ((False, RED, "joints hold still"), (True, BLUE, "balance")):
        found, fallen = pushed(balanced)
        size = 100.0 * np.linalg.norm(found, axis=-1)
        for i in range(48):
            if balanced or fallen[i]:
                stand.plot(time, size[:, i], color=color, lw=0.6)
        stand.plot([], [], color=color, label=f"{label}: {int(fallen.sum())} of 48 fall")
    stand.set(
        xlabel="time [s]", ylabel="deviation of the centre of mass [cm]", title="HRP-2 under pushes", ylim=(0, 15)
    )
    stand.legend(frameon=False, fontsize=9)
    for seed in range(4):
        learn.plot(learned(seed), color=ORANGE, lw=1.2, marker=".", label="four runs" if seed == 0 else None)
    learn.set(xlabel="generation of 48 robots, 2 s each", ylabel="mean reward of an action", title="learning the trot")
    learn.legend(frameon=False)
    figure.savefig(HERE / "learning.png", dpi=100)


if __name__ == "__main__":
    main()
