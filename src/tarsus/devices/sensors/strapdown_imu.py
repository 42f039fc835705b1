"""Inertial units that integrate: mean angular velocity and mean specific force since the last reading."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.devices.sensors.error_model import ErrorPart, ErrorRun
from tarsus.devices.sensors.imu import IMU
from tarsus.devices.sensors.motion import Motion
from tarsus.devices.sensors.sensor import Readings
from tarsus.dynamics.kinematics import frame_motions
from tarsus.spatial._arrays import entries
from tarsus.spatial.quaternion import components_from_entries
from tarsus.spatial.rotation_vector import logarithm


@dataclass(frozen=True, eq=False, kw_only=True)
class StrapdownIMU(IMU):
    """An `IMU` that adds up what it feels between two readings, as units for navigation do (Savage 1998).

    A reading is the turn since the last one over the time between, and the change of velocity less that by gravity,
    alike:

        w = log(R_0^T R_1) / T,    f = R_1^T ((v_1 - v_0) / T - g),

    with R and v of the frame in the world at the last reading (0) and at this one (1), T = 1 / rate. So nothing that
    happens between two readings is lost: a body that trembles at some 20 Hz, as that of a robot whose feet land does,
    aliases into readings of the angular velocity at single moments, 200 a second, and what adds them up leans after
    some steps. The first reading, which has none before it, is that of an `IMU`.
    """

    def truth(self, motion: Motion) -> FloatArray:
        """What means are made of, (..., 21): readings of an `IMU` (6), R_WF (9), velocity and gravity (3 each)."""
        g = np.asarray(motion.model.gravity)
        X, V, A = frame_motions(motion.model, motion.q, motion.v, motion.vdot, (self.frame,))
        R, V, A = X[..., 0, :3, :3], V[..., 0, :], A[..., 0, :]
        lead = V.shape[:-1]
        out = np.empty((*lead, 21))
        felt = np.stack((V[..., 3:], A[..., :3] - g), axis=-2) @ R  # in axes of the frame
        out[..., :6], out[..., 6:15] = felt.reshape(*lead, 6), R.reshape(*lead, 9)
        out[..., 15:18], out[..., 18:] = V[..., :3], g
        return out

    def begin(self, shape: tuple[int, ...], rng: np.random.Generator) -> Readings:
        """A run of readings; see `Sensor.begin`."""
        errors = ErrorRun([ErrorPart(*part, rng) for part in self.error_parts()], shape[:-1], self.rate)
        before: list[FloatArray] = []

        def read(truth: FloatArray) -> FloatArray:
            felt = _means(before[0], truth, self.rate) if before else truth[..., :6]
            before[:] = [np.array(truth)]
            return errors(self.sensed(felt))

        return read


def _means(first: FloatArray, second: FloatArray, rate: float) -> FloatArray:
    """Mean angular velocity and specific force between two truths, in axes of the frame at the second, (..., 6)."""
    R0, R1 = (x[..., 6:15].reshape(*x.shape[:-1], 3, 3) for x in (first, second))
    turn = logarithm(*components_from_entries(entries(R0.swapaxes(-1, -2) @ R1)))  # rotations, as they come from poses
    a = rate * (second[..., 15:18] - first[..., 15:18]) - second[..., 18:]
    return np.concatenate([rate * turn, (a[..., None, :] @ R1)[..., 0, :]], axis=-1)
