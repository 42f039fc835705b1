"""The posture of the joints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray, IndexArray, read_only, read_only_copy
from tarsus.errors import UnknownNameError, nearest
from tarsus.model import Model
from tarsus.model.joint import JOINT_TRAITS
from tarsus.spatial._arrays import as_array, as_vector
from tarsus.tasks.block import Block
from tarsus.tasks.task import Task


@dataclass(frozen=True, eq=False)
class Posture(Task):
    """Joints have given coordinates: e = difference(q, target) of the chosen joints.

    Attributes
    ----------
    target : array_like, shape (..., nq), optional
        The model's reference pose by default.
    joints : iterable of str, optional
        Which joints count; all but the base and other free joints by default.
    """

    target_axes: ClassVar[Mapping[str, int]] = {"target": 1}

    target: npt.ArrayLike | None = None
    joints: Iterable[str] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.target is not None:
            object.__setattr__(self, "target", read_only_copy(as_array(self.target, "target of Posture")))
        if self.joints is not None:
            names = (self.joints,) if isinstance(self.joints, str) else tuple(self.joints)
            object.__setattr__(self, "joints", names)

    def columns(self, model: Model) -> IndexArray:
        """Entries of v that the task is about, shape (full rows,)."""
        known = _COLUMNS.setdefault(model, {})
        joints = None if self.joints is None else tuple(self.joints)
        if joints not in known:
            known[joints] = read_only(_columns(model, joints))
        return known[joints]

    def full_rows(self, model: Model) -> int:
        """Freedoms of the chosen joints."""
        return len(self.columns(model))

    def full_error(self, model: Model, q: npt.ArrayLike) -> FloatArray:
        """Way to the target [rad, m]."""
        target = model.reference if self.target is None else as_vector(self.target, "target of Posture", model.nq)
        return model.difference(q, target)[..., self.columns(model)]

    def full_jacobian(self, model: Model, q: npt.ArrayLike) -> FloatArray:
        """Rows of the identity."""
        rows = np.eye(model.nv)[self.columns(model)]
        return np.broadcast_to(rows, (*np.shape(q)[:-1], *rows.shape)).copy()

    def full_bias(self, model: Model, q: npt.ArrayLike, v: npt.ArrayLike) -> FloatArray:
        """Zero."""
        batch = np.broadcast_shapes(np.shape(q)[:-1], np.shape(v)[:-1])
        return np.zeros((*batch, self.full_rows(model)))

    def blocks(self, model: Model) -> tuple[Block, ...] | None:
        """One of postures, where all coordinates are plain numbers."""
        target = model.reference if self.target is None else as_vector(self.target, "target of Posture", model.nq)
        columns = self.columns(model)[self.chosen(model)]
        coordinates = _coordinates(model)[columns]
        if np.any(coordinates < 0):
            return None
        return (Block("posture", columns, target[..., coordinates], coordinates=coordinates),)


_COLUMNS: WeakKeyDictionary[Model, dict[tuple[str, ...] | None, IndexArray]] = WeakKeyDictionary()
_COORDINATES: WeakKeyDictionary[Model, IndexArray] = WeakKeyDictionary()
"""What was found for models: controllers ask a thousand times a second."""


def _columns(model: Model, joints: tuple[str, ...] | None) -> IndexArray:
    """Entries of v of joints; of all but a base, and objects that float beside the robot, where they are not told."""
    if joints is None:
        names = [name for name in model.joints if name != "base" and model.joints[name].kind != "free"]
    else:
        names = list(joints)
    columns: list[int] = []
    for name in names:
        if name not in model.joints:
            raise UnknownNameError(f"joint {name!r} of Posture not found{nearest(name, model.joints)}")
        index = model.joints[name].v_index
        if joints is not None and index.start == index.stop:
            raise UnknownNameError(f"joint {name!r} of Posture has no entry in v: it follows others or is locked")
        columns.extend(range(index.start, index.stop))
    return np.array(columns, dtype=np.intp)


def _coordinates(model: Model) -> IndexArray:
    """Entry of q of every entry of v, shape (nv,); -1 where it is no plain number."""
    found = _COORDINATES.get(model)
    if found is None:
        places = np.full(model.nv, -1, dtype=np.intp)
        for joint in model.joints.values():
            if JOINT_TRAITS[joint.kind].flat:
                places[joint.v_index] = range(*joint.q_index.indices(model.nq))
        found = _COORDINATES[model] = read_only(places)
    return found
