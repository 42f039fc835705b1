"""Planar four-bars recognised among the loops, for the closed form of native/kernels/loops/four_bar.hpp."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from tarsus import _native
from tarsus.arrays import FloatArray
from tarsus.model.joint import HINGES
from tarsus.model.loops.closure import Closure
from tarsus.model.loops.path_table import PathTable
from tarsus.model.loops.solver import LoopSolver

PLANAR = 1e-12
"""Deviation of joint axes from parallel, below which a loop is planar."""
AGREEMENT = 1e-8
"""Deviation [rad] of the closed form from the followed angles, below which they are the same branch."""
IN_LINE = 1e-3
"""Sine of the angle between coupler and rocker below which the closed form loses digits."""

_body_poses = _native.function("body_poses")


class Pivot(NamedTuple):
    """A revolute joint of the loop, in the plane of the loop.

    Attributes
    ----------
    point : ndarray, shape (2,)
    place : int
        Place of its joint among the closure's, -1 for the joint that closes the loop.
    sign : float
        +1 where the joint's coordinate turns the link after it (in the order of the loop) against the link before it
        in the positive sense.
    """

    point: FloatArray
    place: int
    sign: float


def find_pivots(solver: LoopSolver, closure: Closure, reference: FloatArray) -> list[Pivot] | None:
    """The four pivots of a planar four-bar in the order of the loop, None for any other loop."""
    tree, s = solver.tree, solver.subsystem
    if not _one_loop_of_hinges(solver, closure):
        return None
    loop = s.loops[0]
    (a, X_AL), (b, _) = tree.home[loop.link_a], tree.home[loop.link_b]
    up, down = sorted(s.joints & tree.way(a)), sorted(s.joints & tree.way(b), reverse=True)
    poses = _body_poses(tree.core, reference)

    def at_joint(j: int) -> tuple[FloatArray, FloatArray]:
        X = poses[tree.parents[j]] @ tree.joints[j].pose
        return X[:3, 3], X[:3, :3] @ tree.joints[j].axis

    X_A = poses[a] @ X_AL @ loop.pose_a
    normal = at_joint((up + down)[0])[1]
    closing = normal if loop.kind == "spherical" else X_A[:3, :3] @ loop.axis / np.linalg.norm(loop.axis)
    # Against the tree, the link after a joint is its parent.
    corners = [
        *((*at_joint(j), 1.0) for j in up),
        (X_A[:3, 3], closing, 1.0),
        *((*at_joint(j), -1.0) for j in down),
    ]
    places = [-1 if j is None else closure.dofs.index(int(tree.v_start[j])) for j in (*up, None, *down)]
    if any(np.linalg.norm(np.cross(normal, axis)) > PLANAR for _, axis, _ in corners):
        return None
    x = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
    x /= np.linalg.norm(x)
    y = np.cross(normal, x)
    return [
        Pivot(np.array([x @ p, y @ p]), place, float(np.sign(sense * axis @ normal)))
        for (p, axis, sense), place in zip(corners, places, strict=True)
    ]


def _one_loop_of_hinges(solver: LoopSolver, closure: Closure) -> bool:
    """Whether a subsystem is a single loop of three hinges and a joint that may be a fourth."""
    s = solver.subsystem
    single = len(s.loops) == 1 and not s.relations and len(closure.dofs) == 3 and closure.dependents == 2
    hinges = all(solver.tree.joints[j].traits.is_hinge for j in s.joints)
    return single and hinges and s.loops[0].kind in (*HINGES, "spherical", "cylindrical")


def as_four_bar(closure: Closure, pivots: Sequence[Pivot], reference: FloatArray, result: PathTable) -> Closure | None:
    """The closure in closed form, or None where that does not describe the followed branch.

    Parameters
    ----------
    closure : Closure
        Two dependents, one independent joint.
    pivots : sequence of four Pivot
        In the order of the loop, at the reference.
    reference : ndarray, shape (nq_tree,)
    result : PathTable
        What the joints do when the loop is followed.
    """
    first = next(i for i, pivot in enumerate(pivots) if pivot.place == closure.dependents)
    p0, p1, p2, p3 = (pivots[(first + k) % 4] for k in range(4))
    ground, crank, coupler, rocker = (b.point - a.point for a, b in ((p0, p3), (p0, p1), (p1, p2), (p3, p2)))
    lengths = [float(np.linalg.norm(x)) for x in (ground, crank, coupler, rocker)]
    if min(lengths) < 1e-9:
        return None
    angle = [float(np.arctan2(x[1], x[0])) for x in (ground, crank, coupler, rocker)]
    d = p3.point - p1.point
    branch = 1.0 if d[0] * coupler[1] - d[1] * coupler[0] > 0.0 else -1.0
    q = [float(reference[k]) for k in closure.coordinates]
    phi = angle[1] - angle[0]
    numbers = [*lengths, branch, p0.sign, *_unit(phi - p0.sign * q[2])]
    # Angles between neighbouring links in the order of the loop, against the angles of the vectors above.
    psi = {1: angle[2] - angle[1], 2: angle[3] - angle[2], 3: angle[3] - angle[0]}
    sense = {1: p1.sign, 2: p2.sign, 3: -p3.sign}
    at = {p.place: k for k, p in ((1, p1), (2, p2), (3, p3))}
    span = np.asarray(result.first + result.spacing * np.arange(len(result.values)), dtype=float)
    for k in range(2):
        s = sense[at[k]]
        # The dependent that goes round with the crank is the one whose distance from a line of that slope stays small.
        winding = min((0.0, -1.0, 1.0), key=lambda w: float(np.ptp(result.values[:, k] - w * span)))
        rest = result.values[:, k] - winding * span
        numbers += [float(at[k]), s, *_unit(q[k] - s * psi[at[k]]), winding, 0.5 * float(rest.min() + rest.max())]
    found = replace(closure, kind="four-bar", rows=(), table=np.array(numbers))
    return found if _agrees(found, span, result) else None


def _unit(angle: float) -> tuple[float, float]:
    return float(np.cos(angle)), float(np.sin(angle))


def _agrees(closure: Closure, span: FloatArray, result: PathTable) -> bool:
    """Whether the closed form gives the followed angles at every knot."""
    n = closure.table
    ground, crank, coupler, rocker, branch, sign = n[:6]
    phi = sign * span + np.arctan2(n[7], n[6])
    d = ground - crank * np.exp(1j * phi)
    square = np.abs(d) ** 2
    x = 0.5 + 0.5 * (coupler**2 - rocker**2) / square
    height = coupler**2 / square - x**2
    if height.min() <= 0.0:
        return False
    u2 = (x + 1j * branch * np.sqrt(height)) * d
    u3 = u2 - d
    if np.abs(np.sin(np.angle(u3 / u2))).min() < IN_LINE:
        return False
    turned = {1: u2 / np.exp(1j * phi), 2: u3 / u2, 3: u3}
    for k in range(2):
        pivot, s, c, sine = n[8 + 6 * k : 12 + 6 * k]
        unit = turned[int(pivot)] / np.abs(turned[int(pivot)])
        unit = (unit if s > 0.0 else np.conj(unit)) * (c + 1j * sine)
        if np.abs(np.angle(unit / np.exp(1j * result.values[:, k]))).max() > AGREEMENT:
            return False
    return True
