"""Turning configurations, velocities, forces and matrices into the layout of another library, joint by joint."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, ShapeError
from tarsus.io.joint_forms import JointForm

if TYPE_CHECKING:
    from tarsus.model.model import Model


class PeerJoint(NamedTuple):
    """A joint of the other library: its name, where it starts in q and v, and how it is written."""

    name: str
    q_start: int
    v_start: int
    form: JointForm


class _Block(NamedTuple):
    """A joint in both layouts; the slices on our side count all joints of the tree, dependent ones included."""

    form: JointForm
    q: slice
    v: slice
    peer_q: slice
    peer_v: int


class Layout:
    """Converts between a tarsus model and the layout of another library; everything takes leading batch axes.

    Made by `PinocchioLayout`, `MujocoLayout` and `DrakeLayout` in `tarsus.io.interop`.

    Attributes
    ----------
    model : Model
    nq, nv : int
        Entries of a configuration and of a velocity in the other library.
    """

    def __init__(self, model: Model, matches: Mapping[str, PeerJoint], nq: int, nv: int) -> None:
        self.model = model
        self.nq = nq
        self.nv = nv
        c = model.coordinates
        self._blocks = [
            _Block(
                peer.form,
                slice(int(c.tree_q_start[joint.index]), int(c.tree_q_start[joint.index + 1])),
                slice(int(c.tree_v_start[joint.index]), int(c.tree_v_start[joint.index + 1])),
                slice(peer.q_start, peer.q_start + peer.form.nq),
                peer.v_start,
            )
            for name, peer in matches.items()
            for joint in (model.joints[name],)
        ]
        self._turns = any(part.turns for block in self._blocks for part in block.form.parts)

    # From tarsus to the other library

    def q(self, q: npt.ArrayLike) -> FloatArray:
        """Return the configuration (..., nq) of the other library from ours."""
        tree = self.model.joint_positions(q)
        result = np.zeros((*tree.shape[:-1], self.nq))
        for block in self._blocks:
            result[..., block.peer_q] = block.form.to_peer(tree[..., block.q])
        return result

    def v(self, v: npt.ArrayLike, q: npt.ArrayLike | None = None) -> FloatArray:
        """Velocity (..., nv) of the other library from ours.

        `q`, our configuration, is needed where axes differ: MuJoCo and Drake with a free base, Drake with ball and
        planar joints.
        """
        return self._apply(self._expanded(v, "v"), q)

    def acceleration(self, vdot: npt.ArrayLike, q: npt.ArrayLike, v: npt.ArrayLike) -> FloatArray:
        """Time derivative of the other library's velocity from ours, both (..., nv).

        The derivative of components in turning axes: d/dt (R x) = R (xdot + omega x x).
        """
        rates, speeds = np.broadcast_arrays(self._expanded(vdot, "vdot"), self._expanded(v, "v"))
        rates = rates.copy()
        for block in self._blocks:
            own = speeds[..., block.v]
            for part in block.form.parts:
                if part.turns:
                    index = _shifted(part.here, block.v.start)
                    rates[..., index] += np.cross(block.form.angular(own), own[..., part.here])
        return self._apply(rates, q)

    def tau(self, tau: npt.ArrayLike, q: npt.ArrayLike | None = None) -> FloatArray:
        """Generalised forces (..., nv) of the other library from ours, with the same power.

        Forces of dependent joints are zero: what drives them is already part of our forces.
        """
        c = self.model.coordinates
        given = checked(tau, "tau", self.model.nv)
        tree = np.zeros((*given.shape[:-1], len(c.leader_v)))
        own = np.repeat(c.independent, np.diff(c.tree_v_start))
        tree[..., own] = given
        return self._apply(tree, q)

    def matrix(self, M: npt.ArrayLike, q: npt.ArrayLike | None = None) -> FloatArray:
        """Mass matrix (..., nv, nv) of the other library from ours; the model must not have dependent joints."""
        given = self._square(M, self.model.nv)
        if not self.model.coordinates.independent.all():
            raise ArgumentError("a mass matrix without dependent joints cannot be expanded; load with couplings='cut'")
        rotations = self._rotations(q)
        half = np.swapaxes(self._rotate(given, rotations), -1, -2)
        return np.swapaxes(self._rotate(half, rotations), -1, -2)

    def jacobian(self, J: npt.ArrayLike, q: npt.ArrayLike | None = None) -> FloatArray:
        """Jacobian (..., m, nv) with columns for the velocities of the other library, from ours.

        Dependent joints get columns of zeros: ours already hold what they do.
        """
        rows = np.asarray(J, dtype=float)
        if rows.ndim < 2:
            raise ShapeError(f"J has shape {rows.shape}, expected (..., m, {self.model.nv})")
        return self.tau(rows, None if q is None else np.asarray(q, dtype=float)[..., None, :])

    # From the other library to tarsus

    def from_q(self, q: npt.ArrayLike) -> FloatArray:
        """Our configuration (..., nq) from that of the other library; dependent joints are left out."""
        from tarsus.model.lowering import to_user

        given = checked(q, "q", self.nq)
        c = self.model.coordinates
        tree = np.zeros((*given.shape[:-1], len(c.leader_q)))
        for block in self._blocks:
            tree[..., block.q] = block.form.from_peer(given[..., block.peer_q])
        own = np.repeat(c.independent, np.diff(c.tree_q_start))
        return to_user(self.model, tree[..., own])

    def from_v(self, v: npt.ArrayLike, q: npt.ArrayLike | None = None) -> FloatArray:
        """Our velocity (..., nv) from that of the other library; `q` is our configuration, see `v`."""
        tree = self._apply_back(checked(v, "v", self.nv), q)
        c = self.model.coordinates
        return tree[..., np.repeat(c.independent, np.diff(c.tree_v_start))]

    def from_acceleration(self, vdot: npt.ArrayLike, q: npt.ArrayLike, v: npt.ArrayLike) -> FloatArray:
        """Our vdot from the time derivative of the other library's velocity; `q` and `v` are ours."""
        tree = self._apply_back(checked(vdot, "vdot", self.nv), q)
        speeds = self._expanded(v, "v")
        tree, speeds = (a.copy() for a in np.broadcast_arrays(tree, speeds))
        for block in self._blocks:
            own = speeds[..., block.v]
            for part in block.form.parts:
                if part.turns:
                    index = _shifted(part.here, block.v.start)
                    tree[..., index] -= np.cross(block.form.angular(own), own[..., part.here])
        c = self.model.coordinates
        return tree[..., np.repeat(c.independent, np.diff(c.tree_v_start))]

    def from_tau(self, tau: npt.ArrayLike, q: npt.ArrayLike | None = None) -> FloatArray:
        """Our generalised forces (..., nv) from those of the other library, with the same power."""
        return self._gathered(self._apply_back(checked(tau, "tau", self.nv), q))

    def from_matrix(self, M: npt.ArrayLike, q: npt.ArrayLike | None = None) -> FloatArray:
        """Our mass matrix (..., nv, nv) from that of the other library, dependent joints folded in."""
        given = self._square(M, self.nv)
        rotations = self._rotations(q)
        half = np.swapaxes(self._gathered(self._rotate_back(given, rotations)), -1, -2)
        return np.swapaxes(self._gathered(self._rotate_back(half, rotations)), -1, -2)

    def from_jacobian(self, J: npt.ArrayLike, q: npt.ArrayLike | None = None) -> FloatArray:
        """Our Jacobian (..., m, nv) from one with columns for the velocities of the other library."""
        rows = np.asarray(J, dtype=float)
        if rows.ndim < 2:
            raise ShapeError(f"J has shape {rows.shape}, expected (..., m, {self.nv})")
        return self.from_tau(rows, None if q is None else np.asarray(q, dtype=float)[..., None, :])

    # Inside

    def _coupling(self) -> FloatArray:
        """Matrix G of v_tree = G v, where it does not depend on the configuration."""
        if any(closure.kind != "linear" for closure in self.model.coordinates.closures):
            raise ArgumentError(
                "velocities and forces of a model with kinematic loops cannot be expanded without its configuration; "
                "load with couplings='cut', or use model.joint_velocities"
            )
        return self.model.coupling_matrix(self.model.neutral())

    def _expanded(self, v: npt.ArrayLike, name: str) -> FloatArray:
        """Velocities of all joints of the tree from the independent ones."""
        given = checked(v, name, self.model.nv)
        return given if self.model.coordinates.independent.all() else np.asarray(given @ self._coupling().T)

    def _gathered(self, tree: FloatArray) -> FloatArray:
        """Sum the forces of all joints of the tree into those of the independent ones: the transpose of `_expanded`."""
        return tree if self.model.coordinates.independent.all() else np.asarray(tree @ self._coupling())

    def _rotations(self, q: npt.ArrayLike | None) -> list[FloatArray | None]:
        """Rotation of each joint some of whose velocities are turned."""
        if not self._turns:
            return [None] * len(self._blocks)
        if q is None:
            raise ArgumentError("q is needed: the velocity of a joint is in other axes there")
        tree = self.model.joint_positions(q)
        return [None if b.form.rotation is None else b.form.rotation(tree[..., b.q]) for b in self._blocks]

    def _apply(self, tree: FloatArray, q: npt.ArrayLike | None) -> FloatArray:
        return self._rotate(tree, self._rotations(q), batch=True)

    def _apply_back(self, peer: FloatArray, q: npt.ArrayLike | None) -> FloatArray:
        return self._rotate_back(peer, self._rotations(q), batch=True)

    def _rotate(self, tree: FloatArray, rotations: list[FloatArray | None], batch: bool = False) -> FloatArray:
        """Vectors along the last axis in the axes and the order of the other library.

        For matrices (`batch` false) the rotations have one batch axis less than the rows.
        """
        shape = _broadcast(tree.shape[:-1], rotations, batch)
        result = np.zeros((*shape, self.nv))
        for block, R in zip(self._blocks, rotations, strict=True):
            for part in block.form.parts:
                x = tree[..., _shifted(part.here, block.v.start)]
                if part.turns and R is not None:
                    x = ((R if batch else R[..., None, :, :]) @ x[..., None])[..., 0]
                result[..., _shifted(part.there, block.peer_v)] = x
        return result

    def _rotate_back(self, peer: FloatArray, rotations: list[FloatArray | None], batch: bool = False) -> FloatArray:
        """Return the inverse of `_rotate`."""
        shape = _broadcast(peer.shape[:-1], rotations, batch)
        result = np.zeros((*shape, len(self.model.coordinates.leader_v)))
        for block, R in zip(self._blocks, rotations, strict=True):
            for part in block.form.parts:
                x = peer[..., _shifted(part.there, block.peer_v)]
                if part.turns and R is not None:
                    x = (np.swapaxes(R if batch else R[..., None, :, :], -1, -2) @ x[..., None])[..., 0]
                result[..., _shifted(part.here, block.v.start)] = x
        return result

    def _square(self, M: npt.ArrayLike, size: int) -> FloatArray:
        given = np.asarray(M, dtype=float)
        if given.ndim < 2 or given.shape[-2:] != (size, size):
            raise ShapeError(f"M has shape {given.shape}, expected (..., {size}, {size})")
        return given


def _broadcast(shape: tuple[int, ...], rotations: Iterable[FloatArray | None], batch: bool) -> tuple[int, ...]:
    shapes = [R.shape[:-2] if batch else (*R.shape[:-2], 1) for R in rotations if R is not None]
    return np.broadcast_shapes(shape, *shapes)


def _shifted(part: slice, start: int) -> slice:
    return slice(part.start + start, part.stop + start)


def checked(value: npt.ArrayLike, name: str, size: int) -> FloatArray:
    """Array of shape (..., size); `name` is the argument an error talks about."""
    array = np.asarray(value, dtype=float)
    if array.ndim < 1 or array.shape[-1] != size:
        raise ShapeError(f"{name} has shape {array.shape}, expected (..., {size})")
    return array
