"""Parameter coordinates of a model: every rotation in the parametrisation of one's choice.

Bouyarmane and Kheddar 2012 describe a free base by its position and by any parameters of its rotation (1), with the
angular velocity linear in their rates (2) and constraints where there are more than three of them (27). Here the
same is done for every free and spherical joint of a tree, as their conclusion asks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, SingularityError, UnknownNameError, nearest
from tarsus.model.joint import Joint, planar_tangents
from tarsus.model.lowering import to_native, to_user
from tarsus.model.model import Model
from tarsus.spatial._arrays import as_vector, first_index
from tarsus.spatial.cross_product import skew
from tarsus.spatial.parametrisations import parametrisation
from tarsus.spatial.quaternion import quaternion_from_rotation_matrix, rotation_matrix_from_quaternion
from tarsus.spatial.rotation_parametrisation import Parametrisation

SINGULAR_RATIO = 1e-7
"""Least ratio of the singular values of E that is not refused: M holds E twice, and a ratio of 1e-14 is rounding."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class JointParameters:
    """Parameters of one joint, and how its velocity follows from their rates: v = G(x) xdot.

    Attributes
    ----------
    joint : str
    slides : int
        Number of coordinates of position (3 for a free, 2 for a planar joint); the rotation stands behind them.
    rotation : Parametrisation or None
        Parameters of the rotation of a free or spherical joint.
    sense : float
        +1 or -1: sense of rotation of a planar joint from its first towards its second direction.
    q, v, x : slice
        Where the joint stands in q (with quaternions), in v and in x.
    """

    joint: str
    slides: int
    rotation: Parametrisation | None
    sense: float
    q: slice
    v: slice
    x: slice

    @property
    def single(self) -> bool:
        """Whether the joint has one coordinate, whose rate is its velocity."""
        return bool(self.x.stop - self.x.start == 1)

    def parameters(self, q: FloatArray) -> FloatArray:
        """Parameters (..., nx) of the joint from its coordinates (..., nq), quaternions among them."""
        if self.rotation is None:
            return q
        p = q[..., self.slides :]
        if self.rotation.name != "quaternion":
            p = self.rotation.parameters(rotation_matrix_from_quaternion(p))
        return np.concatenate([q[..., : self.slides], p], axis=-1)

    def coordinates(self, x: FloatArray) -> FloatArray:
        """Coordinates (..., nq) of the joint from its parameters (..., nx)."""
        if self.rotation is None:
            return x
        p = x[..., self.slides :]
        if self.rotation.name != "quaternion":
            p = quaternion_from_rotation_matrix(self.rotation.rotation_matrix(p))
        return np.concatenate([x[..., : self.slides], p], axis=-1)

    def rate_map(self, x: FloatArray) -> FloatArray:
        """G (..., nv, nx): R^T for a position in the parent, E(p) of (2) and (13) for a rotation, else 1."""
        return self._blocks(x, self._rotation_of(x), None if self.rotation is None else self.rotation.rate_matrix)

    def rate_map_dot(self, x: FloatArray, xdot: FloatArray) -> FloatArray:
        """Time derivative of G along the rates, (..., nv, nx)."""
        if self.rotation is None and self.slides == 0:
            return np.zeros((*x.shape[:-1], self.v.stop - self.v.start, x.shape[-1]))
        R = self._rotation_of(x)
        if self.rotation is None:
            R_dot = R @ np.array([[0.0, -1.0], [1.0, 0.0]]) * (self.sense * xdot[..., 2])[..., None, None]
            G = self._blocks(x, R_dot, None)
            G[..., 2, 2] = 0.0
            return G
        rotation, p, pdot = self.rotation, x[..., self.slides :], xdot[..., self.slides :]
        R_dot = R @ skew(rotation.angular_velocity(p, pdot))[..., : self.slides, : self.slides]
        return self._blocks(x, R_dot, lambda p: rotation.rate_matrix_dot(p, pdot))

    def rates(self, x: FloatArray, v: FloatArray) -> FloatArray:
        """Rates (..., nx) of a velocity (..., nv) that keep the constraints."""
        if self.rotation is None and self.slides == 0:
            return v
        u, w = v[..., : self.slides], v[..., self.slides :]
        position = (self._rotation_of(x) @ u[..., None])[..., 0]
        if self.rotation is not None:
            w = self.rotation.parameter_rates(x[..., self.slides :], w)
        return np.concatenate([position, w], axis=-1)

    def _rotation_of(self, x: FloatArray) -> FloatArray:
        """Rotation of the joint, in the plane for a planar one; (..., slides, slides)."""
        if self.rotation is not None:
            return self.rotation.rotation_matrix(x[..., self.slides :])[..., : self.slides, : self.slides]
        c, s = np.cos(x[..., -1]), self.sense * np.sin(x[..., -1])
        return np.stack([np.stack([c, -s], -1), np.stack([s, c], -1)], -2)[..., : self.slides, : self.slides]

    def _blocks(
        self, x: FloatArray, R: FloatArray, rate_matrix: Callable[[FloatArray], FloatArray] | None
    ) -> FloatArray:
        """R^T and the rate matrix on the diagonal."""
        n = self.slides
        G = np.zeros((*x.shape[:-1], self.v.stop - self.v.start, x.shape[-1]))
        G[..., :n, :n] = np.swapaxes(R, -1, -2)
        G[..., n:, n:] = np.eye(x.shape[-1] - n) if rate_matrix is None else rate_matrix(x[..., n:])
        return G


@final
@dataclass(frozen=True, slots=True, eq=False)
class ParameterCoordinates:
    """Coordinates x of a model in which every rotation has a parametrisation of its own.

    Attributes
    ----------
    model : Model
    joints : tuple of JointParameters
        Joints with coordinates of their own, in the order of x.
    nx, nc : int
        Number of parameters, and of constraints on them (27).
    """

    model: Model
    joints: tuple[JointParameters, ...]
    nx: int
    nc: int

    def parameters(self, q: npt.ArrayLike) -> FloatArray:
        """Parameters x (..., nx) of configurations q (..., nq) in the layout of the model."""
        native = to_native(self.model, as_vector(q, "q", self.model.nq))
        x = np.empty((*native.shape[:-1], self.nx))
        for joint in self.joints:
            with _naming(joint):
                x[..., joint.x] = joint.parameters(native[..., joint.q])
        return x

    def configuration(self, x: FloatArray) -> FloatArray:
        """Configurations q (..., nq) in the layout of the model."""
        q = np.empty((*x.shape[:-1], self.model.coordinates.nq))
        for joint in self.joints:
            q[..., joint.q] = joint.coordinates(x[..., joint.x])
        return to_user(self.model, q)

    def rate_map(self, x: FloatArray) -> FloatArray:
        """G (..., nv, nx) with v = G xdot."""
        G = np.zeros((*x.shape[:-1], self.model.nv, self.nx))
        for joint in self.joints:
            G[..., joint.v, joint.x] = 1.0 if joint.single else joint.rate_map(x[..., joint.x])
        return G

    def rate_map_dot(self, x: FloatArray, xdot: FloatArray) -> FloatArray:
        """Time derivative of G."""
        G_dot = np.zeros((*x.shape[:-1], self.model.nv, self.nx))
        for joint in self.joints:
            if not joint.single:
                G_dot[..., joint.v, joint.x] = joint.rate_map_dot(x[..., joint.x], xdot[..., joint.x])
        return G_dot

    def rates(self, x: FloatArray, v: FloatArray) -> FloatArray:
        """Rates xdot (..., nx) of velocities v (..., nv)."""
        result = np.empty((*np.broadcast_shapes(x.shape[:-1], v.shape[:-1]), self.nx))
        for joint in self.joints:
            with _naming(joint):
                result[..., joint.x] = joint.rates(x[..., joint.x], v[..., joint.v])
        return result

    def constraint(self, x: FloatArray) -> FloatArray:
        """C(x) (..., nc), Table II; zero on the manifold."""
        return np.concatenate(
            [np.zeros((*x.shape[:-1], 0)), *(r.constraint(x[..., at]) for r, _, at in self._rotations())], axis=-1
        )

    def constraint_jacobian(self, x: FloatArray) -> FloatArray:
        """dC/dx (..., nc, nx)."""
        return self._rows(x, lambda rotation, at: rotation.constraint_gradient(x[..., at]))

    def constraint_jacobian_dot(self, x: FloatArray, xdot: FloatArray) -> FloatArray:
        """Time derivative of dC/dx, (..., nc, nx)."""
        return self._rows(x, lambda rotation, at: rotation.constraint_gradient_dot(x[..., at], xdot[..., at]))

    def normalize(self, x: FloatArray) -> FloatArray:
        """Parameters next to x that satisfy the constraints."""
        x = x.copy()
        for rotation, _, at in self._rotations():
            x[..., at] = rotation.normalize(x[..., at])
        return x

    def refuse_singular(self, x: FloatArray) -> None:
        """Raise `SingularityError` where the parameters of a rotation are at, or too close to, a singularity."""
        for rotation, joint, at in self._rotations():
            values = np.linalg.svd(rotation.rate_matrix(x[..., at]), compute_uv=False)
            lost = np.asarray(values[..., -1] <= SINGULAR_RATIO * values[..., 0])
            if lost.any():
                index = first_index(lost)
                where = f" at batch index {index}" if index else ""
                p = ", ".join(f"{value:.6g}" for value in x[..., at][index])
                raise SingularityError(
                    f"parametrisation {rotation.name!r} of joint {joint.joint!r} of model {self.model.name!r} is "
                    f"singular at p = ({p}){where}: choose another parametrisation"
                )

    def _rotations(self) -> list[tuple[Parametrisation, JointParameters, slice]]:
        """Parametrisations with their joints and where their parameters stand in x."""
        return [(j.rotation, j, slice(j.x.start + j.slides, j.x.stop)) for j in self.joints if j.rotation is not None]

    def _rows(self, x: FloatArray, rows: Callable[[Parametrisation, slice], FloatArray]) -> FloatArray:
        result, start = np.zeros((*x.shape[:-1], self.nc, self.nx)), 0
        for rotation, _, at in self._rotations():
            result[..., start : start + rotation.constraint_count, at] = rows(rotation, at)
            start += rotation.constraint_count
        return result


def parameter_coordinates(
    model: Model,
    rotation: str | Parametrisation | None = None,
    joints: Mapping[str, str | Parametrisation] | None = None,
) -> ParameterCoordinates:
    """Choose the parametrisation of every rotation of a model; see `gauss_system`."""
    chosen = dict(joints or {})
    for name in chosen:
        if name not in model.joints:
            raise UnknownNameError(f"joint {name!r} of model {model.name!r} not found{nearest(name, model.joints)}")
        if model.joints[name].traits.quaternion is None:
            kind = model.joints[name].kind
            raise ArgumentError(f"joint {name!r} is {kind}: only free and spherical joints have rotation parameters")
    default = model.rotation if rotation is None else rotation
    parts, nx, nc, c = [], 0, 0, model.coordinates
    for joint in model.joints.values():
        if not c.independent[joint.index] or joint.nv == 0:
            continue
        q = slice(int(c.q_start[joint.index]), int(c.q_start[joint.index + 1]))
        own = chosen.get(joint.name, default if joint.index == 0 else "quaternion")
        turn = parametrisation(own) if joint.traits.quaternion is not None else None
        slides = 0 if joint.traits.flat else joint.traits.translations
        size = joint.nq if turn is None else slides + turn.size
        parts.append(JointParameters(joint.name, slides, turn, _sense(joint), q, joint.v_index, slice(nx, nx + size)))
        nx += size
        nc += turn.constraint_count if turn is not None else 0
    return ParameterCoordinates(model, tuple(parts), nx, nc)


def _sense(joint: Joint) -> float:
    """Sense of rotation of a planar joint from its first towards its second direction."""
    if joint.kind != "planar":
        return 1.0
    t1, t2 = planar_tangents(joint.axis)
    return float(np.sign(np.cross(t1, t2) @ joint.axis))


@contextmanager
def _naming(joint: JointParameters) -> Iterator[None]:
    """Let the message of a singularity tell the joint."""
    try:
        yield
    except SingularityError as error:
        reason = str(error).partition("; pass singular=")[0]
        raise SingularityError(f"joint {joint.joint!r}: {reason}") from None
