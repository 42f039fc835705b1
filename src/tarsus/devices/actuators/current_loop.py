"""The controller of a motor's current."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.devices.parameters import parameter


@dataclass(frozen=True, eq=False)
class CurrentLoop:
    """Proportional-integral control of the current: u = kp (i_ref - i) + z + feedforward emf, z' = ki (i_ref - i).

    Where the voltage is at its limit, z is held (anti-windup).

    Attributes
    ----------
    kp : float or ndarray, shape (n,)
        [V/A].
    ki : float or ndarray, shape (n,)
        [V/(A s)].
    feedforward : float or ndarray, shape (n,)
        Part of the back electromotive force that is compensated, 0 to 1.
    """

    kp: npt.ArrayLike
    ki: npt.ArrayLike
    feedforward: npt.ArrayLike = 1.0

    def __post_init__(self) -> None:
        for name in ("kp", "ki", "feedforward"):
            object.__setattr__(self, name, parameter("CurrentLoop", name, getattr(self, name)))

    @classmethod
    def of_bandwidth(
        cls,
        resistance: npt.ArrayLike,
        inductance: npt.ArrayLike,
        bandwidth: npt.ArrayLike,
        feedforward: npt.ArrayLike = 1.0,
    ) -> CurrentLoop:
        """Gains whose zero cancels the pole R / L of the winding: kp = L w, ki = R w.

        With full feed-forward the current then follows its reference as 1 - exp(-w t).

        Parameters
        ----------
        resistance, inductance : array_like, shape () or (n,)
            [ohm], [H].
        bandwidth : array_like, shape () or (n,)
            w [rad/s].
        """
        w = parameter("CurrentLoop", "bandwidth", bandwidth, positive=True)
        return cls(np.asarray(inductance) * w, np.asarray(resistance) * w, feedforward)
