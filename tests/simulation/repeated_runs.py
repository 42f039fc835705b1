"""Runs that must be the same bit by bit whenever and wherever they are repeated.

``python -m simulation.repeated_runs NAME`` in the directory of the tests prints the digest of a run.
"""

from __future__ import annotations

import hashlib
import sys
from typing import Any

import numpy as np
from recording.runs import arrays

import tarsus as ts
from tarsus.contact import Compliant, LeastConstraint, PseudoCoulomb, ViscoElasticSole, contactors, flat, points
from tarsus.contact.contactors import features
from tarsus.simulation import JointLaw

ROBOTS = 37
"""More than two chunks of robots that a thread takes at once, and no multiple of the lanes of any instruction set."""

LAWS = {
    "compliant": Compliant(2e4, 100.0, 0.6, 2e4, 100.0),
    "pseudo-coulomb": PseudoCoulomb(2e4, 100.0, 0.6, 200.0),
    "sole": ViscoElasticSole(2e4, 100.0, 0.6, 2e4, 100.0),
    "least-constraint": LeastConstraint(0.6, 0.2),
}
INTEGRATORS = ("semi-implicit-euler", "runge-kutta-4", "implicit-midpoint")
WALKERS = (*(f"{integrator} {law}" for integrator in INTEGRATORS for law in list(LAWS)[:3]),
           "least-constraint least-constraint")  # fmt: skip
"""A planar biped of seven links that falls on the ground under joint control: every fixed-step integrator and law."""
OTHERS = ("geared", "lying")
"""Lola with 24 geared rotors on compliant ground; robots that lie on different bodies, with solved impulses."""


def arguments(name: str) -> dict[str, Any]:
    """Arguments of `ts.simulate`."""
    rng = np.random.default_rng(11)
    if name == "geared":
        model = ts.robots.lola(drives="rigid")
        soles = [f"{s}_sole_{end}_{edge}" for s in "rl" for end in ("rear", "front") for edge in ("left", "right")]
        return _start(model, rng) | {"controller": JointLaw(kp=4000.0, kd=100.0), "ground": flat(), "duration": 0.05,
                                     "contacts": points(model, soles), "sample_dt": 0.01}  # fmt: skip
    if name == "lying":
        model = ts.robots.hrp2()
        start = _start(model, rng) | {"controller": JointLaw(kp=500.0, kd=20.0), "duration": 0.1, "sample_dt": 0.01,
                                      "ground": flat(LAWS["least-constraint"])}  # fmt: skip
        turns = rng.normal(size=(ROBOTS, 4))
        start["q0"][:, 3:7] = turns / np.linalg.norm(turns, axis=1, keepdims=True)
        start["q0"][:, 2] -= _lowest(model, start["q0"])
        start["v0"][:] = 0.0
        return start
    model = ts.robots.shah7()
    feet = ts.contact.contactors(model, ["r_foot", "l_foot"])
    integrator, law = ("semi-implicit-euler", "compliant") if name == "long" else name.split()
    common = {"ground": flat(LAWS[law]), "contacts": feet}
    if law != "least-constraint":
        common["integrator"] = integrator
    if name == "long":
        return {"model": model, "controller": JointLaw(kp=300.0, kd=10.0), "duration": 100.0, "sample_dt": 0.1} | common
    if integrator in ("runge-kutta-4", "implicit-midpoint"):  # explicit in the gains: small steps
        return _start(model, rng) | common | {"controller": JointLaw(kp=100.0, kd=1.0), "duration": 0.06, "dt": 2e-4,
                                              "sample_dt": 0.01}  # fmt: skip
    return _start(model, rng) | common | {"controller": JointLaw(kp=300.0, kd=10.0), "duration": 0.3, "sample_dt": 0.02}


def _start(model: ts.Model, rng: np.random.Generator) -> dict[str, Any]:
    """Robots within 2 mm of the ground, each with another velocity."""
    q = np.tile(model.reference, (ROBOTS, 1))
    q[:, 1 if model.base == "planar" else 2] += rng.uniform(-2e-3, 2e-3, ROBOTS)
    return {"model": model, "q0": q, "v0": 0.3 * rng.normal(size=(ROBOTS, model.nv))}


def _lowest(model: ts.Model, q: Any) -> Any:
    """Height of the lowest point that can touch [m], of each robot."""
    heights = []
    for feature in features(model, contactors(model)):
        X = ts.frame_pose(model, q, feature.body)
        heights.append((X[..., :3, :3] @ feature.start + X[..., :3, 3])[..., 2] - feature.radius)
    return np.min(heights, axis=0)


def digest(run: ts.Trajectory) -> str:
    """SHA-256 of all arrays: times, states, torques, contacts, energies and signals."""
    sha = hashlib.sha256()
    for name, array in arrays(run).items():
        sha.update(f"{name} {array.dtype} {array.shape}".encode())
        sha.update(np.ascontiguousarray(array).tobytes())
    return sha.hexdigest()


if __name__ == "__main__":
    print(digest(ts.simulate(**arguments(sys.argv[1]), resumable=True)))
