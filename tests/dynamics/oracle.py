"""Kinematics and dynamics the slow way, in world coordinates, straight from the fields of joints and bodies.

Twists, wrenches and inertias are all taken at the world origin in world axes (linear half first), so that nothing needs
to be transformed between bodies. Featherstone 2008, chapters 2 and 5, with the two halves exchanged. Nothing of the
package is used but the data of the model and quaternions in `q`.
"""

from dataclasses import dataclass

import numpy as np

import tarsus as ts
from tarsus.arrays import FloatArray
from tarsus.model.joint import Joint


def hat(x: FloatArray) -> FloatArray:
    """Matrix of the cross product, hat(x) y = x x y."""
    return np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])


def turn(axis: FloatArray, angle: float) -> FloatArray:
    """Rotation about a unit axis, Rodrigues' formula."""
    K = hat(axis)
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K


def quaternion_rotation(q: FloatArray) -> FloatArray:
    """Rotation matrix of a unit quaternion (w, x, y, z)."""
    w, u = q[0], q[1:]
    return (w * w - u @ u) * np.eye(3) + 2.0 * np.outer(u, u) + 2.0 * w * hat(u)


def transform(R: FloatArray, p: FloatArray) -> FloatArray:
    """Pose (4, 4) from rotation and position."""
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = R, p
    return X


def adjoint(X_AB: FloatArray) -> FloatArray:
    """Matrix (6, 6) that takes a twist at the origin and in the axes of B to those of A."""
    R, p = X_AB[:3, :3], X_AB[:3, 3]
    return np.block([[R, hat(p) @ R], [np.zeros((3, 3)), R]])


def cross_motion(V: FloatArray) -> FloatArray:
    """Matrix (6, 6) of the rate of change of a twist that is carried along with V."""
    return np.block([[hat(V[3:]), hat(V[:3])], [np.zeros((3, 3)), hat(V[3:])]])


def plane(normal: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Directions of the translations of a planar joint: (x, z) for +y, else x (or y) projected and its left normal."""
    if np.array_equal(normal, (0.0, 1.0, 0.0)):
        return np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])
    start = np.array([0.0, 1.0, 0.0]) if abs(normal[0]) > 1.0 - 1e-9 else np.array([1.0, 0.0, 0.0])
    first = start - normal * (normal @ start)
    first /= np.linalg.norm(first)
    return first, np.cross(normal, first)


def joint_motion(joint: Joint, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Pose X_JM of the moving side M, its twists S (6, nv) per unit rate in axes of M, and (dS/dt) v in axes of M."""
    n, o = joint.axis, np.zeros(3)
    line, hinge = np.concatenate([n, o])[:, None], np.concatenate([o, n])[:, None]
    rest = np.zeros(6)
    match joint.kind:
        case "fixed":
            return np.eye(4), np.zeros((6, 0)), rest
        case "revolute" | "continuous":
            return transform(turn(n, q[0]), o), hinge, rest
        case "prismatic":
            return transform(np.eye(3), n * q[0]), line, rest
        case "helical":
            return transform(turn(n, q[0]), n * joint.pitch * q[0]), joint.pitch * line + hinge, rest
        case "cylindrical":
            return transform(turn(n, q[1]), n * q[0]), np.hstack([line, hinge]), rest
        case "universal":
            second = turn(joint.axis2, q[1])
            first = second.T @ n  # the first axis as the child sees it; it turns with the second angle
            S = np.array([[*o, *first], [*o, *joint.axis2]]).T
            return (
                transform(turn(n, q[0]) @ second, o),
                S,
                np.array([*o, *(-np.cross(joint.axis2, first) * v[0] * v[1])]),
            )
        case "spherical":
            return transform(quaternion_rotation(q), o), np.eye(6)[:, 3:], rest
        case "planar":
            t1, t2 = plane(n)
            S = np.array([[*t1, *o], [*t2, *o], [*o, *n]]).T
            return transform(turn(n, q[2]), t1 * q[0] + t2 * q[1]), S, rest
        case _:
            return transform(quaternion_rotation(q[3:]), q[:3]), np.eye(6), rest


@dataclass(frozen=True)
class Oracle:
    """Everything about one state of a model without couplings.

    Attributes
    ----------
    poses : ndarray, shape (nb, 4, 4)
    screws : ndarray, shape (6, nv)
    jacobians : ndarray, shape (nb, 6, nv)
        At the world origin.
    twists, biases : ndarray, shape (nb, 6)
        Twists of the bodies at the world origin, and their rates at vdot = 0.
    inertias : ndarray, shape (nb, 6, 6)
        At the world origin.
    """

    model: ts.Model
    q: FloatArray
    v: FloatArray
    poses: FloatArray
    screws: FloatArray
    jacobians: FloatArray
    twists: FloatArray
    biases: FloatArray
    inertias: FloatArray

    @property
    def mass_matrix(self) -> FloatArray:
        """Sum over the bodies of J^T M J, and the rotors."""
        rotors = np.diag(np.concatenate([joint.armature for joint in self.model.joints.values()]))
        return np.einsum("bij,bik,bkl->jl", self.jacobians, self.inertias, self.jacobians) + rotors

    def forces(self, gravity: FloatArray) -> FloatArray:
        """Sum over the bodies of J^T (M A + V x* M V - M g): the bias force."""
        total = np.zeros(self.model.nv)
        for J, M, V, A in zip(self.jacobians, self.inertias, self.twists, self.biases, strict=True):
            total += J.T @ (M @ (A - np.concatenate([gravity, np.zeros(3)])) - cross_motion(V).T @ (M @ V))
        return total + self.rotor_drift

    @property
    def rotor_drift(self) -> FloatArray:
        """Armature along slides times omega x v, which dv/dt lacks because their axes turn."""
        drift = np.zeros(self.model.nv)
        for joint in self.model.joints.values():
            v, at = self.v[joint.v_index], joint.v_index.start
            if joint.kind == "free":
                drift[at : at + 3] = joint.armature[0] * np.cross(v[3:], v[:3])
            elif joint.kind == "planar":
                t1, t2 = plane(joint.axis)
                across = np.cross(v[2] * joint.axis, v[0] * t1 + v[1] * t2)
                drift[at : at + 2] = joint.armature[0] * across @ np.column_stack([t1, t2])
        return drift

    @property
    def bias_force(self) -> FloatArray:
        return self.forces(np.asarray(self.model.gravity))

    @property
    def momentum_at_origin(self) -> FloatArray:
        momenta: FloatArray = np.einsum("bij,bj->i", self.inertias, self.twists)
        return momenta

    @property
    def kinetic_energy(self) -> float:
        return float(0.5 * self.v @ self.mass_matrix @ self.v)

    @property
    def center_of_mass(self) -> FloatArray:
        bodies = self.model.bodies.values()
        moments = [
            b.inertia.mass * (X[:3, 3] + X[:3, :3] @ b.inertia.com) for b, X in zip(bodies, self.poses, strict=True)
        ]
        return np.sum(moments, axis=0) / sum(body.inertia.mass for body in bodies)

    def jacobian(self, body: int, point: FloatArray) -> FloatArray:
        """Jacobian of the point of a body that is at `point` (3,) in the world, world axes."""
        return adjoint(transform(np.eye(3), -point)) @ self.jacobians[body]


def evaluate(model: ts.Model, q: FloatArray, v: FloatArray) -> Oracle:
    """Evaluate one state; parents come before children."""
    numbers = {body.name: body.index for body in model.bodies.values()}
    count = len(numbers)
    poses, jacobians = np.zeros((count, 4, 4)), np.zeros((count, 6, model.nv))
    twists, biases, inertias = np.zeros((count, 6)), np.zeros((count, 6)), np.zeros((count, 6, 6))
    for joint, body in zip(model.joints.values(), model.bodies.values(), strict=True):
        i, parent = joint.index, numbers.get(joint.parent, -1)
        X_WP = poses[parent] if parent >= 0 else np.eye(4)
        X_JM, S, rate = joint_motion(joint, q[joint.q_index], v[joint.v_index])
        X_WM = X_WP @ joint.pose @ X_JM
        poses[i] = X_WM @ joint.child_pose
        columns = adjoint(X_WM) @ S
        if parent >= 0:
            jacobians[i], twists[i], biases[i] = jacobians[parent], twists[parent], biases[parent]
        jacobians[i][:, joint.v_index] = columns
        twists[i] += columns @ v[joint.v_index]
        # d/dt (S v) for columns that are carried along with the child
        biases[i] += cross_motion(twists[i]) @ columns @ v[joint.v_index] + adjoint(X_WM) @ rate
        inertias[i] = _inertia_at_origin(body.inertia, poses[i])
    screws = np.zeros((6, model.nv))
    for joint in model.joints.values():
        screws[:, joint.v_index] = jacobians[joint.index][:, joint.v_index]
    return Oracle(model, q, v, poses, screws, jacobians, twists, biases, inertias)


def _inertia_at_origin(inertia: ts.Inertia, X_WB: FloatArray) -> FloatArray:
    R = X_WB[:3, :3]
    C = hat(X_WB[:3, 3] + R @ inertia.com)
    m = inertia.mass
    return np.block([[m * np.eye(3), -m * C], [m * C, R @ inertia.moments @ R.T - m * C @ C]])
