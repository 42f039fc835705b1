"""Poses, velocities and accelerations of frames and bodies, Buschmann 2014 section 2.2."""

# mypy: disable-error-code="empty-body"
from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.dynamics._binding import native
from tarsus.model.model import Model

ExpressedIn = Literal["world", "local", "world_origin"]


@native
def frame_pose(
    model: Model, q: npt.ArrayLike, frame: str, *, out: FloatArray | None = None, threads: int = 1
) -> FloatArray:
    """Pose of a frame in the world.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    frame : str
        Name of a frame, body, link or joint of the model.
    out : ndarray, optional
        Array of the result's shape that takes the result.
    threads : int
        Number of cores a batch may use; results do not depend on it.

    Returns
    -------
    X_WF : ndarray, shape (..., 4, 4)
        Homogeneous transformation, Buschmann 2014 (A.19).
    """


@native
def frame_poses(
    model: Model, q: npt.ArrayLike, frames: Sequence[str], *, out: FloatArray | None = None, threads: int = 1
) -> FloatArray:
    """Poses of several frames in the world.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    frames : sequence of str

    Returns
    -------
    X_WF : ndarray, shape (..., len(frames), 4, 4)
    """


@native
def body_poses(model: Model, q: npt.ArrayLike, *, out: FloatArray | None = None, threads: int = 1) -> FloatArray:
    """Poses of all bodies in the world, in the order of `model.bodies`.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)

    Returns
    -------
    X_WB : ndarray, shape (..., nb, 4, 4)
    """


@native
def frame_velocity(
    model: Model,
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    frame: str,
    expressed_in: ExpressedIn = "world",
    *,
    out: FloatArray | None = None,
    threads: int = 1,
) -> FloatArray:
    """Twist of a frame relative to the world.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    v : array_like, shape (..., nv)
    frame : str
    expressed_in : {"world", "local", "world_origin"}
        Velocity of the frame's origin in world axes; in the frame's own axes; or of the point of the body that
        passes the world origin, in world axes.

    Returns
    -------
    V_WF : ndarray, shape (..., 6)
        Linear [m/s], then angular [rad/s].
    """


@native
def frame_acceleration(
    model: Model,
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    vdot: npt.ArrayLike,
    frame: str,
    expressed_in: ExpressedIn = "world",
    *,
    out: FloatArray | None = None,
    threads: int = 1,
) -> FloatArray:
    """Time derivative of `frame_velocity` with the same `expressed_in`.

    In "world" this is the acceleration that an accelerometer's owner would see (gravity not included) and the
    angular acceleration; Buschmann 2014 (2.67), (2.69), where the sign of the term omega_p x omega_rel is corrected.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    v, vdot : array_like, shape (..., nv)
    frame : str
    expressed_in : {"world", "local", "world_origin"}

    Returns
    -------
    A_WF : ndarray, shape (..., 6)
        Linear [m/s^2], then angular [rad/s^2].
    """


class FrameMotions(NamedTuple):
    """Motion of several frames; world axes."""

    X_WF: FloatArray
    """(..., frames, 4, 4): poses."""
    V_WF: FloatArray
    """(..., frames, 6): twists, linear [m/s], then angular [rad/s]."""
    A_WF: FloatArray
    """(..., frames, 6): their derivatives [m/s^2, rad/s^2]."""


@native
def frame_motions(
    model: Model,
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    vdot: npt.ArrayLike,
    frames: Sequence[str],
    *,
    threads: int = 1,
) -> FrameMotions:
    """Poses, twists and accelerations of several frames in one pass; see `frame_velocity` and `frame_acceleration`.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    v, vdot : array_like, shape (..., nv)
    frames : sequence of str
    threads : int
        Number of cores a batch may use; results do not depend on it.

    Returns
    -------
    FrameMotions
        A named tuple of `X_WF`, `V_WF`, `A_WF`: at the frames' origins, world axes.
    """
