"""Three masses: the body and both legs, whose motion is planned before (Buschmann et al. 2007; Takenaka 2004)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, ShapeError
from tarsus.simulation.argument_kinds import check_number, check_positive
from tarsus.spatial._arrays import as_array, shaped


@dataclass(frozen=True, eq=False)
class ThreeMassModel:
    """Contact moment of a body mass m_b and two leg masses m_l each, as a pendulum that legs push.

    The moment about the centre of pressure p of weight and inertia of all masses vanishes, for each direction x:
    sum_i m_i ((x_i - p) (z_i'' + g) - (z_i - z_p) x_i'') = 0. With the height of the body constant this is
    x_b'' = w^2 (x_b - p) + d(t), w^2 = g / (z_b - z_p),
    d = sum_l m_l ((x_l - p) (z_l'' + g) - (z_l - z_p) x_l'') / (m_b (z_b - z_p)).

    With legs without mass it is the linear inverted pendulum; a two-mass model is one whose legs are given the same
    motion. Motions of the legs are those of their masses, as a rule of the feet.

    Attributes
    ----------
    mass : float
        m = m_b + 2 m_l [kg].
    leg_ratio : float
        m_l / m, from 0 to below 1/2.
    height : float
        z_b of the body above the ground [m].
    gravity : float
    """

    mass: float
    leg_ratio: float
    height: float
    gravity: float = 9.81

    def __post_init__(self) -> None:
        check_number("leg_ratio of ThreeMassModel", self.leg_ratio, "0 <= m_l / m < 1/2")
        if not 0 <= self.leg_ratio < 0.5:
            raise ArgumentError(f"leg_ratio of ThreeMassModel is {self.leg_ratio!r}; expected 0 <= m_l / m < 1/2")
        for name in ("mass", "height", "gravity"):
            check_positive(f"{name} of ThreeMassModel", getattr(self, name))

    @property
    def body_mass(self) -> float:
        """m_b [kg]."""
        return self.mass * (1 - 2 * self.leg_ratio)

    @property
    def omega(self) -> float:
        """W of the body mass alone [1/s]."""
        return float(np.sqrt(self.gravity / self.height))

    def leg_push(
        self, p: npt.ArrayLike, legs: npt.ArrayLike, leg_acceleration: npt.ArrayLike, ground: float = 0.0
    ) -> FloatArray:
        """D [m/s^2]: what the legs add to the acceleration of the body, shape (n, 2).

        Parameters
        ----------
        p : array_like, shape (n, 2)
            Centre of pressure [m].
        legs, leg_acceleration : array_like, shape (n, 2, 3)
            Of the masses of both legs, x, y, z [m], [m/s^2].
        ground : float
            z_p [m].
        """
        p, at, a = shaped(p, "p", (2,)), as_array(legs, "legs"), as_array(leg_acceleration, "leg_acceleration")
        if at.shape != (*p.shape[:-1], 2, 3) or a.shape != at.shape:
            raise ShapeError(f"legs: found shapes {at.shape}, {a.shape}; expected {(*p.shape[:-1], 2, 3)} for p")
        weight = (a[..., 2] + self.gravity)[..., None]
        moment = (at[..., :2] - p[..., None, :]) * weight - (at[..., 2] - ground)[..., None] * a[..., :2]
        return np.asarray(self.mass * self.leg_ratio * moment.sum(axis=-2) / (self.body_mass * self.height))

    def center_of_mass(self, body: npt.ArrayLike, legs: npt.ArrayLike) -> FloatArray:
        """Of all three, seen from above, shape (n, 2): (1 - 2 r) x_b + r (x_1 + x_2), r = m_l / m."""
        r = self.leg_ratio
        return np.asarray((1 - 2 * r) * np.asarray(body) + r * np.asarray(legs)[..., :2].sum(axis=-2))

    def body_of(self, center_of_mass: npt.ArrayLike, legs: npt.ArrayLike) -> FloatArray:
        """The body for a centre of mass: the inverse of `center_of_mass`; accelerations and velocities likewise."""
        r = self.leg_ratio
        return np.asarray((np.asarray(center_of_mass) - r * np.asarray(legs)[..., :2].sum(axis=-2)) / (1 - 2 * r))
