"""The points of a robot that can touch a rigid ground: gaps, contact axes, Jacobians and their drift."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.contact.contactors import Contactor, contactors, features
from tarsus.contact.distances import distances
from tarsus.contact.ground import Ground, HeightField, Plane, is_moving
from tarsus.contact.laws.rigid import Rigid
from tarsus.contact.triangle_mesh import TriangleMesh
from tarsus.dynamics import body_poses, jacobian, jacobian_dot_v, solve_mass
from tarsus.errors import ArgumentError

if TYPE_CHECKING:
    from tarsus.model import Model

Indices = npt.NDArray[np.intp]
_NEXT, _AFTER = np.array([1, 2, 0]), np.array([2, 0, 1])


@dataclass(frozen=True)
class Touch:
    """Geometry and motion of k points near the ground; contact axes are (n, t1, t2) with n out of the ground.

    Attributes
    ----------
    index : ndarray of int, shape (k,)
        Numbers among the points of the robot.
    gap : ndarray, shape (k,)
        Distances from the ground [m].
    axes : ndarray, shape (k, 3, 3)
        Rows n, t1, t2 in world axes.
    point : ndarray, shape (k, 3)
        Places in the world [m].
    J : ndarray, shape (k, 3, nv)
        Velocity of the robot at the point, contact axes: u = J v.
    velocity : ndarray, shape (k, 3)
        u [m/s].
    drift : ndarray, shape (k, 3)
        u' = J vdot + drift [m/s^2].
    friction, restitution : ndarray, shape (k,)
        Coefficients of the surfaces.
    """

    index: Indices
    gap: FloatArray
    axes: FloatArray
    point: FloatArray
    J: FloatArray
    velocity: FloatArray
    drift: FloatArray
    friction: FloatArray
    restitution: FloatArray

    @property
    def count(self) -> int:
        """Number of points."""
        return len(self.index)

    @property
    def rows(self) -> FloatArray:
        """All rows of J, shape (3 k, nv)."""
        return self.J.reshape(-1, self.J.shape[-1])

    def response(self, model: Model, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        """M^-1 J^T, shape (nv, 3 k), and J M^-1 J^T, shape (3 k, 3 k): Feng et al. 2015 (14), for all rows at once."""
        if self.count == 0:
            return np.zeros((model.nv, 0)), np.zeros((0, 0))
        Y = solve_mass(model, np.tile(q, (3 * self.count, 1)), self.rows).T
        A = self.rows @ Y
        return Y, 0.5 * (A + A.T)

    def world(self, load: FloatArray) -> FloatArray:
        """Loads in contact axes turned into world axes, shape (k, 3)."""
        return np.asarray(np.einsum("kab,ka->kb", self.axes, load))


class TouchPoints:
    """Points and spheres of a robot, in arrays.

    Attributes
    ----------
    names : tuple of str
    """

    def __init__(self, model: Model, ground: Ground | None, contacts: Iterable[Contactor] | None) -> None:
        surfaces = ground.surfaces if ground is not None else ()
        for surface in surfaces:
            if not isinstance(surface.law, Rigid):
                raise ArgumentError(
                    f"surface {surface.name!r} has the law {type(surface.law).__name__}; rigid contact needs Rigid on "
                    "every surface"
                )
            if is_moving(surface):
                raise ArgumentError(
                    f"surface {surface.name!r} moves, which the law Rigid does not know; take another law"
                )
            if isinstance(surface, TriangleMesh):
                raise ArgumentError(
                    f"surface {surface.name!r} is a mesh, which the law Rigid does not know; take another law"
                )
        chosen = (contactors(model) if contacts is None else tuple(contacts)) if surfaces else ()
        found = [feature for feature in features(model, chosen) if feature.end is None]
        if any(isinstance(surface, HeightField) for surface in surfaces):
            for feature in found:
                if feature.radius > 0.0:
                    raise ArgumentError(
                        f"contact {feature.name!r} has the radius {feature.radius:g} m; on a height field rigid "
                        "contact is for points (radius 0) only"
                    )
        self.model, self.surfaces = model, surfaces
        only = surfaces[0] if len(surfaces) == 1 else None
        self._axes = contact_axes(np.asarray(only.normal)[None])[0] if isinstance(only, Plane) else None
        self.names = tuple(feature.name for feature in found)
        bodies = list(model.bodies)
        self._body_names = bodies
        self.body = np.array([model.bodies[f.body].index for f in found], dtype=np.intp)
        self.place = np.array([f.start for f in found], dtype=float).reshape(-1, 3)
        self.radius = np.array([f.radius for f in found], dtype=float)
        self.friction = np.array([s.law.friction for s in surfaces if isinstance(s.law, Rigid)])
        self.restitution = np.array([s.law.restitution for s in surfaces if isinstance(s.law, Rigid)])

    @property
    def count(self) -> int:
        """Number of points."""
        return len(self.names)

    def gaps(self, q: FloatArray) -> FloatArray:
        """Gaps of all points, shape (count,) [m]."""
        if self.count == 0:
            return np.zeros(0)
        poses = body_poses(self.model, q)[self.body]
        centres = (poses[:, :3, :3] @ self.place[:, :, None])[:, :, 0] + poses[:, :3, 3]
        return np.asarray(distances(self.surfaces, centres, np.zeros_like(centres)).gap - self.radius)

    def touch(self, q: FloatArray, v: FloatArray, index: Indices) -> Touch:
        """Geometry and motion of some points."""
        model, nv, k = self.model, self.model.nv, len(index)
        if k == 0:
            none, flat = np.zeros((0, 3)), np.zeros(0)
            return Touch(index, flat, np.zeros((0, 3, 3)), none, np.zeros((0, 3, nv)), none, none, flat, flat)
        carriers, which = np.unique(self.body[index], return_inverse=True)
        poses = body_poses(model, q)[carriers]
        names = [self._body_names[b] for b in carriers]
        J = np.array([jacobian(model, q, name) for name in names])
        bias = np.array([jacobian_dot_v(model, q, v, name) for name in names])
        twist = J @ v
        to_centre = (poses[which, :3, :3] @ self.place[index][:, :, None])[:, :, 0]
        centre = poses[which, :3, 3] + to_centre
        omega = twist[which, 3:]
        spin = _cross(omega, to_centre)
        found = distances(self.surfaces, centre, twist[which, :3] + spin)
        n, radius = found.normal, self.radius[index][:, None]
        arm = to_centre - radius * n
        C = contact_axes(n) if self._axes is None else np.broadcast_to(self._axes, (k, 3, 3))
        J_contact = C @ (J[which, :3] - (_skew(arm) @ J[which, 3:]))
        # u = v + omega x arm; the arm of a sphere turns with the normal only, not with the body.
        rate = bias[which, :3] + _cross(bias[which, 3:], arm) + _cross(omega, spin)
        turns = bool(found.turn.any())
        if turns:
            rate -= radius * _cross(omega, found.turn)
        drift = (C @ rate[:, :, None])[:, :, 0]
        velocity = J_contact @ v
        if turns:
            u = (velocity[:, None, :] @ C)[:, 0]
            drift[:, 0] += np.sum(found.turn * u, axis=1)
            drift[:, 1:] -= (C[:, 1:] @ found.turn[:, :, None])[:, :, 0] * velocity[:, :1]
        return Touch(
            index=index,
            gap=found.gap - radius[:, 0],
            axes=C,
            point=centre - radius * n,
            J=J_contact,
            velocity=velocity,
            drift=drift,
            friction=self.friction[found.surface],
            restitution=self.restitution[found.surface],
        )


def _cross(a: FloatArray, b: FloatArray) -> FloatArray:
    """Cross products of rows; `np.cross` takes ten times as long for so few."""
    return np.asarray(a[:, _NEXT] * b[:, _AFTER] - a[:, _AFTER] * b[:, _NEXT])


def _skew(r: FloatArray) -> FloatArray:
    """Spin tensors of rows, shape (k, 3, 3), as `spatial.skew` without its checks."""
    S = np.zeros((len(r), 3, 3))
    S[:, _NEXT, _AFTER], S[:, _AFTER, _NEXT] = -r, r
    return S


def contact_axes(n: FloatArray) -> FloatArray:
    """Rows n, t1, t2, right-handed; t1 is along world x as far as n allows, shape (k, 3, 3)."""
    steep = np.abs(n[:, 0]) > 0.9
    helper = np.where(steep[:, None], np.array([0.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0]))
    t1 = helper - np.sum(helper * n, axis=1)[:, None] * n
    t1 /= np.linalg.norm(t1, axis=1)[:, None]
    return np.stack([n, t1, _cross(n, t1)], axis=1)
