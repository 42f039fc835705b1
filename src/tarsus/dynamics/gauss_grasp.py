"""Rigid grasps between models in parameter coordinates: constraints whose multiplier is the wrench on the object.

Bouyarmane and Kheddar 2012 name manipulator and free-floating object in one formulation as further work. A grasp
keeps frame B of the object on frame A of the hand:

    C = (p_B - p_A, sum of A_i x B_i / 2) = 0,   C_x xdot = V_B - V_A where the frames coincide,

with A_i, B_i the axes of the frames and V their twists (linear first, world axes). lambda then acts on the object
and -lambda on the hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from tarsus.dynamics.gauss_coordinates import ParameterCoordinates
from tarsus.dynamics.jacobians import jacobian
from tarsus.dynamics.kinematics import frame_acceleration, frame_pose, frame_velocity
from tarsus.errors import ArgumentError, UnknownNameError, nearest
from tarsus.spatial.pose import FloatArray, inverse_pose


@final
@dataclass(frozen=True, slots=True)
class Grasp:
    """A frame of an object held rigidly at a frame of a hand.

    Attributes
    ----------
    hand, held : str
        Names of the frames.
    hand_part, object_part : int
        The models that they belong to, as numbers of the parts of a `GaussSystem`.
    """

    hand: str
    held: str
    hand_part: int
    object_part: int


def grasp_of(parts: Sequence[ParameterCoordinates], hand: str, held: str) -> Grasp:
    """Grasp between two frames, given as "frame" or "model:frame"."""
    hand_part, hand = _find(parts, hand)
    object_part, held = _find(parts, held)
    if (hand_part, hand) == (object_part, held):
        raise ArgumentError(f"frame {hand!r} cannot hold itself")
    return Grasp(hand, held, hand_part, object_part)


def _find(parts: Sequence[ParameterCoordinates], name: str) -> tuple[int, str]:
    """Part and frame of a name."""
    found = [(i, name) for i, part in enumerate(parts) if name in part.model.frames]
    owner, colon, frame = str(name).partition(":")
    if colon and not found:
        found = [(i, frame) for i, p in enumerate(parts) if p.model.name == owner and frame in p.model.frames]
    if not found:
        known = [frame for part in parts for frame in part.model.frames]
        raise UnknownNameError(f"frame {name!r} not found{nearest(name, known)}")
    if len(found) > 1:
        owners = ", ".join(repr(parts[i].model.name) for i, _ in found)
        raise ArgumentError(f"several models ({owners}) have a frame {name!r}: write 'model:frame'")
    return found[0]


def grasp_error(grasp: Grasp, parts: Sequence[ParameterCoordinates], x: Sequence[FloatArray]) -> FloatArray:
    """C (..., 6) of a grasp [m and 1]; x holds the parameters of each part."""
    X_WA, X_WB = _pose(grasp.hand_part, grasp.hand, parts, x), _pose(grasp.object_part, grasp.held, parts, x)
    turn = 0.5 * np.cross(X_WA[..., :3, :3], X_WB[..., :3, :3], axisa=-2, axisb=-2, axisc=-2).sum(axis=-1)
    return np.concatenate([X_WB[..., :3, 3] - X_WA[..., :3, 3], turn], axis=-1)


def grasp_jacobian(
    grasp: Grasp,
    parts: Sequence[ParameterCoordinates],
    x: Sequence[FloatArray],
    columns: Sequence[slice],
    nx: int,
) -> FloatArray:
    """C_x (..., 6, nx) of a grasp; `columns` tells where the parameters of each part stand."""
    J = np.zeros((*x[0].shape[:-1], 6, nx))
    for sign, i, frame in ((1.0, grasp.object_part, grasp.held), (-1.0, grasp.hand_part, grasp.hand)):
        part = parts[i]
        J[..., columns[i]] += sign * jacobian(part.model, part.configuration(x[i]), frame) @ part.rate_map(x[i])
    return J


def grasp_drift(
    grasp: Grasp, parts: Sequence[ParameterCoordinates], x: Sequence[FloatArray], xdot: Sequence[FloatArray]
) -> FloatArray:
    """(dC_x/dt) xdot (..., 6) of a grasp: difference of the frames' accelerations at xddot = 0."""
    held = _drift(parts[grasp.object_part], x[grasp.object_part], xdot[grasp.object_part], grasp.held)
    return held - _drift(parts[grasp.hand_part], x[grasp.hand_part], xdot[grasp.hand_part], grasp.hand)


def held_parameters(
    grasp: Grasp,
    parts: Sequence[ParameterCoordinates],
    hand: tuple[FloatArray, FloatArray],
    held: tuple[FloatArray, FloatArray],
) -> tuple[FloatArray, FloatArray]:
    """State (x, xdot) of the object whose frame is at the hand's and moves with it; joints of the object stay."""
    robot, body = parts[grasp.hand_part], parts[grasp.object_part]
    base = body.joints[0] if body.joints else None
    if body.model.base != "free" or base is None or base.rotation is None:
        raise ArgumentError(f"model {body.model.name!r} has a {body.model.base} base and cannot be put into a hand")
    x, xdot = (array.copy() for array in held)
    q, v = robot.configuration(hand[0]), _velocity(robot, *hand)
    V_WA = frame_velocity(robot.model, q, v, grasp.hand)
    root = next(iter(body.model.bodies))
    X_WO, X_WB = (frame_pose(body.model, body.configuration(x), name) for name in (root, grasp.held))
    X_WO = frame_pose(robot.model, q, grasp.hand) @ inverse_pose(X_WB) @ X_WO
    x[..., base.x] = np.concatenate([X_WO[..., :3, 3], base.rotation.parameters(X_WO[..., :3, :3])], axis=-1)
    J, v = jacobian(body.model, body.configuration(x), grasp.held), _velocity(body, x, xdot)
    rest = V_WA - (J[..., 6:] @ v[..., 6:, None])[..., 0]
    v[..., :6] = np.linalg.solve(J[..., :6], rest[..., None])[..., 0]
    return x, body.rates(x, v)


def _pose(part: int, frame: str, parts: Sequence[ParameterCoordinates], x: Sequence[FloatArray]) -> FloatArray:
    return frame_pose(parts[part].model, parts[part].configuration(x[part]), frame)


def _velocity(part: ParameterCoordinates, x: FloatArray, xdot: FloatArray) -> FloatArray:
    return np.asarray((part.rate_map(x) @ xdot[..., None])[..., 0])


def _drift(part: ParameterCoordinates, x: FloatArray, xdot: FloatArray, frame: str) -> FloatArray:
    vdot = (part.rate_map_dot(x, xdot) @ xdot[..., None])[..., 0]
    return frame_acceleration(part.model, part.configuration(x), _velocity(part, x, xdot), vdot, frame)
