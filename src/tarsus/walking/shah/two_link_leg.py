"""Leg of two links in the sagittal plane: joint motion from the motion of the ankle, in closed form."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import SingularityError

_LEAST_KNEE_SINE = 1e-6
"""Least sine of the knee angle: nearer to a straight leg, the rates of the joints lose all digits."""


class LegMotion(NamedTuple):
    """Angles of hip, knee and ankle as functions of time.

    Attributes
    ----------
    q, v, vdot : ndarray, shape (..., 3)
        Hip, knee and ankle: angles [rad], rates [rad/s], accelerations [rad/s^2], pitches about +y.
    """

    q: FloatArray
    v: FloatArray
    vdot: FloatArray


def two_link_leg(
    ankle: npt.ArrayLike,
    velocity: npt.ArrayLike,
    acceleration: npt.ArrayLike,
    *,
    thigh: float,
    shank: float,
) -> LegMotion:
    """Joint motion of a leg whose ankle moves as told, whose knee bends forward and whose foot stays level.

    With the hip angle a, the knee angle b and the lengths l1, l2, the ankle is at

        x = -l1 sin a - l2 sin(a + b),    z = -l1 cos a - l2 cos(a + b)                        (1)

    from the hip, in axes of a trunk that stands upright. The law of cosines gives b >= 0, then

        a = atan2(-x, -z) - atan2(l2 sin b, l1 + l2 cos b).                                    (2)

    Rates and accelerations come from (1) differentiated: J (a', b') = p', J (a'', b'') = p'' - J' (a', b'). The ankle
    angle is -(a + b): the foot is level.

    Parameters
    ----------
    ankle, velocity, acceleration : array_like, shape (..., 2)
        x and z of the ankle from the hip [m], and their derivatives with time, axes of the upright trunk.
    thigh, shank : float
        Lengths l1, l2 [m].

    Returns
    -------
    LegMotion

    Raises
    ------
    SingularityError
        Where the ankle is out of reach, or the leg is straight or folded.
    """
    p, pd, pdd = (np.asarray(value, dtype=float) for value in (ankle, velocity, acceleration))
    cosine = (np.sum(p * p, axis=-1) - thigh**2 - shank**2) / (2.0 * thigh * shank)
    reachable = 1.0 - cosine**2 > _LEAST_KNEE_SINE**2
    if not np.all(reachable):
        far = float(np.max(np.where(reachable, -np.inf, np.hypot(p[..., 0], p[..., 1]))))
        raise SingularityError(
            f"an ankle is {far:.6g} m from the hip; expected more than {abs(thigh - shank):.6g} m and less than the "
            f"length of the straight leg, {thigh + shank:.6g} m"
        )
    b = np.arccos(cosine)
    a = np.arctan2(-p[..., 0], -p[..., 1]) - np.arctan2(shank * np.sin(b), thigh + shank * np.cos(b))
    # Knee from hip and ankle from knee; turned by a quarter they are the columns of J.
    x1, z1 = -thigh * np.sin(a), -thigh * np.cos(a)
    x2, z2 = -shank * np.sin(a + b), -shank * np.cos(a + b)

    def solve(x: FloatArray, z: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Solution (a', b') of J (a', b') = (x, z) by Cramer's rule; det J = -l1 l2 sin b."""
        det = z1 * -x2 - z2 * -x1
        first = (x * -x2 - z2 * z) / det
        return first, (z1 * z + x1 * x) / det - first

    ad, bd = solve(pd[..., 0], pd[..., 1])
    along1, along2 = ad**2, (ad + bd) ** 2  # J' (a', b') is what the links pull towards their joints
    add, bdd = solve(pdd[..., 0] + along1 * x1 + along2 * x2, pdd[..., 1] + along1 * z1 + along2 * z2)
    return LegMotion(_with_level_foot(a, b), _with_level_foot(ad, bd), _with_level_foot(add, bdd))


def _with_level_foot(hip: FloatArray, knee: FloatArray) -> FloatArray:
    """Hip, knee and ankle, where the ankle takes back what the others turn."""
    return np.stack([hip, knee, -hip - knee], axis=-1)
