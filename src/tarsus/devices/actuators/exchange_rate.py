"""How often actuators and a robot must exchange force and motion."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray


def needed_rate(M: FloatArray, stiffness: FloatArray, damping: FloatArray) -> tuple[float, int]:
    """Least rate [Hz] at which forces may be held, and the coordinate that asks for it.

    A force that is held for h should have changed meanwhile with the motion, as if by a spring K + D / h. A step of
    this kind is good where no swing of robot and spring has a frequency above 1 / h:

        lambda_max(M^-1 (K + D / h)) <= 1 / h^2,    which    1 / h >= d / 2 + sqrt(d^2 / 4 + k)

    makes sure of, k and d being the greatest eigenvalues of M^-1 K and M^-1 D. Without damping that is the frequency of
    the fastest swing [rad/s]. What else holds the robot makes swings slower.

    Parameters
    ----------
    M : ndarray, shape (..., n, n)
        Mass matrix.
    stiffness, damping : ndarray, shape (..., n)
        Slopes of the forces over coordinates and rates, not negative.
    """
    mobility = np.linalg.inv(M)
    values, modes = [], []
    for slope in (stiffness, damping):
        root = np.sqrt(slope)
        value, mode = np.linalg.eigh(root[..., :, None] * mobility * root[..., None, :])
        values.append(np.maximum(value[..., -1], 0.0))
        modes.append(mode[..., -1])
    k, d = values
    rate = 0.5 * d + np.sqrt(0.25 * d**2 + k)
    worst = np.unravel_index(np.argmax(rate), rate.shape)
    mode = modes[0] if k[worst] >= d[worst] ** 2 else modes[1]
    return float(rate[worst]), int(np.argmax(np.abs(mode[worst])))
