"""Springs and dampers of MJCF joints that are given by a time constant and a damping ratio."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.io.mjcf.tree.bodies import Tree
from tarsus.io.xml import Report
from tarsus.model.description import JointSpec
from tarsus.spatial.inertia import Inertia

_LARGEST = 1000
"""Degrees of freedom of a model whose mass matrix is inverted."""


def with_spring_dampers(
    tree: Tree,
    wanted: Mapping[str, tuple[float, float]],
    armature: Mapping[str, float],
    rest: Mapping[str, float],
    report: Report,
) -> list[JointSpec]:
    """Return the joints with the springs and dampers that `springdamper` asks for.

    A joint with time constant T and damping ratio z gets, as in MuJoCo, the stiffness m / (T z)^2 and the damping
    2 m / T, where 1 / m is its entry on the diagonal of the inverse mass matrix of the robot as drawn; of a ball joint
    the mean of its three.

    Parameters
    ----------
    wanted : mapping of str to (float, float)
        Time constant [s] and damping ratio of joints by name.
    armature : mapping of str to float
        Armature of joints, with what tendons add.
    rest : mapping of str to float
        Coordinates at which springs are at rest, where they are not zero.
    """
    if not wanted:
        return tree.joints
    felt = _felt_inertias(tree, armature)
    joints = []
    for joint in tree.joints:
        if joint.name in wanted:
            time, ratio = wanted[joint.name]
            inertia = felt.get(joint.name)
            if inertia is None:
                message = "springdamper needs a mass matrix that can be inverted; the spring is left out"
                report.warning("not-supported", message, tree.order[joint.name], f"{time} {ratio}")
            else:
                stiffness = inertia / (time * ratio) ** 2
                at = rest.get(joint.name, 0.0) if stiffness else 0.0
                joint = replace(joint, stiffness=stiffness, damping=2.0 * inertia / time, rest=at)
        joints.append(joint)
    return joints


def _felt_inertias(tree: Tree, armature: Mapping[str, float]) -> dict[str, float]:
    """Inertias that forces on the joints feel while all others are free; none where that cannot be told."""
    columns = _columns(tree)
    size = sum(S.shape[1] for S in columns.values())
    if not 0 < size <= _LARGEST:
        return {}
    ends = np.cumsum([S.shape[1] for S in columns.values()]).tolist()
    place = {name: slice(end - S.shape[1], end) for (name, S), end in zip(columns.items(), ends, strict=True)}
    with np.errstate(all="ignore"):
        M = _mass_matrix(tree, columns, place)
        for name, span in place.items():
            M[span, span] += armature.get(name, 0.0) * np.eye(span.stop - span.start)
        try:
            mobility = np.diag(np.linalg.inv(M))
        except np.linalg.LinAlgError:
            return {}
    means = {name: float(mobility[span].mean()) for name, span in place.items()}
    return {name: 1.0 / mean for name, mean in means.items() if np.isfinite(mean) and mean > 0.0}


def _columns(tree: Tree) -> dict[str, FloatArray]:
    """Twists (6, n) of the moving joints as drawn, at the world origin in world axes, linear part first."""
    below = {joint.parent: joint.child for joint in tree.joints}
    columns: dict[str, FloatArray] = {}
    for joint in tree.joints:
        body = joint.child
        while body not in tree.X_W:  # links between two joints of a body lie in its frame
            body = below[body]
        X = tree.X_W[body]
        if joint.kind == "free":
            columns[joint.name] = np.eye(6)
            columns[joint.name][:3, 3:] = np.cross(X[:3, 3], np.eye(3), axisb=0, axisc=0)
        elif joint.kind == "prismatic":
            columns[joint.name] = np.concatenate([X[:3, :3] @ joint.axis, np.zeros(3)])[:, None]
        elif joint.kind != "fixed":
            # The anchor in axes of the body: a turn about it leads from the joint to the body.
            anchor = -joint.child_pose[:3, :3].T @ joint.child_pose[:3, 3]
            p = X[:3, :3] @ anchor + X[:3, 3]
            axes = X[:3, :3] @ (np.eye(3) if joint.kind == "spherical" else np.reshape(joint.axis, (3, 1)))
            columns[joint.name] = np.concatenate([np.cross(p, axes, axisb=0, axisc=0), axes])
    return columns


def _mass_matrix(tree: Tree, columns: Mapping[str, FloatArray], place: Mapping[str, slice]) -> FloatArray:
    """Mass matrix of all joints as drawn, from inertias of the bodies that each joint carries."""
    carried: dict[str, Inertia] = {}
    for link in tree.links:
        if link.inertia is not None:
            carried[link.name] = link.inertia.in_frame(tree.X_W[link.name])
    upwards = {joint.child: joint for joint in tree.joints}
    size = max(span.stop for span in place.values())
    M = np.zeros((size, size))
    for joint in reversed(tree.joints):  # children stand behind their parents
        inertia = carried.get(joint.child)
        if inertia is None:
            continue
        carried[joint.parent] = inertia if joint.parent not in carried else carried[joint.parent] + inertia
        if joint.name not in columns:
            continue
        force = _spatial(inertia) @ columns[joint.name]
        own = place[joint.name]
        above: JointSpec | None = joint
        while above is not None:
            if above.name in columns:
                other = place[above.name]
                M[other, own] = columns[above.name].T @ force
                M[own, other] = M[other, own].T
            above = upwards.get(above.parent)
    return M


def _spatial(inertia: Inertia) -> FloatArray:
    """Inertia (6, 6) at the origin, linear part first."""
    mc = inertia.mass * inertia.com
    cross = np.array([[0.0, -mc[2], mc[1]], [mc[2], 0.0, -mc[0]], [-mc[1], mc[0], 0.0]])
    return np.block([[inertia.mass * np.eye(3), -cross], [cross, inertia.moments_about_origin]])
