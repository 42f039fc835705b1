"""External wrenches on bodies from wrenches at frames."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.dynamics._arguments import prepare
from tarsus.dynamics.kinematics import ExpressedIn, body_poses, frame_pose
from tarsus.errors import NonFiniteError, ShapeError, UnknownNameError
from tarsus.model.model import Model


def body_wrenches(
    model: Model,
    q: npt.ArrayLike,
    wrenches: Mapping[str, npt.ArrayLike],
    expressed_in: ExpressedIn = "world",
) -> FloatArray:
    """Wrenches on all bodies, as `inverse_dynamics` and `forward_dynamics` take them, from wrenches at frames.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    wrenches : mapping of str to array_like, shape (..., 6)
        Force [N] and moment [N m] that act on the robot at named frames; several frames of one body add up.
    expressed_in : {"world", "local", "world_origin"}
        At the frame's origin in world axes; in the frame's axes; or at the world origin.

    Returns
    -------
    external : ndarray, shape (..., nb, 6)
        At the bodies' origins, world axes.
    """
    if expressed_in not in ("world", "local", "world_origin"):
        raise UnknownNameError(f"expressed_in must be 'world', 'local' or 'world_origin', not {expressed_in!r}")
    X_WB = body_poses(model, q)
    given = dict(zip(wrenches, _checked(model, wrenches), strict=True))
    try:
        batch = np.broadcast_shapes(X_WB.shape[:-3], *(value.shape[:-1] for value in given.values()))
    except ValueError:
        shapes = ", ".join(f"{name!r} {value.shape}" for name, value in given.items())
        raise ShapeError(f"batch axes of q {np.shape(q)} and of the wrenches do not fit together: {shapes}") from None
    external = np.zeros((*batch, model.nb, 6))
    for name, value in given.items():
        body = model.bodies[model.frames[name].body].index
        X_WF = frame_pose(model, q, name)
        force, moment = value[..., :3], value[..., 3:]
        if expressed_in == "local":
            force = (X_WF[..., :3, :3] @ force[..., None])[..., 0]
            moment = (X_WF[..., :3, :3] @ moment[..., None])[..., 0]
        at = np.zeros(3) if expressed_in == "world_origin" else X_WF[..., :3, 3]
        external[..., body, :3] += force
        external[..., body, 3:] += moment + np.cross(at - X_WB[..., body, :3, 3], force)
    return external


def _checked(model: Model, wrenches: Mapping[str, npt.ArrayLike]) -> tuple[FloatArray, ...]:
    """Wrenches as finite arrays (..., 6) of one batch shape."""
    if not wrenches:
        return ()
    names = [f"wrench at {name!r}" for name in wrenches]
    arrays = prepare(
        "body_wrenches", model, [(name, value, (6,)) for name, value in zip(names, wrenches.values(), strict=True)]
    )
    for name, array in zip(names, arrays, strict=True):
        if not np.isfinite(array).all():
            raise NonFiniteError(f"{name} of body_wrenches has entries that are not finite")
    return arrays
