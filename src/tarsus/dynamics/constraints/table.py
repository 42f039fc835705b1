"""The constraints of a motion as one native table, made once for a model and remembered."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Self
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from tarsus import _native
from tarsus.arrays import FloatArray
from tarsus.dynamics.constraints.constraint import Constraint
from tarsus.dynamics.constraints.lowering import FRAME_DRIVE, JOINT_DRIVE, JointPart, PairPart
from tarsus.errors import ArgumentError
from tarsus.model.model import Model

TABLES_PER_MODEL = 64
"""Remembered; a program that makes new constraints in every step forgets the oldest."""


class ConstraintTable(_native.ConstraintCore):
    """Rows of constraints for one model.

    Attributes
    ----------
    constraints : tuple of Constraint
    size : int
        Number of rows m.
    first : ndarray of int, shape (len(constraints) + 1,)
        Where the rows of each constraint start.
    pairs : tuple of int
        Number of the pair of bodies that a constraint ties, -1 for joint coordinates.
    bodies : tuple of (str or None, str or None)
        The bodies of each constraint; None is the world.
    holonomic : ndarray of bool, shape (m,)
    driven : bool
        Whether some motion is given as a function of time.
    arrays : dict
        What the native table was made of.
    """

    constraints: tuple[Constraint, ...]
    size: int
    first: npt.NDArray[np.int_]
    pairs: tuple[int, ...]
    bodies: tuple[tuple[str | None, str | None], ...]
    holonomic: npt.NDArray[np.bool_]
    driven: bool
    arrays: dict[str, Any]

    def __new__(cls, model: Model, constraints: tuple[Constraint, ...]) -> Self:
        """Check the constraints and lay their rows one below the other."""
        for constraint in constraints:
            if not isinstance(constraint, Constraint):
                raise ArgumentError(f"constraints holds {constraint!r}, expected Constraint objects")
            constraint.check(model)
        layout = _Layout(model)
        for constraint in constraints:
            layout.add(constraint)
        arrays = layout.arrays()
        self = super().__new__(cls, model, arrays)
        self.arrays = arrays
        self.constraints = constraints
        self.size = layout.rows
        self.first = np.array(layout.first)
        self.pairs = tuple(layout.pair_of)
        self.bodies = tuple(layout.bodies)
        self.holonomic = np.array(layout.holonomic, dtype=bool)
        self.driven = layout.drives > 0
        return self

    def drive(self, model: Model, time: FloatArray) -> FloatArray | None:
        """Numbers of all given motions at the times (...), as the native functions take them."""
        if not self.driven:
            return None
        given = []
        for constraint in self.constraints:
            try:
                given.append(constraint.drive(model, time))
            except ArgumentError:
                raise
            except Exception as error:
                raise ArgumentError(
                    f"the motion of {constraint.label} failed: {type(error).__name__}: {error}"
                ) from error
        return np.concatenate([x for x in given if x is not None], axis=-1)

    def labels_of(self, share: FloatArray, least: float = 0.1) -> list[str]:
        """Labels of the constraints whose rows hold more than `least` of the largest entry of `share` (m,)."""
        size = np.abs(share)
        most = size.max(initial=0.0)
        parts = zip(self.constraints, self.first[:-1], self.first[1:], strict=True)
        return [c.label for c, begin, end in parts if size[begin:end].max(initial=0.0) > least * most]


class _Layout:
    """Arrays of the native table, filled constraint by constraint."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.rows = self.drives = 0
        self.first = [0]
        self.pair_of: list[int] = []
        self.bodies: list[tuple[str | None, str | None]] = []
        self.holonomic: list[bool] = []
        self.frames: list[str | None] = []
        self.failures: list[str] = []
        self.pair: list[tuple[int, int, int]] = []
        self.pair_pose: list[FloatArray] = []
        self.pair_place: list[int] = []
        self.pair_row: list[tuple[int, int, int]] = []
        self.pair_row_data: list[FloatArray] = []
        self.joint: list[tuple[int, ...]] = []
        self.joint_offset: list[float] = []
        self.term: list[tuple[int, int]] = []
        self.factor: list[float] = []
        self.coefficient: list[float] = []

    def add(self, constraint: Constraint) -> None:
        pair = -1
        bodies: tuple[str | None, str | None] = (None, None)
        for part in constraint.parts(self.model):
            if isinstance(part, PairPart):
                pair, bodies = len(self.pair), (self._body(part.frame_a), self._body(part.frame_b))
                self._add_pair(part)
            else:
                self._add_joint(part)
        self.pair_of.append(pair)
        self.bodies.append(bodies)
        self.first.append(self.rows)

    def _body(self, frame: str | None) -> str | None:
        return None if frame is None else self.model.frames[frame].body

    def _driven(self, driven: bool, size: int) -> int:
        """First of the given numbers, -1 where none are given."""
        if not driven:
            return -1
        self.drives += size
        return self.drives - size

    def _add_pair(self, part: PairPart) -> None:
        number = len(self.pair)
        self.frames += [part.frame_a, part.frame_b]
        self.failures.append(part.failure)
        self.pair.append((0, 0, self._driven(part.driven, FRAME_DRIVE)))
        self.pair_pose += [np.asarray(part.pose_a)[:3], np.asarray(part.pose_b)[:3]]
        self.pair_place.append(self.rows)
        for row in part.rows:
            self.pair_row.append((number, row.kind, row.entry))
            self.pair_row_data.append(np.concatenate([row.a, row.b, row.c, [row.value]]))
            self.holonomic.append(row.holonomic)
            self.rows += 1

    def _add_joint(self, part: JointPart) -> None:
        leader = -1 if part.leader is None else self.model.joints[part.leader].index
        drive = self._driven(part.driven, JOINT_DRIVE)
        self.joint.append((self.rows, len(part.terms), leader, 0, len(part.coefficients), drive))
        self.joint_offset.append(part.offset)
        for joint, axis, factor in part.terms:
            self.term.append((self.model.joints[joint].index, axis))
            self.factor.append(factor)
        self.coefficient += part.coefficients
        self.holonomic.append(True)
        self.rows += 1

    def arrays(self) -> dict[str, Any]:
        def integers(x: Sequence[Any]) -> npt.NDArray[np.int32]:
            return np.array(x, dtype=np.int32).ravel()

        def numbers(x: Sequence[Any]) -> FloatArray:
            return np.array(x, dtype=float).ravel()

        return {
            "counts": integers([self.rows, self.drives]),
            "pair": integers(self.pair),
            "pair_frames": tuple(self.frames),
            "pair_failures": tuple(self.failures),
            "pair_pose": numbers(self.pair_pose),
            "pair_place": integers(self.pair_place),
            "pair_row": integers(self.pair_row),
            "pair_row_data": numbers(self.pair_row_data),
            "joint": integers(self.joint),
            "joint_offset": numbers(self.joint_offset),
            "term": integers(self.term),
            "factor": numbers(self.factor),
            "coefficient": numbers(self.coefficient),
        }


_tables: WeakKeyDictionary[Model, dict[tuple[Constraint, ...], ConstraintTable]] = WeakKeyDictionary()


def constraint_table(model: Model, constraints: Iterable[Constraint]) -> ConstraintTable:
    """The table of constraints that fit the model, or an error that names the one that does not."""
    key = (constraints,) if isinstance(constraints, Constraint) else tuple(constraints)
    known = _tables.get(model)
    if known is None:
        known = _tables[model] = {}
    try:
        return known[key]
    except (KeyError, TypeError):  # not known, or nothing that could be a constraint
        table = ConstraintTable(model, key)
    while len(known) >= TABLES_PER_MODEL:
        known.pop(next(iter(known)), None)
    known[key] = table
    return table
