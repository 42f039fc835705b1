"""Wrench of contacts on the body of a frame."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.dynamics.kinematics import frame_pose
from tarsus.model.model import Model


def contacts_on(model: Model, bodies: Sequence[str], frame: str) -> list[int]:
    """Numbers of the contacts on the body of a frame, given the body of each contact."""
    body = model.frames[frame].body
    return [i for i, other in enumerate(bodies) if other == body]


def frame_wrench(model: Model, q: FloatArray, frame: str, position: FloatArray, force: FloatArray) -> FloatArray:
    """Wrench of forces at places about the origin of a frame.

    Parameters
    ----------
    q : ndarray, shape (..., nq)
    position, force : ndarray, shape (..., n, 3)
        World axes [m, N]; a place that is not finite is no contact.

    Returns
    -------
    wrench : ndarray, shape (..., 6)
        Force [N], moment about the origin of the frame [N m], world axes.
    """
    origin = frame_pose(model, q, frame)[..., None, :3, 3]
    arm = np.where(np.isfinite(position), position - origin, 0.0)  # no contact, no force, no place
    T = np.swapaxes(arm, -1, -2) @ force  # sum of arm force^T, which holds the sum of arm x force
    wrench = np.empty((*T.shape[:-2], 6))
    wrench[..., :3] = force.sum(axis=-2)
    wrench[..., 3:] = (T - np.swapaxes(T, -1, -2))[..., (1, 2, 0), (2, 0, 1)]
    return wrench
