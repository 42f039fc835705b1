"""Kalman filter of one moving frame and of contacts that stand still, with errors that are right-invariant."""

from __future__ import annotations

from typing import final

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.control.estimation.noise import EstimatorNoise
from tarsus.control.estimation.single_rotation import cross_matrices, exponential, left_jacobian

ROTATION, GYROSCOPE, ACCELEROMETER, VELOCITY, POSITION, FIRST_CONTACT = range(6)
"""Blocks of three errors each; contact positions follow, then contact orientations."""

_ROTATION, _GYROSCOPE, _ACCELEROMETER, _VELOCITY, _POSITION = (slice(3 * k, 3 * k + 3) for k in range(5))

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
        self._n, self._m = contacts, len(patches)
        self.turn_block = {contact: FIRST_CONTACT + contacts + k for k, contact in enumerate(patches)}
        self._blocks = FIRST_CONTACT + contacts + len(patches)
        self.noise, self._g = noise, np.array(gravity, dtype=float)
        self._x = np.zeros((2 + contacts, 3))  # v, p, d
        self.v, self.p, self.d = self._x[0], self._x[1], self._x[2:]
        self.R, self.C = np.eye(3), np.tile(np.eye(3), (len(patches), 1, 1))
        self.gyroscope_bias, self.accelerometer_bias = np.zeros(3), np.zeros(3)
        size = 3 * self._blocks
        self.P = np.zeros((size, size))
        self._on = np.ones(self._blocks, dtype=bool)
        self._on[FIRST_CONTACT:] = False
        self._F = np.eye(size)
        self._lever = np.zeros((self._blocks, 3, 3))  # 1, 0, 0, v x, p x, d x, 0
        self._lever[ROTATION] = np.eye(3)
        self._moved = slice(VELOCITY, FIRST_CONTACT + contacts)  # blocks of v, p, d
        self._prepared: tuple[float, tuple[float, float]] | None = None
        self._steps = 0

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
        self.R, self.v[:], self.p[:] = np.array(R), v, p
        self.gyroscope_bias[:] = self.accelerometer_bias[:] = 0.0
        self.P[:] = 0.0
        self._on[FIRST_CONTACT:] = False
        spread = (self.noise.gyroscope_bias, self.noise.accelerometer_bias, speed, place)
        variance = np.concatenate([[turn**2, turn**2, heading**2], np.repeat(np.square(spread), 3)])
        # The deviation of the tilt belongs to R alone: v^ - v = xi_v + xi_R x v, p alike.
        G = np.eye(15)
        G[_VELOCITY, _ROTATION], G[_POSITION, _ROTATION] = _cross(self.v), _cross(self.p)
        self.P[:15, :15] = (G * variance) @ G.T
        self._prepared = None

    # -- in time ----------------------------------------------------------------------------------------------------

    def propagate(
        self, dt: float, gyroscope: FloatArray, accelerometer: FloatArray, *, scale: tuple[float, float] = (1.0, 1.0)
    ) -> None:
        """A step of dt [s] with the readings at its end, in the unit's axes there; their noise times `scale`."""
        w, f = gyroscope - self.gyroscope_bias, accelerometer - self.accelerometer_bias
        self._propagate_covariance(dt, scale)
        x, y, z = w.tolist()
        self.R = self.R @ exponential(dt * x, dt * y, dt * z)
        a = self.R @ f
        a += self._g
        self.p += dt * self.v
        self.p += (0.5 * dt * dt) * a
        self.v += dt * a
        self._steps += 1
        if self._steps % _RENORMALISED == 0:
            U, _, Vt = np.linalg.svd(np.concatenate([self.R[None], self.C]))
            exact = U @ Vt
            self.R, self.C = exact[0], exact[1:]

    def _propagate_covariance(self, dt: float, scale: tuple[float, float]) -> None:
        """P = F P F^T + noise, with F = 1 + A dt (the position to second order)."""
        if self._prepared != (dt, scale):
            self._prepare(dt, scale)
        F, lever, minus_dt_R = self._F, self._lever, -dt * self.R
        lever[self._moved] = cross_matrices(self._x)
        M = lever.reshape(-1, 3)
        if self._mask is not None:
            M = M * self._mask
        F[:, _GYROSCOPE] = M @ minus_dt_R
        F[3, 3] = F[4, 4] = F[5, 5] = 1.0
        F[_VELOCITY, _ACCELEROMETER] = minus_dt_R
        F[_POSITION, _ACCELEROMETER] = (0.5 * dt) * minus_dt_R
        P = F @ self.P @ F.T
        P += (self._turning * M) @ M.T
        P.reshape(-1)[:: len(P) + 1] += self._grown
        self.P = P

    def _prepare(self, dt: float, scale: tuple[float, float]) -> None:
        """What depends on the step and on which contacts there are."""
        F, noise = self._F, self.noise
        falling = _cross(self._g)
        F[_VELOCITY, _ROTATION], F[_POSITION, _ROTATION] = dt * falling, 0.5 * dt * dt * falling
        F[_POSITION, _VELOCITY] = dt * np.eye(3)
        density = np.zeros(self._blocks)
        density[GYROSCOPE], density[ACCELEROMETER] = noise.gyroscope_walk**2, noise.accelerometer_walk**2
        density[VELOCITY] = (scale[1] * noise.accelerometer) ** 2
        density[FIRST_CONTACT : FIRST_CONTACT + self._n] = noise.creep**2
        density[FIRST_CONTACT + self._n :] = noise.creep_turn**2
        self._grown = np.repeat(dt * density * self._on, 3)
        self._turning = dt * (scale[0] * noise.gyroscope) ** 2
        self._mask = None if self._on.all() else np.repeat(self._on, 3)[:, None].astype(float)
        self._prepared = (dt, scale)

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
        self._on[target] = True
        self._prepared = None

    def drop_contact(self, contact: int) -> None:
        """A contact is of no use any more."""
        for block in (FIRST_CONTACT + contact, self.turn_block.get(contact)):
            if block is not None:
                b = slice(3 * block, 3 * block + 3)
                self.P[b, :] = 0.0
                self.P[:, b] = 0.0
                self._on[block] = False
        self._prepared = None

    # -- what contacts tell -----------------------------------------------------------------------------------------

    def innovation(self, H: FloatArray, N: FloatArray) -> tuple[FloatArray, FloatArray]:
        """P H^T and S = H P H^T + N for rows z = H xi + noise, shapes (size, k), (k, k)."""
        PH = self.P @ H.T
        S = H @ PH
        S += N
        return PH, S

    def correct(self, z: FloatArray, PH: FloatArray, S: FloatArray) -> None:
        """Take rows z, shape (k,), into account."""
        K = PH @ np.linalg.inv(S)  # small and well conditioned: noise is in it
        P = self.P - K @ PH.T
        P += P.T
        P *= 0.5
        self.P = P
        self._retract(-(K @ z).reshape(-1, 3))

    def _retract(self, xi: FloatArray) -> None:
        """X = exp(xi) X."""
        x, y, z = xi[ROTATION].tolist()
        E = exponential(x, y, z)
        J = left_jacobian(x, y, z)
        self.R = E @ self.R
        moved = self._x @ E.T
        moved += xi[self._moved] @ J.T
        self._x[:] = moved
        self.gyroscope_bias += xi[GYROSCOPE]
        self.accelerometer_bias += xi[ACCELEROMETER]
        for k in range(self._m):
            if self._on[block := FIRST_CONTACT + self._n + k]:
                x, y, z = xi[block].tolist()
                self.C[k] = exponential(x, y, z) @ self.C[k]

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
