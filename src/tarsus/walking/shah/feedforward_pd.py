"""Feed-forward torques plus a proportional-derivative law on the joints (Shah et al., (25))."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tarsus.control.joint_law import JointLaw
from tarsus.errors import ShapeError
from tarsus.walking.shah.pendulum_gait import PendulumGait


def feedforward_pd(
    gait: PendulumGait,
    times: npt.ArrayLike,
    tau: npt.ArrayLike | None = None,
    *,
    kp: float = 170.0,
    kd: float = 30.0,
) -> JointLaw:
    """Law tau_ID(t) + kp (q_d(t) - q) + kd (v_d(t) - v) of the joints along a gait; nothing acts on the base (25).

    Parameters
    ----------
    gait : PendulumGait
        Gives q_d and v_d.
    times : array_like, shape (N,)
        Equidistant times of the references [s]; between them all references are linear.
    tau : array_like, shape (N, 9), optional
        Torques fed forward at these times [N m], from `drive_joints` or `rigid_ground_torque`; none by default.
    kp, kd : float
        Gains of all joints [N m/rad], [N m s/rad]; those of the paper by default.

    Returns
    -------
    JointLaw
        A controller of `tarsus.simulate` that runs natively.
    """
    t = np.asarray(times, dtype=float)
    planned = gait.motion(t)
    given = np.zeros_like(planned.v) if tau is None else np.array(tau, dtype=float)
    if given.shape != planned.v.shape:
        raise ShapeError(f"tau has shape {given.shape}; expected {planned.v.shape}, one row for each of the times")
    given[:, :3] = 0.0
    return JointLaw(kp=kp, kd=kd, q=planned.q, v=planned.v, tau=given, times=t)
