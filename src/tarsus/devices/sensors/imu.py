"""Inertial measurement units: angular velocity and specific force at a frame."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.devices.sensors.error_model import ErrorModel
from tarsus.devices.sensors.motion import Contacts, Motion
from tarsus.devices.sensors.native_truth import NativeTruth
from tarsus.devices.sensors.sensor import Sensor
from tarsus.dynamics.kinematics import frame_acceleration, frame_pose, frame_velocity
from tarsus.errors import ShapeError
from tarsus.model.model import Model


@dataclass(frozen=True, eq=False, kw_only=True)
class IMU(Sensor):
    """Gyroscopes and accelerometers along the axes of a frame.

    Gyroscope: angular velocity of the frame in its own axes. Accelerometer: specific force R_WF^T (a - g), where a is
    the acceleration of the frame's origin: at rest it reads 9.81 m/s^2 upwards, in free fall nothing.

    Attributes
    ----------
    frame : str
    gyroscope, accelerometer : ErrorModel
        Errors in rad/s and m/s^2.
    gyroscope_matrix, accelerometer_matrix : ndarray, shape (3, 3)
        Scale factors and misalignment: readings are the matrix times the truth, before the other errors.
    """

    frame: str
    name: str = "imu"
    gyroscope: ErrorModel = field(default_factory=ErrorModel)
    accelerometer: ErrorModel = field(default_factory=ErrorModel)
    gyroscope_matrix: npt.ArrayLike = field(default_factory=lambda: np.eye(3))
    accelerometer_matrix: npt.ArrayLike = field(default_factory=lambda: np.eye(3))

    def __post_init__(self) -> None:
        Sensor.__post_init__(self)
        for name in ("gyroscope_matrix", "accelerometer_matrix"):
            matrix = np.array(getattr(self, name), dtype=float)
            if matrix.shape != (3, 3) or not np.isfinite(matrix).all():
                raise ShapeError(f"{name} of IMU has shape {matrix.shape}, expected a finite matrix (3, 3)")
            object.__setattr__(self, name, matrix)

    def labels(self, model: Model) -> tuple[str, ...]:
        """Angular velocity, then specific force."""
        _ = model.frames[self.frame]
        return ("wx", "wy", "wz", "fx", "fy", "fz")

    def truth(self, motion: Motion) -> FloatArray:
        """Angular velocity [rad/s] and specific force [m/s^2] in the frame's axes, (..., 6)."""
        R_WF = frame_pose(motion.model, motion.q, self.frame)[..., :3, :3]
        angular = frame_velocity(motion.model, motion.q, motion.v, self.frame, "local")[..., 3:]
        a_W = frame_acceleration(motion.model, motion.q, motion.v, motion.vdot, self.frame)[..., :3]
        specific = np.einsum("...ji,...j->...i", R_WF, a_W - motion.model.gravity)
        return np.concatenate([angular, specific], axis=-1)

    def sensed(self, truth: FloatArray) -> FloatArray:
        """The matrices times the truth."""
        A, B = np.asarray(self.gyroscope_matrix), np.asarray(self.accelerometer_matrix)
        return np.concatenate([truth[..., :3] @ A.T, truth[..., 3:] @ B.T], axis=-1)

    def error_parts(self) -> tuple[tuple[ErrorModel, int], ...]:
        """Of both."""
        return (self.gyroscope, 3), (self.accelerometer, 3)

    def add_to(self, table: NativeTruth, contacts: Contacts | None) -> bool:
        """Six channels of the frame."""
        table.add_inertial(self.frame, self.gyroscope_matrix, self.accelerometer_matrix)
        return True
