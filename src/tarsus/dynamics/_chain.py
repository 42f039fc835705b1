"""Constants of an unbranched chain of one-axis joints as arrays over its bodies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError
from tarsus.model.body import Body
from tarsus.model.joint import ONE_AXIS, Joint
from tarsus.model.model import Model
from tarsus.spatial.cross_product import skew
from tarsus.spatial.inertia import Inertia


@dataclass(frozen=True, eq=False)
class Chain:
    """The bodies 1 ... n of a chain, one row a body; M is the moving side of the joint that carries it.

    Attributes
    ----------
    X_LJ : ndarray, shape (n, 4, 4)
        Joint frame in M of the body before, in the world for the first one.
    axis : ndarray, shape (n, 3)
        Of the joint, in J and in M.
    turn, advance : ndarray, shape (n,)
        Angle [rad] and displacement [m] of the joint per unit of its coordinate.
    S : ndarray, shape (n, 6)
        Twist of the joint in M, which is constant there, divided by its length `scale`.
    scale : ndarray, shape (n,)
    T : ndarray, shape (n, 6, 5)
        Orthonormal basis of what is perpendicular to S.
    inertia, inverse_inertia : ndarray, shape (n, 6, 6)
        Of the body at the origin of M.
    """

    X_LJ: FloatArray
    axis: FloatArray
    turn: FloatArray
    advance: FloatArray
    S: FloatArray
    scale: FloatArray
    T: FloatArray
    inertia: FloatArray
    inverse_inertia: FloatArray

    def __len__(self) -> int:
        return len(self.S)

    @classmethod
    def of(cls, model: Model) -> Self:
        """The chain of a model; an error names the joint or body that is not part of one."""
        joints, bodies = list(model.joints.values())[1:], list(model.bodies.values())[1:]
        _refuse_other_than_chain(model, joints, bodies)
        n = len(joints)
        X_MB = np.array([joint.child_pose for joint in joints]).reshape(n, 4, 4)
        X_LJ = np.array([joint.pose for joint in joints]).reshape(n, 4, 4)
        X_LJ[1:] = X_MB[:-1] @ X_LJ[1:]  # joints are placed in the body frame B of their parent
        X_LJ[:1] = model.joints["base"].pose @ model.joints["base"].child_pose @ X_LJ[:1]
        axis = np.array([joint.axis for joint in joints]).reshape(n, 3)
        turn = np.array([float(not joint.traits.slides[0]) for joint in joints])
        advance = np.array([{"prismatic": 1.0, "helical": joint.pitch}.get(joint.kind, 0.0) for joint in joints])
        S = np.hstack([advance[:, None] * axis, turn[:, None] * axis])
        scale = np.linalg.norm(S, axis=1)
        S /= scale[:, None]
        T = np.linalg.svd(S[:, :, None])[0][:, :, 1:]
        inertia = np.array([_matrix(body.inertia.in_frame(X)) for body, X in zip(bodies, X_MB, strict=True)])
        inertia = inertia.reshape(n, 6, 6)
        return cls(X_LJ, axis, turn, advance, S, scale, T, inertia, np.linalg.inv(inertia))

    def poses(self, q: FloatArray) -> FloatArray:
        """Pose X_LM of every body in the one before, shape (n, 4, 4)."""
        angle, K = self.turn * q, skew(self.axis)
        X_JM = np.zeros((len(self), 4, 4))
        X_JM[:, :3, :3] = np.eye(3) + np.sin(angle)[:, None, None] * K + (1.0 - np.cos(angle))[:, None, None] * K @ K
        X_JM[:, :3, 3] = (self.advance * q)[:, None] * self.axis
        X_JM[:, 3, 3] = 1.0
        X_LM: FloatArray = self.X_LJ @ X_JM
        return X_LM


def adjoint(X_AB: FloatArray) -> FloatArray:
    """Matrices (n, 6, 6) that take twists at the origin and in the axes of B to those of A."""
    R = X_AB[..., :3, :3]
    matrix = np.zeros((*X_AB.shape[:-2], 6, 6))
    matrix[..., :3, :3] = matrix[..., 3:, 3:] = R
    matrix[..., :3, 3:] = skew(X_AB[..., :3, 3]) @ R
    return matrix


def _refuse_other_than_chain(model: Model, joints: Sequence[Joint], bodies: Sequence[Body]) -> None:
    if model.base != "fixed":
        raise ArgumentError(f"base = {model.base!r} of {model.name!r} found, expected a chain with a fixed base")
    if model.couplings or model.loops:
        raise ArgumentError(f"{model.name!r} has couplings or loops, expected a chain without")
    parent = next(iter(model.bodies))
    for joint, body in zip(joints, bodies, strict=True):
        if joint.parent != parent:
            raise ArgumentError(f"joint {joint.name!r} branches off at {joint.parent!r}, expected a chain")
        if not joint.traits.one_axis:
            raise ArgumentError(f"joint {joint.name!r} is {joint.kind}, expected one of {', '.join(ONE_AXIS)}")
        if np.any(joint.armature):
            raise ArgumentError(f"joint {joint.name!r} has armature {joint.armature[0]:g} kg m^2, expected none")
        if body.inertia.mass <= 0.0 or np.linalg.eigvalsh(body.inertia.moments)[0] <= 0.0:
            raise ArgumentError(f"body {body.name!r} has no mass or moments of inertia to invert")
        parent = joint.child


def _matrix(inertia: Inertia) -> FloatArray:
    """Spatial inertia (6, 6), linear half first."""
    h = inertia.mass * skew(inertia.com)
    return np.block([[inertia.mass * np.eye(3), -h], [h, inertia.moments_about_origin]])
