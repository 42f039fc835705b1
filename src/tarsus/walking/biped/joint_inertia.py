"""Inertia that joints see: of what they carry, and of everything else where what they carry stands still."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.dynamics import body_poses, joint_screws, mass_matrix
from tarsus.model import Model


def joint_inertias(model: Model, q: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Distal and proximal inertia of every joint, shape (nv,) each [kg m^2 or kg]; zero for the base.

    The distal one, s^T I_sub s with the joint's screw s and the inertia of its subtree, is the diagonal of the mass
    matrix. The proximal one is s^T (I - I_sub) s: that of the rest, which turns about the joint while the subtree
    stands on the ground. Both hold the armature of the joint.
    """
    M = mass_matrix(model, q)
    X = body_poses(model, q)[0]
    s = joint_screws(model, q)[:, 6:]
    linear, angular = s[:3].T, s[3:].T
    # The whole robot moves with the screw: the twist of its base, in axes of the base.
    twist = np.concatenate([(linear + np.cross(angular, X[:3, 3])) @ X[:3, :3], angular @ X[:3, :3]], axis=-1)
    whole = np.einsum("ni,ij,nj->n", twist, M[:6, :6], twist)
    armature = np.zeros(model.nv)
    for joint in model.joints.values():
        if joint.v_index.stop > joint.v_index.start:
            armature[joint.v_index] = joint.armature
    distal = np.diag(M)[6:]
    zero = np.zeros(6)
    return np.concatenate([zero, distal]), np.concatenate([zero, whole - distal + 2.0 * armature[6:]])
