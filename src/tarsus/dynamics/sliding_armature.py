"""Armature along the slides of joints that turn, too: free and planar ones."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.model.joint import Joint, planar_tangents
from tarsus.model.model import Model
from tarsus.spatial.cross_product import skew


def sliding_matrix(model: Model, v: FloatArray) -> FloatArray:
    """Skew-symmetric C with C v = armature omega x v at the slides of free and planar joints, zero elsewhere.

    Their velocity has the axes of the moving body: an inertia a against the acceleration of the origin takes
    a (dv/dt + omega x v), from Lagrange's equations of a |v|^2 / 2, and a dv/dt is in the mass matrix.

    Parameters
    ----------
    v : ndarray, shape (..., nv)

    Returns
    -------
    ndarray, shape (..., nv, nv)
    """
    C = np.zeros((*v.shape, model.nv))
    for joint in model.joints.values():
        slides = joint.traits.translations
        if joint.traits.flat or joint.v_index.stop == joint.v_index.start or not np.any(joint.armature[:slides]):
            continue
        span = slice(joint.v_index.start, joint.v_index.start + slides)
        C[..., span, span] = joint.armature[0] * skew(_turning(joint, v[..., joint.v_index]))[..., :slides, :slides]
    return C


def _turning(joint: Joint, rate: FloatArray) -> FloatArray:
    """Angular velocity (..., 3) in the axes of the slides."""
    if joint.kind == "free":
        return rate[..., 3:]
    first, second = planar_tangents(joint.axis)
    omega = np.zeros((*rate.shape[:-1], 3))
    omega[..., 2] = np.sign(joint.axis @ np.cross(first, second)) * rate[..., 2]
    return omega
