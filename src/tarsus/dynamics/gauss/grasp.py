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

from tarsus.arrays import FloatArray
from tarsus.dynamics.gauss.coordinates import ParameterCoordinates
from tarsus.dynamics.gauss.equations import PartMotion
from tarsus.dynamics.jacobians import jacobian
from tarsus.dynamics.kinematics import frame_acceleration, frame_pose, frame_velocity
from tarsus.errors import ArgumentError, UnknownNameError, nearest
from tarsus.spatial.pose import inverse_pose


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


def grasp_error(grasp: Grasp, motions: Sequence[PartMotion]) -> FloatArray:
    """C (..., 6) of a grasp [m and 1] from the motions of the parts."""
    X_WA, X_WB = (frame_pose(motions[i].model, motions[i].q, frame) for i, frame in _ends(grasp))
    turn = 0.5 * np.cross(X_WA[..., :3, :3], X_WB[..., :3, :3], axisa=-2, axisb=-2, axisc=-2).sum(axis=-1)
    return np.concatenate([X_WB[..., :3, 3] - X_WA[..., :3, 3], turn], axis=-1)


def grasp_jacobian(grasp: Grasp, motions: Sequence[PartMotion], columns: Sequence[slice], nx: int) -> FloatArray:
    """C_x (..., 6, nx) of a grasp; `columns` tells where the parameters of each part stand."""
    J = np.zeros((*motions[0].x.shape[:-1], 6, nx))
    for sign, (i, frame) in zip((-1.0, 1.0), _ends(grasp), strict=True):
        J[..., columns[i]] += sign * jacobian(motions[i].model, motions[i].q, frame) @ motions[i].G
    return J


def grasp_drift(grasp: Grasp, motions: Sequence[PartMotion]) -> FloatArray:
    """(dC_x/dt) xdot (..., 6) of a grasp: difference of the frames' accelerations at xddot = 0."""
    A_WA, A_WB = (
        frame_acceleration(motions[i].model, motions[i].q, motions[i].v, motions[i].v_drift, frame)
        for i, frame in _ends(grasp)
    )
    return A_WB - A_WA


def held_parameters(grasp: Grasp, motions: Sequence[PartMotion]) -> tuple[FloatArray, FloatArray]:
    """State (x, xdot) of the object whose frame is at the hand's and moves with it; joints of the object stay."""
    hand, held = motions[grasp.hand_part], motions[grasp.object_part]
    base = held.coordinates.joints[0] if held.coordinates.joints else None
    if held.model.base != "free" or base is None or base.rotation is None:
        raise ArgumentError(f"model {held.model.name!r} has a {held.model.base} base and cannot be put into a hand")
    root = next(iter(held.model.bodies))
    X_WO, X_WB = (frame_pose(held.model, held.q, name) for name in (root, grasp.held))
    X_WO = frame_pose(hand.model, hand.q, grasp.hand) @ inverse_pose(X_WB) @ X_WO
    x, v = held.x.copy(), held.v.copy()
    x[..., base.x] = np.concatenate([X_WO[..., :3, 3], base.rotation.parameters(X_WO[..., :3, :3])], axis=-1)
    J = jacobian(held.model, held.coordinates.configuration(x), grasp.held)
    rest = frame_velocity(hand.model, hand.q, hand.v, grasp.hand) - (J[..., 6:] @ v[..., 6:, None])[..., 0]
    v[..., :6] = np.linalg.solve(J[..., :6], rest[..., None])[..., 0]
    return x, held.coordinates.rates(x, v)


def _ends(grasp: Grasp) -> tuple[tuple[int, str], tuple[int, str]]:
    """Part and frame of the hand and of the object."""
    return (grasp.hand_part, grasp.hand), (grasp.object_part, grasp.held)
