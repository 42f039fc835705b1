"""The inner controller of a series elastic actuator."""

from __future__ import annotations

from dataclasses import dataclass

import numpy.typing as npt

from tarsus.devices.parameters import parameter


@dataclass(frozen=True, eq=False)
class ForceLoop:
    """Control of the spring's torque by its deflection; Pratt and Williamson 1995.

    With the reference r and the spring's torque t = k (theta - q) the motor is asked for the torque (at the joint)

        r + kp (r - t) + e - kd t',    e' = ki (r - t).

    With a locked joint, an ideal motor and ki = 0, t follows r with the natural frequency sqrt(k (1 + kp) / J) and the
    damping ratio kd / 2 sqrt(k / (J (1 + kp))), where J is the rotor's inertia seen at the joint.

    Attributes
    ----------
    kp : float or ndarray, shape (n,)
        [-].
    ki : float or ndarray, shape (n,)
        [1/s].
    kd : float or ndarray, shape (n,)
        [s].
    """

    kp: npt.ArrayLike = 0.0
    ki: npt.ArrayLike = 0.0
    kd: npt.ArrayLike = 0.0

    def __post_init__(self) -> None:
        for name in ("kp", "ki", "kd"):
            object.__setattr__(self, name, parameter("ForceLoop", name, getattr(self, name)))
