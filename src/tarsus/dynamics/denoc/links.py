"""Links of a tree as the DeNOC matrices see them: arms, joint screws, masses, and their rates."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.dynamics._arguments import prepare
from tarsus.dynamics.jacobians import joint_screws
from tarsus.dynamics.kinematics import body_poses
from tarsus.errors import ArgumentError, NonFiniteError, ShapeError
from tarsus.model.joint import Joint
from tarsus.model.model import Model
from tarsus.spatial.cross_product import skew


class Links:
    """What the matrices at a configuration are made of: arms a_ij, joints P_i, masses M_i; rates where v is given."""

    def __init__(self, model: Model, q: npt.ArrayLike, v: npt.ArrayLike | None = None) -> None:
        self.joints: list[Joint] = list(model.joints.values())
        if any(joint.nv > 0 and joint.v_index.stop == joint.v_index.start for joint in self.joints):
            raise ArgumentError(
                f"model {model.name!r} has coupled joints, but DeNOC matrices are those of a tree: "
                "load it with couplings='cut'"
            )
        self.parent = [-1] + [model.bodies[joint.parent].index for joint in self.joints[1:]]
        X_WB, screws = body_poses(model, q), joint_screws(model, q)
        if v is not None:
            (rates,) = prepare("convective_inertia", model, [("v", v, (model.nv,))])
            if not np.isfinite(rates).all():
                raise NonFiniteError("v of convective_inertia has entries that are not finite")
            try:
                batch = np.broadcast_shapes(X_WB.shape[:-3], rates.shape[:-1])
            except ValueError:
                shapes = f"q {X_WB.shape[:-3]}, v {rates.shape[:-1]}"
                raise ShapeError(f"batch axes of convective_inertia do not fit together: {shapes}") from None
            X_WB = np.broadcast_to(X_WB, (*batch, *X_WB.shape[-3:]))
            screws = np.broadcast_to(screws, (*batch, *screws.shape[-2:]))
        self.batch = X_WB.shape[:-3]
        self.p = [X_WB[..., i, :3, 3] for i in range(model.nb)]
        self.P = [_moved(screws[..., joint.v_index], p) for joint, p in zip(self.joints, self.p, strict=True)]
        self.M = [
            _extended_mass(body.inertia.mass, body.inertia.com, body.inertia.moments_about_origin, X_WB[..., i, :3, :3])
            for i, body in enumerate(model.bodies.values())
        ]
        if v is not None:
            self._set_rates(rates)

    def zeros(self, *shape: int) -> FloatArray:
        """Zeros of this shape behind the batch axes."""
        return np.zeros((*self.batch, *shape))

    def path(self, i: int) -> list[int]:
        """Body i and the bodies before it, up to the root: all j with i in gamma_j of (12)."""
        path = [i]
        while self.parent[path[-1]] >= 0:
            path.append(self.parent[path[-1]])
        return path

    def A(self, i: int, j: int) -> FloatArray:
        """Twist propagation from body j to body i behind it (7b)."""
        A = self.zeros(6, 6) + np.eye(6)
        A[..., :3, 3:] = -skew(self.p[i] - self.p[j])
        return A

    def dA(self, i: int, j: int) -> FloatArray:
        """Time derivative of A_ij."""
        dA = self.zeros(6, 6)
        dA[..., :3, 3:] = -skew(self.twist[i][..., :3] - self.twist[j][..., :3])
        return dA

    def _set_rates(self, v: FloatArray) -> None:
        """Twists t_i (7a) and dP_i/dt: P_i is fixed in body i, but a universal joint's first axis in the parent."""
        self.twist: list[FloatArray] = []
        self.dP: list[FloatArray] = []
        for i, joint in enumerate(self.joints):
            twist = (self.P[i] @ v[..., joint.v_index, None])[..., 0]
            carried = self.zeros(6)
            if i > 0:
                carried = (self.A(i, self.parent[i]) @ self.twist[self.parent[i]][..., None])[..., 0]
            twist = carried + twist
            self.twist.append(twist)
            dP = np.zeros_like(self.P[i])
            turned = skew(twist[..., 3:])
            dP[..., :3, :], dP[..., 3:, :] = turned @ self.P[i][..., :3, :], turned @ self.P[i][..., 3:, :]
            if joint.kind == "universal":
                first, turned = self.P[i][..., :, 0], skew(carried[..., 3:])
                slip = twist[..., :3] - carried[..., :3]  # of the origin of body i against its parent
                dP[..., :3, 0] = (turned @ first[..., :3, None])[..., 0] + np.cross(first[..., 3:], slip)
                dP[..., 3:, 0] = (turned @ first[..., 3:, None])[..., 0]
            self.dP.append(dP)


def _moved(screws: FloatArray, p: FloatArray) -> FloatArray:
    """Columns of twists at the world origin, taken at point p."""
    moved = np.array(screws)
    moved[..., :3, :] += -skew(p) @ screws[..., 3:, :]
    return moved


def _extended_mass(mass: float, com: FloatArray, moments: FloatArray, R: FloatArray) -> FloatArray:
    """M_i of (1b) about the body's origin in world axes, linear half first."""
    M = np.zeros((*R.shape[:-2], 6, 6))
    md = skew(mass * (R @ com))
    M[..., :3, :3] = mass * np.eye(3)
    M[..., :3, 3:], M[..., 3:, :3] = -md, md
    M[..., 3:, 3:] = R @ moments @ transposed(R)
    return M


def transposed(X: FloatArray) -> FloatArray:
    """Transposes of matrices (..., n, m)."""
    return np.swapaxes(X, -1, -2)
