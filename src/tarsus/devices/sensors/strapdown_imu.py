"""Inertial units that integrate: mean angular velocity and mean specific force since the last reading."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.devices.sensors.error_model import ErrorPart, ErrorRun
from tarsus.devices.sensors.imu import IMU
from tarsus.devices.sensors.motion import Motion
from tarsus.devices.sensors.sensor import Readings
from tarsus.dynamics.kinematics import frame_pose, frame_velocity
from tarsus.spatial import rotation_vector_from_rotation_matrix


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
        R = frame_pose(motion.model, motion.q, self.frame)[..., :3, :3]
        v = frame_velocity(motion.model, motion.q, motion.v, self.frame)[..., :3]
        g = np.broadcast_to(np.asarray(motion.model.gravity), v.shape)
        return np.concatenate([IMU.truth(self, motion), R.reshape(*v.shape[:-1], 9), v, g], axis=-1)

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
    turn = rotation_vector_from_rotation_matrix(np.swapaxes(R0, -1, -2) @ R1)
    a = rate * (second[..., 15:18] - first[..., 15:18]) - second[..., 18:]
    return np.concatenate([rate * turn, np.einsum("...ji,...j->...i", R1, a)], axis=-1)
