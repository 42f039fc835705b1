"""Kinematic loops brought into minimal coordinates while a model is made.

The model is a graph: a spanning tree and the joints that close its loops. Joints of connected loops form one
subsystem (Buschmann 2014, sections 2.3.2 and 3.4.2); its independent joints are chosen on its primary branch, that is,
drives and joints near the root first. What a subsystem's joints look like as functions of the independent ones is
followed from a closed reference configuration, so that every configuration belongs to the branch that continues the
drawn one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus import _native
from tarsus.errors import LoopError, Problem
from tarsus.model.closing import (
    CLOSED,
    LARGEST_STEP,
    NEWTON_STEPS,
    ClosingSystem,
    closing_rows,
    independent_columns,
    rank,
    turned_over,
)
from tarsus.model.closure import ClosingRow, Closure
from tarsus.model.coupling import Coupling, Loop
from tarsus.model.four_bar import PLANAR, Pivot, as_four_bar
from tarsus.model.joint import Joint
from tarsus.model.tracing import trace
from tarsus.spatial.pose import FloatArray

RESTARTS = 30
RESTART_SEED = 20141
NEARBY = (0.05, 0.05, 0.01, 0.002)
"""Distances [rad or m] of configurations that tell whether the reference is singular."""
TURNING = ("revolute", "continuous", "universal", "cylindrical")
"""Kinds of joints that may come round."""
IntArray = npt.NDArray[np.integer]

_integrate = _native.function("integrate")
_body_poses = _native.function("body_poses")


class Reduction(NamedTuple):
    """Closures of a model's loops.

    Attributes
    ----------
    closures : tuple of Closure
    reference : ndarray, shape (nq_tree,)
        Closed configuration of the spanning tree.
    reach : dict of int to (float, float)
        Interval of an independent coordinate of the tree in which its loop closes, where it is bounded.
    joined : frozenset of str
        Joints of linear couplings that became part of a loop's closure.
    warnings : tuple of Problem
    """

    closures: tuple[Closure, ...]
    reference: FloatArray
    reach: dict[int, tuple[float, float]]
    joined: frozenset[str]
    warnings: tuple[Problem, ...]


@dataclass(slots=True)
class _Subsystem:
    """Loops that share joints, directly or through each other."""

    loops: list[Loop]
    rows: list[ClosingRow]
    joints: set[int]
    relations: list[Coupling]
    system: ClosingSystem | None = None

    @property
    def name(self) -> str:
        return ", ".join(repr(loop.name) for loop in self.loops)


def _slopes(A_D: FloatArray, A_I: FloatArray) -> FloatArray:
    """G of A_D G + A_I = 0."""
    return np.asarray(-np.linalg.lstsq(A_D, A_I, rcond=None)[0], dtype=float)


class LoopReducer:
    """Finds the closures of one spanning tree.

    Parameters
    ----------
    core : ModelCore
        The spanning tree, all joints independent.
    joints : sequence of Joint
        One for each body.
    parents : sequence of int
        Parent body of each body, -1 for the root.
    home : mapping of str to (int, ndarray)
        Body and pose X_BL of every link.
    start : ndarray, shape (nq_tree,)
        Configuration near which the loops are closed.
    """

    def __init__(
        self,
        core: _native.ModelCore,
        joints: Sequence[Joint],
        parents: Sequence[int],
        home: Mapping[str, tuple[int, FloatArray]],
        start: FloatArray,
    ) -> None:
        self._core = core
        self._joints = joints
        self._parents = parents
        self._home = home
        self._q_start = np.concatenate([[0], np.cumsum([joint.nq for joint in joints])])
        self._v_start = np.concatenate([[0], np.cumsum([joint.nv for joint in joints])])
        self._start = start
        self._index = {joint.name: joint.index for joint in joints}

    def reduce(self, loops: Sequence[Loop], couplings: Sequence[Coupling]) -> Reduction:
        """Closures of all loops; linear couplings of joints in a loop are taken into it."""
        closures = [self._polynomial(loop) for loop in loops if loop.kind == "polynomial"]
        subsystems = self._subsystems([loop for loop in loops if loop.kind != "polynomial"])
        joined = self._join_couplings(subsystems, couplings)
        taken = {k for c in closures for k in c.dofs}
        for s in subsystems:
            if any(self._v_start[j] in taken for j in s.joints):
                raise LoopError(f"loop {s.name} contains a joint with a polynomial coupling; couplings='cut' opens it")
        reference = self._closed(subsystems)
        reach: dict[int, tuple[float, float]] = {}
        warnings: list[Problem] = []
        for s in subsystems:
            closure, reference = self._closure(s, reference, warnings)
            closures.append(self._followed(s, closure, reference, reach))
        return Reduction(tuple(closures), reference, reach, frozenset(joined), tuple(warnings))

    # Graph

    def _way(self, body: int) -> set[int]:
        way = set()
        while body >= 0:
            way.add(body)
            body = self._parents[body]
        return way

    def _subsystems(self, loops: Sequence[Loop]) -> list[_Subsystem]:
        found: list[_Subsystem] = []
        for loop in loops:
            (a, X_AL), (b, X_BL) = self._home[loop.link_a], self._home[loop.link_b]
            if np.shape(loop.pose_a) != (4, 4) or np.shape(loop.pose_b) != (4, 4):
                shapes = f"{np.shape(loop.pose_a)} and {np.shape(loop.pose_b)}"
                raise LoopError(f"poses of loop {loop.name!r} have the shapes {shapes}, expected (4, 4)")
            if a == b:
                raise LoopError(
                    f"loop {loop.name!r} ties {loop.link_a!r} and {loop.link_b!r}, which are one rigid body"
                )
            joints = self._way(a) ^ self._way(b)
            for j in joints:
                if self._joints[j].kind in ("free", "planar"):
                    raise LoopError(
                        f"loop {loop.name!r} runs through the {self._joints[j].kind} joint {self._joints[j].name!r}, "
                        "for which there are no minimal coordinates; couplings='cut' opens the loop, and "
                        "constrained dynamics closes it by multipliers"
                    )
            rows = closing_rows(loop, a, b, X_AL @ loop.pose_a, X_BL @ loop.pose_b)
            new = _Subsystem([loop], rows, joints, [])
            for other in [s for s in found if s.joints & new.joints]:
                found.remove(other)
                new = _Subsystem(other.loops + new.loops, other.rows + new.rows, other.joints | new.joints, [])
            found.append(new)
        return found

    def _join_couplings(self, subsystems: list[_Subsystem], couplings: Sequence[Coupling]) -> set[str]:
        joined: set[str] = set()
        waiting = list(couplings)
        progress = True
        while progress:
            progress = False
            for coupling in list(waiting):
                ends = {self._index[coupling.joint], *(self._index[name] for name, _ in coupling.terms)}
                touched = [s for s in subsystems if s.joints & ends]
                if not touched:
                    continue
                first, *others = touched
                if len(coupling.terms) > 1:
                    raise LoopError(
                        f"joint {coupling.joint!r} follows several joints, one of them in loop {first.name}; "
                        "couplings='cut' opens it"
                    )
                for other in others:  # loops that are geared to each other are one subsystem
                    subsystems.remove(other)
                    first.loops += other.loops
                    first.rows += other.rows
                    first.relations += other.relations
                    first.joints |= other.joints
                first.relations.append(coupling)
                first.joints |= ends
                joined.add(coupling.joint)
                waiting.remove(coupling)
                progress = True
        return joined

    # Equations of one subsystem over all coordinates of the tree

    def _equations(self, s: _Subsystem, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        if s.system is None:
            s.system = ClosingSystem(self._core, s.rows)
        value, A = s.system.equations(q)
        extra = np.zeros((len(s.relations), A.shape[1]))
        rest = np.zeros(len(s.relations))
        for r, c in enumerate(s.relations):
            j, k = self._index[c.joint], self._index[c.leader]
            extra[r, self._v_start[j]], extra[r, self._v_start[k]] = 1.0, -c.ratio
            rest[r] = q[self._q_start[j]] - c.ratio * q[self._q_start[k]] - c.offset
        return np.concatenate([value, rest]), np.concatenate([A, extra])

    def _dofs(self, joint: int) -> IntArray:
        return np.arange(self._v_start[joint], self._v_start[joint + 1])

    def _solve(self, s: _Subsystem, q: FloatArray, dofs: IntArray) -> FloatArray | None:
        """Newton's method over some joints; None where it does not close the loop."""
        for _ in range(NEWTON_STEPS):
            value, A = self._equations(s, q)
            step = -np.linalg.lstsq(A[:, dofs], value, rcond=1e-13)[0]
            largest = np.abs(step).max(initial=0.0)
            move = np.zeros(A.shape[1])
            move[dofs] = step * min(1.0, LARGEST_STEP / max(largest, 1e-300))
            q = _integrate(self._core, q, move)
            if largest < 1e-9:
                residual = np.abs(self._equations(s, q)[0]).max(initial=0.0)
                return q if residual < 1e3 * CLOSED else None
        return None

    def _closed(self, subsystems: Sequence[_Subsystem]) -> FloatArray:
        """Configuration near the start in which all loops are closed."""
        q = self._start
        for s in subsystems:
            dofs = np.concatenate([self._dofs(j) for j in sorted(s.joints)])
            closed = self._solve(s, q, dofs)
            rng = np.random.default_rng(RESTART_SEED)
            for restart in range(RESTARTS):
                if closed is not None and self._assembled(s, closed):
                    break
                move = np.zeros(int(self._v_start[-1]))
                move[dofs] = rng.uniform(-1.0, 1.0, len(dofs)) * (1.5 if restart < RESTARTS // 2 else np.pi)
                closed = self._solve(s, _integrate(self._core, q, move), dofs)
            if closed is None or not self._assembled(s, closed):
                names = ", ".join(repr(self._joints[j].name) for j in sorted(s.joints))
                raise LoopError(f"loop {s.name} cannot be closed by its joints {names}")
            q = closed
        return q

    def _assembled(self, s: _Subsystem, q: FloatArray) -> bool:
        """Whether all loop joints of a closed configuration are put together the right way."""
        poses = _body_poses(self._core, q)
        for loop in s.loops:
            (a, X_AL), (b, X_BL) = self._home[loop.link_a], self._home[loop.link_b]
            X_A, X_B = poses[a] @ X_AL @ loop.pose_a, poses[b] @ X_BL @ loop.pose_b
            if turned_over(loop, X_A[:3, :3].T @ X_B[:3, :3]):
                return False
        return True

    # Choice of independent joints

    def _refuse_singular(self, s: _Subsystem, q: FloatArray, columns: IntArray, r: int) -> None:
        """A configuration in which branches meet, for instance a stretched parallelogram, does not tell which is meant.

        There the conditions have a lower rank than at closed configurations nearby.
        """
        _, A = self._equations(s, q)
        _, _, directions = np.linalg.svd(A[:, columns])
        rng = np.random.default_rng(RESTART_SEED)
        names = ", ".join(repr(self._joints[j].name) for j in sorted(s.joints))
        moves = len(columns) == r
        for distance in NEARBY:
            direction = rng.normal(size=len(columns) - r) @ directions[r:]
            move = np.zeros(A.shape[1])
            move[columns] = distance * direction / max(float(np.linalg.norm(direction)), 1e-300)
            near = self._solve(s, _integrate(self._core, q, move), columns)
            if near is None:
                continue
            moves |= bool(np.abs(near - q).max() > 0.1 * distance)
            if rank(self._equations(s, near)[1][:, columns]) > r:
                raise LoopError(
                    f"loop {s.name} with the joints {names} is singular where it is drawn: several branches meet "
                    "there; give a reference configuration on the one that is meant"
                )
        if not moves:
            raise LoopError(
                f"loop {s.name} with the joints {names} is singular where it is drawn: it is free to move by "
                "infinitesimal amounts only; give another reference configuration"
            )

    def _closure(self, s: _Subsystem, reference: FloatArray, warnings: list[Problem]) -> tuple[Closure, FloatArray]:
        _, A = self._equations(s, reference)
        joints = sorted(s.joints)
        hinted = {name for loop in s.loops for name in loop.independent}
        followers = {self._index[c.joint] for c in s.relations}
        depth = {j: len(self._way(j)) for j in joints}
        by_name = sorted(joints, key=lambda j: self._joints[j].name, reverse=True)  # not by the order of their making

        def reluctance(j: int) -> tuple[bool, bool, bool, int, bool]:
            """Order in which joints become dependent: followers, those without drive, far ones, sliders."""
            joint = self._joints[j]
            driven = joint.actuated and not joint.name.startswith("_")
            return joint.name in hinted, j not in followers, driven, -depth[j], joint.kind in TURNING

        columns = np.concatenate([self._dofs(j) for j in joints])
        r = rank(A[:, columns])
        self._refuse_singular(s, reference, columns, r)
        order = [self._dofs(j) for j in sorted(by_name, key=reluctance)]
        dependent = independent_columns(A, order, r)
        dofs = np.concatenate(dependent) if dependent else np.zeros(0, dtype=int)
        if len(dofs) != r or r == 0:
            raise LoopError(
                f"loop {s.name} has no minimal coordinates: no choice of whole joints is determined by the others "
                f"(rank {r}); couplings='cut' opens it"
            )
        if len(A) > r:
            warnings.append(
                Problem(
                    "warning",
                    "redundant-loop",
                    f"loop {s.name} has {len(A)} closing conditions of rank {r}: {len(A) - r} are redundant",
                    f"loop {s.name}",
                    str(r),
                    *s.loops[0].source,
                )
            )
        free = [j for j in joints if self._v_start[j] not in dofs]
        if not free:
            message = f"loop {s.name} leaves its joints no freedom; if it should move, its axes are not exact"
            warnings.append(Problem("warning", "rigid-loop", message, f"loop {s.name}", "0", *s.loops[0].source))
        for j in free:
            if self._joints[j].nq != self._joints[j].nv:
                raise LoopError(
                    f"loop {s.name} leaves the spherical joint {self._joints[j].name!r} independent, for which there "
                    "are no minimal coordinates; use a universal joint, or couplings='cut'"
                )
        reference = self._returned(s, reference, dofs, free)
        ordered = [*dofs.tolist(), *(k for j in free for k in self._dofs(j).tolist())]
        coordinates = [self._coordinate(k) for k in ordered]
        rows = [*s.rows, *(self._relation(c, ordered) for c in s.relations)]
        _, A = self._equations(s, reference)
        slope = _slopes(A[:, dofs], A[:, ordered[len(dofs) :]])
        names = ", ".join(repr(self._joints[j].name) for j in joints)
        closure = Closure(
            "loop",
            f"loop {s.name} with the joints {names}",
            tuple(ordered),
            tuple(coordinates),
            len(dofs),
            tuple(rows),
            slope,
        )
        return closure, reference

    def _coordinate(self, dof: int) -> int:
        j = int(np.searchsorted(self._v_start, dof, side="right")) - 1
        inside = dof - self._v_start[j]
        return int(self._q_start[j] + (inside if self._joints[j].nq == self._joints[j].nv else 0))

    def _relation(self, c: Coupling, dofs: Sequence[int]) -> ClosingRow:
        a, b = (dofs.index(int(self._v_start[self._index[name]])) for name in (c.joint, c.leader))
        zero = np.zeros(3)
        return ClosingRow("relation", a, b, np.array([c.ratio, c.offset, 0.0]), zero, zero, zero)

    def _returned(self, s: _Subsystem, q: FloatArray, dofs: IntArray, free: Sequence[int]) -> FloatArray:
        """The closed configuration with independent joints where they were to start, if the loop follows there."""
        steps = 16
        places = [k for j in free for k in range(self._q_start[j], self._q_start[j + 1])]
        goal, origin, moved = self._start[places], q[places], q
        for k in range(1, steps + 1):
            moved = moved.copy()
            moved[places] = origin + (goal - origin) * k / steps
            solved = self._solve(s, moved, dofs)
            if solved is None:
                return q
            moved = solved
        return moved

    # Following one independent joint

    def _followed(
        self, s: _Subsystem, closure: Closure, reference: FloatArray, reach: dict[int, tuple[float, float]]
    ) -> Closure:
        """The closure with a table, or as a linear one where that is what it is."""
        nd = closure.dependents
        ball = any(closure.coordinates[k] == closure.coordinates[k + 1] for k in range(nd - 1))
        if len(closure.dofs) != nd + 1 or ball:
            return closure
        linear = self._linear(s, closure, reference)
        if linear is not None:
            return linear
        dofs, free = np.array(closure.dofs[:nd]), closure.coordinates[nd]
        joint = self._joints[int(np.searchsorted(self._q_start, free, side="right")) - 1]
        low, high = (float(x[free - self._q_start[joint.index]]) for x in (joint.q_min, joint.q_max))

        def solve(q: FloatArray) -> tuple[FloatArray, FloatArray] | None:
            closed = self._solve(s, q, dofs)
            if closed is None:
                return None
            _, A = self._equations(s, closed)
            return closed, _slopes(A[:, dofs], A[:, closure.dofs[nd]])

        turns = joint.kind in TURNING
        result = trace(solve, reference, list(closure.coordinates), low, high, turns)
        if result is None:
            return closure
        if result.bounds is not None:
            reach[free] = result.bounds
        pivots = self._pivots(s, closure, reference)
        four_bar = None if pivots is None else as_four_bar(closure, pivots, reference, result)
        if four_bar is not None:
            return four_bar
        table = np.stack([result.values, result.slopes], axis=-1)
        return replace(closure, table=table, first=result.first, spacing=result.spacing, periodic=result.periodic)

    def _linear(self, s: _Subsystem, closure: Closure, reference: FloatArray) -> Closure | None:
        """Constant slopes: parallelograms and the like, which stay regular where the general solution is not."""
        slope = closure.slope[:, 0]
        rounded = np.where(np.abs(slope - np.round(slope)) < 1e-9, np.round(slope), slope)
        nd, free = closure.dependents, closure.coordinates[closure.dependents]
        places = list(closure.coordinates[:nd])
        offset = reference[places] - rounded * reference[free]
        for x in np.linspace(-3.0, 3.0, 13):
            q = reference.copy()
            q[free] = x
            q[places] = offset + rounded * x
            if np.abs(self._equations(s, q)[0]).max() > 1e2 * CLOSED:
                return None
        return replace(closure, kind="linear", rows=(), slope=rounded[:, None], table=offset)

    def _pivots(self, s: _Subsystem, closure: Closure, reference: FloatArray) -> list[Pivot] | None:
        """The four pivots of a planar four-bar in the order of the loop, None for any other loop."""
        loop = s.loops[0]
        turning = ("revolute", "continuous")
        one = len(s.loops) == 1 and not s.relations and len(closure.dofs) == 3 and closure.dependents == 2
        if not one or loop.kind not in (*turning, "spherical", "cylindrical"):
            return None
        if any(self._joints[j].kind not in turning for j in s.joints):
            return None
        (a, X_AL), (b, _) = self._home[loop.link_a], self._home[loop.link_b]
        up, down = sorted(s.joints & self._way(a)), sorted(s.joints & self._way(b), reverse=True)
        poses = _body_poses(self._core, reference)

        def at_joint(j: int) -> tuple[FloatArray, FloatArray]:
            joint = self._joints[j]
            X = poses[self._parents[j]] @ joint.pose
            return X[:3, 3], X[:3, :3] @ joint.axis

        X_A = poses[a] @ X_AL @ loop.pose_a
        normal = at_joint((up + down)[0])[1]
        closing = normal if loop.kind == "spherical" else X_A[:3, :3] @ loop.axis / np.linalg.norm(loop.axis)
        # Against the tree, the link after a joint is its parent.
        corners = [
            *((*at_joint(j), 1.0) for j in up),
            (X_A[:3, 3], closing, 1.0),
            *((*at_joint(j), -1.0) for j in down),
        ]
        points, axes = [p for p, _, _ in corners], [sense * axis for _, axis, sense in corners]
        places = [-1 if j is None else closure.dofs.index(int(self._v_start[j])) for j in (*up, None, *down)]
        if any(np.linalg.norm(np.cross(normal, axis)) > PLANAR for axis in axes):
            return None
        x = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
        x /= np.linalg.norm(x)
        y = np.cross(normal, x)
        return [
            Pivot(np.array([x @ p, y @ p]), place, float(np.sign(axis @ normal)))
            for p, axis, place in zip(points, axes, places, strict=True)
        ]

    def _polynomial(self, loop: Loop) -> Closure:
        follower, leader = (self._joints[self._index[name]] for name in (loop.link_a, loop.link_b))
        dofs = tuple(int(self._v_start[j.index]) for j in (follower, leader))
        places = tuple(int(self._q_start[j.index]) for j in (follower, leader))
        name = f"coupling {loop.name!r} of joint {follower.name!r} to {leader.name!r}"
        if follower.nq != 1 or leader.nq != 1:
            raise LoopError(f"{name} is between joints of kinds {follower.kind!r} and {leader.kind!r}, not of one axis")
        if not loop.coefficients or not np.isfinite(loop.coefficients).all():
            raise LoopError(f"{name} has the coefficients {loop.coefficients}; expected one or more finite numbers")
        slope = np.array([[loop.coefficients[1] if len(loop.coefficients) > 1 else 0.0]])
        return Closure("polynomial", name, dofs, places, 1, slope=slope, table=np.array(loop.coefficients))
