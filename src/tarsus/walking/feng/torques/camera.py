"""What the robot sees of its head: its pose, late and with noise, if that is wanted."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import final

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError
from tarsus.spatial.rotation_vector import rotation_matrix_from_rotation_vector
from tarsus.walking.feng.finite_numbers import check_numbers


@dataclass(frozen=True)
class Camera:
    """Errors of the camera by which the head's pose is known.

    Attributes
    ----------
    delay : float
        From a picture to its use [s].
    position_noise, rotation_noise : float
        Standard deviations of each coordinate [m] and about each axis [rad], white, anew in each picture.
    seed : int
        Of the noise.
    """

    delay: float = 0.0
    position_noise: float = 0.0
    rotation_noise: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        check_numbers(self, ("delay", "position_noise", "rotation_noise"), 0.0)
        if not (isinstance(self.seed, int | np.integer) and self.seed >= 0):
            raise ArgumentError(f"seed is {self.seed!r}; expected a whole number of at least 0")


@final
class Sight:
    """Pictures of one walk, in the order of time."""

    def __init__(self, camera: Camera) -> None:
        self._camera = camera
        self._random = np.random.default_rng(camera.seed)
        self._seen: deque[tuple[float, FloatArray]] = deque()

    def look(self, time: float, pose: FloatArray) -> FloatArray:
        """Take a picture of a pose in the world, (4, 4), and tell the latest that has arrived; the first at once."""
        camera = self._camera
        seen = np.array(pose)
        if camera.position_noise > 0.0 or camera.rotation_noise > 0.0:
            turn = camera.rotation_noise * self._random.standard_normal(3)
            seen[:3, :3] = rotation_matrix_from_rotation_vector(turn) @ seen[:3, :3]
            seen[:3, 3] += camera.position_noise * self._random.standard_normal(3)
        self._seen.append((time, seen))
        while len(self._seen) > 1 and self._seen[1][0] <= time - camera.delay + 1e-9:
            self._seen.popleft()
        return self._seen[0][1]
