"""What must hold for poses."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.model.coupling import Source
from tarsus.model.validation.findings import Findings

RIGID_TOLERANCE = 1e-6
"""Largest entry of R R^T - 1 of a rotation matrix that rounding in a file explains."""


def check_poses(poses: Sequence[tuple[str, FloatArray, Source]], found: Findings) -> None:
    """Poses must be rigid motions: a rotation matrix and the last row (0, 0, 0, 1)."""
    poses = [entry for entry in poses if np.shape(entry[1]) == (4, 4) and np.isfinite(entry[1]).all()]
    if not poses:
        return
    X = np.array([pose for _, pose, _ in poses])
    R = X[:, :3, :3]
    with np.errstate(over="ignore", invalid="ignore"):
        defect = np.abs(R @ np.swapaxes(R, 1, 2) - np.eye(3)).max(axis=(1, 2))
        proper = np.linalg.det(R) > 0.0
    last_row = np.abs(X[:, 3] - [0.0, 0.0, 0.0, 1.0]).max(axis=1)
    for k in np.flatnonzero(~((defect <= RIGID_TOLERANCE) & proper & (last_row <= RIGID_TOLERANCE))):
        element, _, source = poses[k]
        found.error("pose", f"pose of {element} is not a rigid motion", element, source, f"{defect[k]:.3g}")
