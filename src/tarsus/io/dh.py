"""Models from tables of Denavit-Hartenberg parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, NonFiniteError, nearest
from tarsus.model.builder import ModelBuilder
from tarsus.spatial.inertia import Inertia

DHConvention = Literal["proximal", "distal"]
CONVENTIONS: tuple[DHConvention, ...] = ("proximal", "distal")


@dataclass(frozen=True, eq=False)
class DHRow:
    """Parameters of one body and of the joint that carries it.

    In a tree all four belong to the body itself (Buschmann 2014, appendix A.3): `a` and `alpha` of the proximal variant
    are those with the index of the parent in (A.20).

    Attributes
    ----------
    a, alpha : float
        Distance [m] and twist [rad] of the two neighbouring joint axes, along and about x.
    d, theta : float
        Offset [m] and angle [rad] along and about the joint axis z; the coordinate of a prismatic joint adds to `d`,
        that of a revolute joint to `theta`.
    kind : {"revolute", "continuous", "prismatic", "fixed"}
    body, joint : str
        Names; "body3" and "joint3" for the third row by default.
    parent : str or None
        Body that carries this one; the body of the row before by default.
    inertia : Inertia or None
        In the frame of the body.
    properties : mapping
        Further fields of `JointSpec`, such as `q_min`, `tau_max`, `armature`.
    """

    a: float = 0.0
    alpha: float = 0.0
    d: float = 0.0
    theta: float = 0.0
    kind: str = "revolute"
    body: str = ""
    joint: str = ""
    parent: str | None = None
    inertia: Inertia | None = None
    properties: Mapping[str, Any] = field(default_factory=dict)


def dh_transform(
    theta: npt.ArrayLike,
    d: npt.ArrayLike,
    a: npt.ArrayLike,
    alpha: npt.ArrayLike,
    *,
    convention: DHConvention = "proximal",
) -> FloatArray:
    """Pose of a body in its parent, X_PB.

    The proximal variant (Craig 1989; Buschmann 2014 (A.20)) turns about and moves along x of the parent first and z of
    the body last, Rx(alpha) Tx(a) Tz(d) Rz(theta); the distal (classical) one is Rz(theta) Tz(d) Tx(a) Rx(alpha).

    Parameters
    ----------
    theta, d, a, alpha : array_like, shape (...)
        [rad], [m], [m], [rad]; they broadcast.
    convention : {"proximal", "distal"}

    Returns
    -------
    X_PB : ndarray, shape (..., 4, 4)
    """
    _check_convention(convention)
    about_z = _screw_z(np.asarray(theta, dtype=float), np.asarray(d, dtype=float))
    along_x = _screw_x(np.asarray(alpha, dtype=float), np.asarray(a, dtype=float))
    return along_x @ about_z if convention == "proximal" else about_z @ along_x


def from_dh(
    table: Iterable[DHRow | Mapping[str, Any] | Sequence[float]],
    *,
    convention: DHConvention = "proximal",
    root: str = "ground",
    root_inertia: Inertia | None = None,
    **keywords: Any,
) -> ModelBuilder:
    """Builder of the mechanism that a table describes.

    Parameters
    ----------
    table : iterable
        For each moving body a `DHRow`, a mapping with its fields, or the four numbers (a, alpha, d, theta).
    convention : {"proximal", "distal"}
        Where the frame of a body sits: on the axis of its own joint, or on the axis of the next one.
    root : str
        Name of the root link, to which rows without a parent before them belong.
    root_inertia : Inertia, optional
    **keywords
        For `ModelBuilder`: `name`, `base`, `gravity`, ...

    Returns
    -------
    builder : ModelBuilder
        To which frames, shapes and more joints may be added before `build`.
    """
    _check_convention(convention)
    builder = ModelBuilder(**keywords).add_link(root, root_inertia)
    previous = root
    for number, entry in enumerate(table, start=1):
        row = _row(entry, number)
        body, joint = row.body or f"body{number}", row.joint or f"joint{number}"
        pose, child_pose = _joint_poses(row, convention)
        builder.add_link(body, row.inertia)
        builder.add_joint(
            joint,
            row.kind,
            previous if row.parent is None else row.parent,
            body,
            **{"pose": pose, "child_pose": child_pose, "axis": (0.0, 0.0, 1.0), **row.properties},
        )
        previous = body
    return builder


def _joint_poses(row: DHRow, convention: DHConvention) -> tuple[FloatArray, FloatArray]:
    """X_PJ and X_JB at the zero configuration. Motion along and about z commutes with d and theta."""
    if convention == "proximal":
        return dh_transform(row.theta, row.d, row.a, row.alpha), np.eye(4)
    return dh_transform(row.theta, row.d, 0.0, 0.0), dh_transform(0.0, 0.0, row.a, row.alpha)


def _row(entry: DHRow | Mapping[str, Any] | Sequence[float], number: int) -> DHRow:
    if isinstance(entry, Mapping):
        unknown = sorted(set(entry) - set(DHRow.__dataclass_fields__))
        if unknown:
            hint = nearest(unknown[0], DHRow.__dataclass_fields__)
            raise ArgumentError(f"row {number} of the table has the unknown entry {unknown[0]!r}{hint}")
        entry = DHRow(**entry)
    elif not isinstance(entry, DHRow):
        values = np.asarray(entry, dtype=float)
        if values.shape != (4,):
            raise ArgumentError(f"row {number} of the table has shape {values.shape}, expected (a, alpha, d, theta)")
        entry = DHRow(*values.tolist())
    if entry.kind not in ("revolute", "continuous", "prismatic", "fixed"):
        message = f"row {number} of the table: joint kind {entry.kind!r} has no Denavit-Hartenberg parameters"
        raise ArgumentError(f"{message}; expected revolute, continuous, prismatic or fixed")
    if not np.isfinite([entry.a, entry.alpha, entry.d, entry.theta]).all():
        raise NonFiniteError(f"row {number} of the table has parameters that are not finite")
    return entry


def _check_convention(convention: str) -> None:
    if convention not in CONVENTIONS:
        raise ArgumentError(f"convention must be 'proximal' or 'distal', not {convention!r}")


def _screw_z(angle: FloatArray, distance: FloatArray) -> FloatArray:
    """Rotation about and translation along z."""
    X = np.zeros((*np.broadcast_shapes(angle.shape, distance.shape), 4, 4))
    X[..., 0, 0] = X[..., 1, 1] = np.cos(angle)
    X[..., 1, 0] = np.sin(angle)
    X[..., 0, 1] = -np.sin(angle)
    X[..., 2, 2] = X[..., 3, 3] = 1.0
    X[..., 2, 3] = distance
    return X


def _screw_x(angle: FloatArray, distance: FloatArray) -> FloatArray:
    """Rotation about and translation along x."""
    X = np.zeros((*np.broadcast_shapes(angle.shape, distance.shape), 4, 4))
    X[..., 1, 1] = X[..., 2, 2] = np.cos(angle)
    X[..., 2, 1] = np.sin(angle)
    X[..., 1, 2] = -np.sin(angle)
    X[..., 0, 0] = X[..., 3, 3] = 1.0
    X[..., 0, 3] = distance
    return X
