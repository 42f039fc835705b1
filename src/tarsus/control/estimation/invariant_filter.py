"""Kalman filter of one moving frame and of contacts that stand still, with errors that are right-invariant."""

from __future__ import annotations

from dataclasses import asdict
from typing import final

import numpy as np

from tarsus import _native
from tarsus.arrays import FloatArray
from tarsus.control.estimation.noise import EstimatorNoise
from tarsus.control.estimation.single_rotation import cross_matrices

ROTATION, VELOCITY, POSITION, FIRST_CONTACT = 0, 3, 4, 5
"""Blocks of three errors each, those of biases behind the first one; contact positions follow, then orientations."""

_ROTATION, _VELOCITY, _POSITION = (slice(3 * k, 3 * k + 3) for k in (ROTATION, VELOCITY, POSITION))

_RENORMALISED = 1000
"""Steps after which rounding is taken out of rotation matrices."""


@final
class InvariantFilter:
    """Orientation, velocity and position of an inertial unit, its biases, and poses of contacts.

    Estimates (hats left out) are R, v, p of the unit I in the world W, biases b_g, b_a, positions d_i of contacts and
    orientations C_j of those that are patches. Errors xi are right-invariant (Hartley et al. 2020):

        R^ = exp(xi_R) R,  v^ = exp(xi_R) v + J xi_v,  p and d alike,  C^ = exp(xi_C) C,  b^ = b + xi_b.

    They obey, with g the gravity and readings w, f less biases,

        d/dt xi_R = -R xi_g,              d/dt xi_v = g x xi_R - v x (R xi_g) - R xi_a,
        d/dt xi_p = xi_v - p x (R xi_g),  d/dt xi_d = -d x (R xi_g),          d/dt xi_C = 0

    so that without biases nothing depends on the state, and what joints tell about a contact, y = R p_IC
    + p - d and log(R R_IC C^T), is xi_p - xi_d and xi_R - xi_C, whatever the state. What cannot be observed, the place
    and the turn about the vertical, stays so. Contacts as states: Bloesch et al. 2012.

    Steps and corrections are native (`native/estimation/invariant_filter.hpp`), in the arrays of the attributes.

    Parameters
    ----------
    contacts : int
    patches : sequence of int
        Numbers of the contacts with an orientation.
    noise : EstimatorNoise
    gravity : ndarray, shape (3,)
        [m/s^2].

    Attributes
    ----------
    R : ndarray, shape (3, 3)
    v, p, gyroscope_bias, accelerometer_bias : ndarray, shape (3,)
    d : ndarray, shape (contacts, 3)
    C : ndarray, shape (patches, 3, 3)
    P : ndarray, shape (15 + 3 contacts + 3 patches, the same)
        Covariance of xi; zero for contacts that are off.
    """

    def __init__(self, contacts: int, patches: list[int], noise: EstimatorNoise, gravity: FloatArray) -> None:
        self._n = contacts
        self.turn_block = {contact: FIRST_CONTACT + contacts + k for k, contact in enumerate(patches)}
        blocks = FIRST_CONTACT + contacts + len(patches)
        self.noise, self._gravity = noise, np.array(gravity, dtype=float)
        self._x = np.zeros((2 + contacts, 3))  # v, p, d
        self.v, self.p, self.d = self._x[0], self._x[1], self._x[2:]
        self.R, self.C = np.eye(3), np.tile(np.eye(3), (len(patches), 1, 1))
        biases = np.zeros((2, 3))
        self.gyroscope_bias, self.accelerometer_bias = biases
        self.P = np.zeros((3 * blocks, 3 * blocks))
        self._on = np.ones(blocks, dtype=np.int32)
        self._on[FIRST_CONTACT:] = 0
        self._steps = 0
        self._core = _native.FilterCore(
            {
                "contacts": contacts, "patches": len(patches), "patch": np.array(patches, dtype=np.int32),
                "on": self._on, "R": self.R, "x": self._x, "bias": biases, "C": self.C, "P": self.P,
                "gravity": self._gravity, **asdict(noise),
            }
        )  # fmt: skip

    def reset(
        self,
        R: FloatArray,
        v: FloatArray,
        p: FloatArray,
        turn: float = 0.0,
        speed: float = 0.0,
        place: float = 0.0,
        heading: float = 0.0,
    ) -> None:
        """Begin anew without contacts; deviations of tilt, velocity, position and heading [rad, m/s, m, rad]."""
        self.R[:], self.v[:], self.p[:] = R, v, p
        self.gyroscope_bias[:] = self.accelerometer_bias[:] = 0.0
        self.P[:] = 0.0
        self._on[FIRST_CONTACT:] = 0
        spread = (self.noise.gyroscope_bias, self.noise.accelerometer_bias, speed, place)
        variance = np.concatenate([[turn**2, turn**2, heading**2], np.repeat(np.square(spread), 3)])
        # The deviation of the tilt belongs to R alone: v^ - v = xi_v + xi_R x v, p alike.
        G = np.eye(15)
        G[_VELOCITY, _ROTATION], G[_POSITION, _ROTATION] = _cross(self.v), _cross(self.p)
        self.P[:15, :15] = (G * variance) @ G.T

    # -- in time ----------------------------------------------------------------------------------------------------

    def propagate(
        self, dt: float, gyroscope: FloatArray, accelerometer: FloatArray, *, scale: tuple[float, float] = (1.0, 1.0)
    ) -> None:
        """A step of dt [s] with the readings at its end, in the unit's axes there; their noise times `scale`.

        P = F P F^T + noise, with F = 1 + A dt (the position to second order).
        """
        self._core.propagate(dt, gyroscope, accelerometer, *scale)
        self._steps += 1
        if self._steps % _RENORMALISED == 0:
            self._core.straighten()

    # -- contacts ---------------------------------------------------------------------------------------------------

    def add_contact(self, contact: int, p_IC: FloatArray, R_IC: FloatArray, N: FloatArray) -> None:
        """A contact stands from now on where joints tell: xi_d = xi_p + noise, xi_C = xi_R + noise.

        N is the covariance of what they tell in world axes, (3, 3), or (6, 6) with the orientation of a patch.
        """
        self.drop_contact(contact)
        self.d[contact] = self.p + self.R @ p_IC
        self._copy_block(POSITION, FIRST_CONTACT + contact)
        d = slice(3 * (FIRST_CONTACT + contact), 3 * (FIRST_CONTACT + contact) + 3)
        self.P[d, d] += N[:3, :3]
        if contact in self.turn_block:
            block = self.turn_block[contact]
            self.C[block - FIRST_CONTACT - self._n] = self.R @ R_IC
            self._copy_block(ROTATION, block)
            c = slice(3 * block, 3 * block + 3)
            self.P[c, c] += N[3:, 3:]
            self.P[d, c] += N[:3, 3:]
            self.P[c, d] += N[3:, :3]

    def _copy_block(self, source: int, target: int) -> None:
        a, b = slice(3 * source, 3 * source + 3), slice(3 * target, 3 * target + 3)
        self.P[b, :] = self.P[a, :]
        self.P[:, b] = self.P[:, a]
        self.P[b, b] = self.P[a, a]
        self._on[target] = 1

    def drop_contact(self, contact: int) -> None:
        """A contact is of no use any more."""
        for block in (FIRST_CONTACT + contact, self.turn_block.get(contact)):
            if block is not None:
                b = slice(3 * block, 3 * block + 3)
                self.P[b, :] = 0.0
                self.P[:, b] = 0.0
                self._on[block] = 0

    # -- what contacts tell -----------------------------------------------------------------------------------------

    def correct(
        self,
        p_IC: FloatArray,
        R_IC: FloatArray,
        X_BI: FloatArray,
        J: FloatArray,
        used: tuple[int, ...],
        gate: float,
    ) -> tuple[int, ...]:
        """Contacts stand where joints see them: rows z = H xi + noise, K = P H^T S^-1, S = H P H^T + N.

        N is that of encoders, seen through J, and that of contacts.

        Parameters
        ----------
        p_IC, R_IC : ndarray, shape (contacts, 3), (contacts, 3, 3)
            Poses of the contacts in axes of the unit I, by joints [m].
        X_BI : ndarray, shape (4, 4)
            Pose of the unit in the base B.
        J : ndarray, shape (contacts, 6, joints)
            Velocity and angular velocity of the contacts relative to I for joint rates, axes of B.
        used : tuple of int
            Contacts that count, numbers that rise.
        gate : float
            Standard deviations beyond which a contact is not believed.

        Returns
        -------
        missed : tuple of int
            Contacts that are seen further off than that, and all of them where S is no covariance; nothing has changed
            then. Empty where all are believed.
        """
        return self._core.correct(p_IC, R_IC, X_BI, J, used, gate)

    # -- what is told -----------------------------------------------------------------------------------------------

    def tell_base(self, X_BI: FloatArray, angular: FloatArray, V_BI: FloatArray, q: FloatArray, v: FloatArray) -> None:
        """Write coordinates and twist of the base B that carries the unit into the beginning of q and v.

        Parameters
        ----------
        X_BI : ndarray, shape (4, 4)
            Pose of the unit in the base.
        angular : ndarray, shape (3,)
            Angular velocity of the unit, in its axes [rad/s].
        V_BI : ndarray, shape (6,)
            Twist of the unit as seen from the base, axes of B [m/s, rad/s].
        q, v : ndarray
            Position and quaternion (w, x, y, z); linear and angular velocity in axes of B.
        """
        self._core.base(X_BI, angular, V_BI, q, v)

    @property
    def speed_deviation(self) -> float:
        """Greatest standard deviation of a component of the velocity, about [m/s]."""
        return float(np.sqrt(self.P.diagonal()[_VELOCITY].max()))

    def pose_covariance(self, arm: FloatArray) -> FloatArray:
        """Covariance of position and rotation of a frame, and of its velocity, world axes, shape (9, 9).

        The frame is fixed to the unit, `arm` from it (3,), world axes [m]. Errors: p^ - p, log(R^ R^T), v^ - v of the
        unit's origin.
        """
        G = np.zeros((9, 15))
        G[:3, _ROTATION], G[:3, _POSITION] = -_cross(self.p + arm), np.eye(3)
        G[3:6, _ROTATION] = np.eye(3)
        G[6:, _ROTATION], G[6:, _VELOCITY] = -_cross(self.v), np.eye(3)
        return np.asarray(G @ self.P[:15, :15] @ G.T)


def _cross(x: FloatArray) -> FloatArray:
    """The matrix of x times, for one vector (3,)."""
    return np.asarray(cross_matrices(x[None])[0])
