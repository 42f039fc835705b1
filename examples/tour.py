"""The main functions of tarsus on HRP-2, one after the other.

python examples/tour.py
"""

from __future__ import annotations

import numpy as np

import tarsus as ts


def main() -> None:
    model = ts.robots.hrp2()
    rng = np.random.default_rng(7)
    q, v, vdot = model.random(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)
    print(model)

    knee = model.joints["RLEG_JOINT3"]
    print(f"knee: {knee.kind}, from {knee.q_min[0]:.2f} to {knee.q_max[0]:.2f} rad, q{knee.q_index} v{knee.v_index}")

    X_WF = ts.frame_pose(model, q, "l_sole")
    J_WF = ts.jacobian(model, q, "l_sole")
    slip = np.abs(J_WF @ v - ts.frame_velocity(model, q, v, "l_sole")).max()
    print(f"left sole at {np.round(X_WF[:3, 3], 3)}; Jacobian against velocity: {slip:.1e}")

    tau = ts.inverse_dynamics(model, q, v, vdot)
    error = np.abs(ts.forward_dynamics(model, q, v, tau) - vdot).max()
    print(f"forward after inverse dynamics: off by {error:.1e}")

    M = ts.mass_matrix(model, q)
    energy = ts.kinetic_energy(model, q, v)
    print(f"kinetic energy {energy:.3f} J; v M v / 2 = {v @ M @ v / 2:.3f} J")

    push = ts.body_wrenches(model, q, {"l_hand": [50.0, 0.0, 0.0, 0.0, 0.0, 0.0]})
    pushed = ts.forward_dynamics(model, q, v, tau, external=push)
    print(f"a push of 50 N on the hand changes accelerations by up to {np.abs(pushed - vdot).max():.1f}")

    Q, V = model.random(rng, 1000), rng.normal(size=(1000, model.nv))
    one, two = (ts.inverse_dynamics(model, Q, V, np.zeros(model.nv), threads=threads) for threads in (1, 2))
    print(f"{len(Q)} states at once: {one.shape}; two threads give the same bits: {np.array_equal(one, two)}")


if __name__ == "__main__":
    main()
