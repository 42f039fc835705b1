"""Estimates beside the truth: a trotting quadruped and HRP-2 under a push, in docs/pictures/estimation.png.

python -m docs.pictures.make_estimation, from the root of the repository.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np

import tarsus as ts
from tarsus.contact import ContactPoint, Sole, flat, on_ground
from tarsus.control import BaseEstimator, Contact, JointLaw, Support, WholeBody
from tarsus.gym import policies, quadruped_walk
from tarsus.gym.base_motion import heading, up_in_base
from tarsus.simulation import Push

mpl.use("Agg")
import matplotlib.pyplot as plt

HERE = Path(__file__).parent
FEET = tuple(f"{leg}_foot" for leg in ("fl", "fr", "rl", "rr"))
SOLES = ("l_sole", "r_sole")


def trot(duration: float = 20.0) -> dict[str, np.ndarray]:
    """Base of the quadruped: truth, estimates with ball feet and with point feet, deviations of the first."""
    model = ts.robots.quadruped()
    rest, ground = np.array(model.reference), flat()
    feet = [ContactPoint(foot, foot, radius=0.02) for foot in FEET]
    sensors = ts.sensors.proprioception(model, FEET)
    estimator = BaseEstimator(model, sensors=sensors)
    points = BaseEstimator(model, [Support(foot, patch=False) for foot in FEET], sensors=sensors)
    q0 = on_ground(model, rest, ground, feet)
    estimator.reset(q0)
    points.reset(q0)
    found: dict[str, list[np.ndarray]] = {name: [] for name in ("true", "balls", "points", "speed", "deviation")}
    law = JointLaw()

    def control(seen):
        nonlocal law
        q, v = estimator.update(seen)
        other, _ = points.update(seen)
        found["true"].append(seen.q[:3])
        found["balls"].append(q[:3])
        found["points"].append(other[:3])
        found["speed"].append(np.array([seen.v[0], v[0]]))
        found["deviation"].append(np.sqrt(np.diagonal(estimator.covariance))[:3])
        if (len(found["true"]) - 1) % 20 == 0:
            angle = 2.0 * np.pi * seen.t / quadruped_walk.PERIOD
            own = [heading(q), 0.4, np.sin(angle), np.cos(angle)]
            told = np.concatenate([up_in_base(q), v[:6], own, q[7:] - rest[7:], 0.1 * v[6:]])
            wanted = rest.copy()
            wanted[7:] += quadruped_walk.REACH * policies.trot(told)
            law = JointLaw(100.0, 3.0, q=wanted)
        return law

    ts.simulate(model, q0, duration=duration, controller=control, sensors=sensors, ground=ground, contacts=feet)
    return {name: np.array(values) for name, values in found.items()}


def pushed(duration: float = 3.0) -> dict[str, np.ndarray]:
    """Waist of HRP-2 under a push of 10 N s, controlled by the estimate: truth, estimate, tilts."""
    model = ts.robots.hrp2()
    q0 = np.array(model.reference)
    sensors = ts.sensors.proprioception(model, SOLES)
    estimator = BaseEstimator(model, sensors=sensors)
    estimator.reset(q0)
    inner = [(x, y, 0.0) for x in (-0.09, 0.09) for y in (-0.05, 0.05)]
    tasks = [
        ts.tasks.CenterOfMass(ts.center_of_mass(model, q0), weight=10.0),
        ts.tasks.Orientation("BODY", np.eye(3)),
        ts.tasks.Posture(q0, weight=0.3),
    ]
    body = WholeBody(model, tasks, [Contact(s, inner, pose=ts.frame_pose(model, q0, s)) for s in SOLES])
    found: dict[str, list[np.ndarray]] = {"true": [], "estimate": []}
    tau = np.zeros(model.nv)

    def control(seen):
        nonlocal tau
        q, v = estimator.update(seen)
        found["true"].append(seen.q[:7])
        found["estimate"].append(q[:7])
        if (len(found["true"]) - 1) % 2 == 0:
            tau = body(seen.t, q, v)
        return tau

    corners = [(x, y, 0.0) for x in (-0.115, 0.115) for y in (-0.0655, 0.0655)]
    ts.simulate(model, q0, duration=duration, controller=control, sensors=sensors, ground=flat(),
                contacts=[Sole(s, s, corners) for s in SOLES],
                pushes=[Push("CHEST_LINK1", (100.0, 0.0, 0.0), start=1.0, duration=0.1)])  # fmt: skip
    return {name: np.array(values) for name, values in found.items()}


def main() -> None:
    """Draw the four panels."""
    run, stood = trot(), pushed()
    figure, ((way, speed), (error, push)) = plt.subplots(2, 2, figsize=(11.0, 6.6), layout="constrained")
    for name, style, label in (
        ("true", "k", "truth"),
        ("balls", "C0", "estimate, feet are balls that roll"),
        ("points", "C3", "estimate, feet taken for points"),
    ):
        way.plot(run[name][:, 0], 100.0 * run[name][:, 1], style, lw=1.0, label=label)
        way.plot(run[name][-1, 0], 100.0 * run[name][-1, 1], "o", color=style, ms=4)
    way.set(title="quadruped, 20 s of trot, from above", xlabel="x [m]", ylabel="y [cm]")
    way.legend(fontsize=8)
    time = 1e-3 * np.arange(len(run["true"]))
    some = (time > 4.0) & (time < 5.2)
    speed.plot(time[some], run["speed"][some, 0], "k", lw=2.2, alpha=0.4, label="truth")
    speed.plot(time[some], run["speed"][some, 1], "C0", lw=0.9, label="estimate")
    speed.set(title="its forward velocity", xlabel="time [s]", ylabel="[m/s]")
    speed.legend(fontsize=8)
    for k, (axis, colour) in enumerate(zip("xyz", ("C0", "C1", "C2"), strict=True)):
        error.plot(time, 100.0 * (run["balls"] - run["true"])[:, k], colour, lw=0.9, label=axis)
        band = 200.0 * run["deviation"][:, k]
        error.fill_between(time, -band, band, color=colour, alpha=0.12, lw=0.0)
    distance = np.linalg.norm(run["true"][:, :2] - run["true"][0, :2], axis=1)
    error.plot(time, 2.0 * distance, "k--", lw=0.7, label="2 % of the way")
    error.plot(time, -2.0 * distance, "k--", lw=0.7)
    error.set(title="error of its position, and two standard deviations", xlabel="time [s]", ylabel="[cm]")
    error.set_ylim(-20.0, 20.0)
    error.legend(fontsize=8, ncols=2)
    time = 1e-3 * np.arange(len(stood["true"]))
    push.plot(time, 1e3 * stood["true"][:, 0], "k", lw=2.2, alpha=0.4, label="waist, truth")
    push.plot(time, 1e3 * stood["estimate"][:, 0], "C0", lw=0.9, label="waist, estimate")
    push.plot(time, 1e3 * (stood["estimate"] - stood["true"])[:, 0], "C3", lw=0.9, label="error")
    push.axvspan(1.0, 1.1, color="0.85")
    push.set(title="HRP-2 on sensors, 10 N s at the chest", xlabel="time [s]", ylabel="x [mm]")
    push.legend(fontsize=8)
    figure.savefig(HERE / "estimation.png", dpi=110)


if __name__ == "__main__":
    main()
