"""Rods between two ball joints, whose spin about the line between the centres no loop determines.

A rod whose mass is symmetric about that line feels no moment about it: the spin keeps the rate it has and acts on
nothing else if that rate is zero (Lagrange's equation of a cyclic coordinate). Such a rod without spin moves like one
without a moment of inertia about its line, carried by a universal joint; in this form it has minimal coordinates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.errors import Problem
from tarsus.model.coupling import Loop
from tarsus.model.description import JointSpec
from tarsus.model.merging import MergedBody
from tarsus.spatial.inertia import Inertia

SHORTEST = 1e-9
"""Distance [m] of the centres below which there is no line between them."""
SYMMETRIC = 1e-6
"""Deviation of a rod's mass from symmetry, relative to its length and to its moments, that counts as rounding."""


def without_idle_spins(bodies: Sequence[MergedBody], loops: Sequence[Loop]) -> tuple[list[MergedBody], list[Problem]]:
    """Bodies with universal joints in place of the balls of spinning rods, and a warning for each of them.

    A rod is a body that a spherical joint carries, that carries nothing itself and that exactly one loop joint, a
    spherical one, ties to another body. The axes of its universal joint are perpendicular to the line between the
    centres where the joint is at zero.
    """
    result, warnings = list(bodies), []
    for index, body in enumerate(bodies):
        end = _other_end(index, bodies, loops)
        if end is None or body.joint is None or not _replaceable(body.joint):
            continue
        centre = np.linalg.solve(body.joint.child_pose, np.array([0.0, 0.0, 0.0, 1.0]))[:3]
        line = end - centre
        length = float(np.linalg.norm(line))
        if length < SHORTEST:
            continue
        line = line / length
        exact = _lossless(body.joint) and _symmetric(body.inertia, centre, line, length)
        result[index] = replace(
            body,
            joint=_universal(body.joint, body.joint.child_pose[:3, :3] @ line),
            inertia=_without_axial(body.inertia, line) if exact else body.inertia,
        )
        warnings.append(_warning(body.joint, body.name, exact))
    return result, warnings


def _other_end(index: int, bodies: Sequence[MergedBody], loops: Sequence[Loop]) -> FloatArray | None:
    """Centre of the ball joint that closes the loop of a rod, in the frame of the body; None for any other body."""
    body = bodies[index]
    if body.joint is None or body.joint.kind != "spherical" or any(other.parent == index for other in bodies):
        return None
    ties = [
        (loop, body.links[link] @ pose)
        for loop in loops
        if loop.kind != "polynomial"
        for link, pose in ((loop.link_a, loop.pose_a), (loop.link_b, loop.pose_b))
        if link in body.links and np.shape(pose) == (4, 4)
    ]
    if len(ties) != 1 or ties[0][0].kind != "spherical":
        return None
    return np.asarray(ties[0][1][:3, 3], dtype=float)


def _replaceable(joint: JointSpec) -> bool:
    """Whether a ball joint has no spring, and no number that belongs to one of its axes only."""
    constants = (joint.v_max, joint.tau_max, joint.damping, joint.friction, joint.armature)
    return not np.any(joint.stiffness) and all(len(set(np.atleast_1d(x).tolist())) == 1 for x in constants)


def _lossless(joint: JointSpec) -> bool:
    return not any(np.any(x) for x in (joint.damping, joint.friction, joint.armature))


def _universal(joint: JointSpec, line: FloatArray) -> JointSpec:
    """The joint with two axes perpendicular to a line, given in its frame."""
    first = np.cross(line, np.eye(3)[np.argmin(np.abs(line))])
    first /= np.linalg.norm(first)
    second = np.cross(line, first)

    def one(x: float | tuple[float, ...]) -> float:
        return float(np.atleast_1d(x)[0])

    return replace(
        joint,
        kind="universal",
        axis=(float(first[0]), float(first[1]), float(first[2])),
        axis2=(float(second[0]), float(second[1]), float(second[2])),
        q_min=-np.inf,
        q_max=np.inf,
        v_max=one(joint.v_max),
        tau_max=one(joint.tau_max),
        damping=one(joint.damping),
        friction=one(joint.friction),
        armature=one(joint.armature),
        stiffness=0.0,
        rest=0.0,
        actuated=False,
    )


def _symmetric(inertia: Inertia, centre: FloatArray, line: FloatArray, length: float) -> bool:
    """Whether a body's mass is symmetric about a line as far as its motion can tell."""
    off = np.cross(line, inertia.com - centre) if inertia.mass > 0.0 else np.zeros(3)
    axial = float(line @ inertia.moments @ line)
    across = 0.5 * (float(np.trace(inertia.moments)) - axial)
    ideal = across * np.eye(3) + (axial - across) * np.outer(line, line)
    deviation = float(np.abs(inertia.moments - ideal).max())
    largest = float(np.abs(inertia.moments).max())
    return bool(np.linalg.norm(off) <= SYMMETRIC * length and deviation <= SYMMETRIC * largest)


def _without_axial(inertia: Inertia, line: FloatArray) -> Inertia:
    """The inertia of a symmetric body without its moment about the line."""
    axial = float(line @ inertia.moments @ line)
    return replace(inertia, moments=inertia.moments - axial * np.outer(line, line))


def _warning(joint: JointSpec, body: str, exact: bool) -> Problem:
    message = (
        f"the spin of {body!r} about its own axis, between the ball joint {joint.name!r} and the one that closes its "
        "loop, is left out: the joint became a universal one"
    )
    if not exact:
        message += "; its mass is not symmetric about that axis, or the joint has losses, so this changes its motion"
    return Problem("warning", "idle-spin", message, f"joint {joint.name!r}", joint.kind, *joint.source)
