"""What objectives, accelerations and torque laws cost from Python: `python -m benchmarks.redundancy`."""

from __future__ import annotations

import argparse
import json
from typing import Any

import numpy as np

import tarsus as ts
from benchmarks.timing import FULL, QUICK, Statement, race
from tarsus.control import OperationalSpace
from tarsus.ik import SecondOrderLimits, objectives
from tarsus.ik.velocity.weighting import LowRankWeights, divided_rows


def statements() -> dict[str, Statement]:
    """One call each; all of them take turns."""
    arm, hrp2 = ts.robots.crops9(), ts.robots.hrp2()
    q, v = np.array(arm.reference), 0.1 * np.ones(arm.nv)
    scene = ts.collision.CollisionModel(arm)
    tool = ts.tasks.FramePose("tool", ts.frame_pose(arm, q, "tool"))
    feet = [ts.tasks.FramePose(foot, ts.frame_pose(hrp2, hrp2.reference, foot)) for foot in ("l_sole", "r_sole")]
    limits = SecondOrderLimits(acceleration=20.0, scene=scene, margin=0.005)
    wishes = {
        "limits of joints": objectives.JointLimits(),
        "collision": objectives.CollisionPotential(scene),
        "posture": objectives.PostureDistance(),
        "manipulability": objectives.Manipulability("tool"),
    }
    found = {
        f"gradient of crops9: {name}": Statement("f(m, q)", {"f": wish.gradient, "m": arm, "q": q})
        for name, wish in wishes.items()
    }
    own = {"m": arm, "t": tool, "q": q, "v": v}
    found["velocity of crops9"] = Statement("f(m, t, q)", own | {"f": ts.ik.velocity})
    found["velocity of crops9, four objectives"] = Statement(
        "f(m, t, q, objectives=w)", own | {"f": ts.ik.velocity, "w": list(wishes.values())}
    )
    standing = {"f": ts.ik.velocity, "m": hrp2, "t": feet, "q": np.array(hrp2.reference)}
    found["velocity of hrp2, two feet"] = Statement("f(m, t, q)", standing)
    momentum = objectives.AngularMomentum()
    found["velocity of hrp2, least angular momentum"] = Statement(
        "f(m, t, q, objectives=w)", standing | {"w": momentum}
    )
    found["acceleration of crops9"] = Statement("f(m, t, q, v)", own | {"f": ts.ik.acceleration})
    found["acceleration of crops9, least torque"] = Statement(
        "f(m, t, q, v, minimise='torque')", own | {"f": ts.ik.acceleration}
    )
    found["acceleration of crops9, limits and distances"] = Statement(
        "f(m, t, q, v, limits=w)", own | {"f": ts.ik.acceleration, "w": limits}
    )
    found["operational space control of crops9"] = Statement(
        "f(0.0, q, v)", {"f": OperationalSpace(arm, tool, posture=ts.tasks.Posture()), "q": q, "v": v}
    )
    return found | woodbury()


def woodbury(n: int = 36, m: int = 15) -> dict[str, Statement]:
    """J W^-1 for weights of low rank, by the identity and by the dense matrix."""
    rng = np.random.default_rng(0)
    W = LowRankWeights(rng.uniform(0.5, 2.0, n), rng.normal(size=(1, n)))
    J = rng.normal(size=(m, n))
    dense = "D = np.diag(W.diagonal) + W.rows.T @ W.rows; np.linalg.solve(D, J.T).T"
    return {
        "J W^-1 of hrp2 by Woodbury": Statement("f(J, W)", {"f": divided_rows, "J": J, "W": W}),
        "J W^-1 of hrp2, dense": Statement(dense, {"np": np, "J": J, "W": W}),
    }


def main() -> None:
    """Print a table, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = statements()
    times = race(list(rows.values()), QUICK if options.quick else FULL)
    result: dict[str, Any] = {name: 1e6 * t for name, t in zip(rows, times, strict=True)}
    if options.json:
        print(json.dumps({"microseconds": result}, indent=1))
        return
    print("| call | us |\n|---|---|")
    for name, t in result.items():
        print(f"| {name} | {t:.0f} |")


if __name__ == "__main__":
    main()
