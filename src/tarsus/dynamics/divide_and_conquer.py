"""Forward dynamics of a chain by divide and conquer, Featherstone 1999 part 1; Buschmann 2014 section 3.5.

The algorithm needs O(log n) steps on n processors: neighbouring parts of the chain are joined in pairs, the pairs in
pairs, and so on, and all joinings of one level are independent of each other. Here a level is one batched operation
of NumPy over all its joinings, so the depth of the computation is that of the parallel algorithm.

It is a reference, not a fast method: on a processor with a few cores, `forward_dynamics`, which walks the chain
serially in O(n), is faster by far at any length. ``tarsus bench papers --figure 3.14`` measures both.

Notation
--------
A part of the chain has two handles, where it can be held: 1 at the joint that carries its first body, 2 at the joint
that its last body carries. Accelerations and forces of a handle are spatial vectors (linear half first) at the origin
and in the axes of the moving side M of its joint, so that two parts meet in a common frame and nothing is transformed
above the leaves. The equation of motion of a part is

    a_1 = Phi_1  f_1 + Phi_12 f_2 + b_1
    a_2 = Phi_21 f_1 + Phi_2  f_2 + b_2,        Phi_21 = Phi_12^T

with forces f on the part (Featherstone 1999 part 1, equation of motion of an articulated body with two handles).
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Self

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.dynamics._arguments import prepare
from tarsus.dynamics._chain import Chain, adjoint
from tarsus.errors import NonFiniteError, ShapeError
from tarsus.model.model import Model
from tarsus.spatial.cross_product import skew
from tarsus.spatial.pose import inverse_pose


class DivideAndConquer:
    """Forward dynamics of one chain; the constants of the model are prepared once.

    Parameters
    ----------
    model : Model
        Fixed base and one unbranched chain of one-axis joints (revolute, continuous, prismatic, helical) without
        armature and couplings; every body has mass and moments of inertia, because the algorithm inverts them.

    Raises
    ------
    ArgumentError
        Where the model is not such a chain; the joint or body is named.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._chain = Chain.of(model)

    def forward_dynamics(self, q: npt.ArrayLike, v: npt.ArrayLike, tau: npt.ArrayLike) -> FloatArray:
        """Accelerations under given joint forces, without external wrenches.

        Parameters
        ----------
        q, v, tau : array_like, shape (nv,)
            One state [rad or m, per s], and joint moments or forces [N m or N].

        Returns
        -------
        vdot : ndarray, shape (nv,)

        Notes
        -----
        Every joining takes differences of inverse inertias, so Featherstone 1999 part 2 finds the algorithm less
        accurate than articulated bodies. With handles at the joints, as here, the two differ on Coil(1024) by 1e-12 of
        the largest acceleration.
        """
        n = len(self._chain)
        arguments = [(name, value, (n,)) for name, value in (("q", q), ("v", v), ("tau", tau))]
        q, v, tau = prepare("DivideAndConquer.forward_dynamics", self._model, arguments)
        if q.ndim != 1:
            raise ShapeError(f"a batch of shape {q.shape[:-1]} found, divide and conquer takes one state")
        for name, values in (("v", v), ("tau", tau)):  # q is checked where it is prepared
            if not np.isfinite(values).all():
                raise NonFiniteError(f"{name} has the entry {values[~np.isfinite(values)][0]}, expected finite numbers")
        if n == 0:
            return np.zeros(0)
        motion = _motion(self._chain, q, v)
        parts = _leaves(self._chain, motion)
        joinings = []
        while len(parts) > 1:
            joining = _join(self._chain, motion.c, parts, tau)
            joinings.append(joining)
            parts = joining.whole
        return _release(self._chain, motion, parts, joinings, tau, np.asarray(self._model.gravity))


@dataclass(frozen=True)
class _Motion:
    """What depends on q and v alone.

    Attributes
    ----------
    X_next : ndarray, shape (n, 6, 6)
        Takes twists from M of a body to M of the next one; the identity for the last body.
    R_WM : ndarray, shape (n, 3, 3)
    twist : ndarray, shape (n, 6)
        Of the body.
    c : ndarray, shape (n, 6)
        Velocity-dependent part of the acceleration across the body's joint, twist x S v.
    """

    X_next: FloatArray
    R_WM: FloatArray
    twist: FloatArray
    c: FloatArray


@dataclass(frozen=True)
class _Parts:
    """Equations of motion of the m parts of one level, in the order of the chain.

    Attributes
    ----------
    first : ndarray of int, shape (m,)
        First body of each part; its joint is handle 1.
    Phi1, Phi12, Phi2 : ndarray, shape (m, 6, 6)
    b1, b2 : ndarray, shape (m, 6)
    """

    first: npt.NDArray[np.intp]
    Phi1: FloatArray
    Phi12: FloatArray
    Phi2: FloatArray
    b1: FloatArray
    b2: FloatArray

    def __len__(self) -> int:
        return len(self.first)

    def take(self, selection: slice) -> Self:
        """Some of the parts."""
        return type(self)(*(getattr(self, field.name)[selection] for field in fields(self)))

    def followed_by(self, rest: Self) -> Self:
        """These parts with others behind them."""
        return type(self)(
            *(np.concatenate([getattr(self, field.name), getattr(rest, field.name)]) for field in fields(self))
        )


@dataclass(frozen=True)
class _Joining:
    """One level of the assembly tree: m pairs A, B became one part each; an odd last part stays as it is.

    Attributes
    ----------
    A, B, whole : _Parts
    K : ndarray, shape (m, 6, 6)
        Phi_2 of A + Phi_1 of B.
    beta : ndarray, shape (m, 6)
        K f - S vdot for outer forces of zero.
    H : ndarray, shape (m, 5, 6)
        L^-1 T^T with L L^T = T^T K T; the inner force follows the relative acceleration by H^T H.
    f : ndarray, shape (m, 6)
        Inner force on B at outer forces of zero.
    """

    A: _Parts
    B: _Parts
    K: FloatArray
    beta: FloatArray
    H: FloatArray
    f: FloatArray
    whole: _Parts


def _motion(chain: Chain, q: FloatArray, v: FloatArray) -> _Motion:
    """Poses as a prefix product and twists as a prefix sum: log2(n) doublings instead of a recursion."""
    n = len(chain)
    X_LM = chain.poses(q)
    X_WM = X_LM.copy()
    reach = 1
    while reach < n:
        X_WM[reach:] = X_WM[:-reach] @ X_WM[reach:]
        reach *= 2
    S_v = chain.S * (chain.scale * v)[:, None]
    twist_W = np.cumsum(_apply(adjoint(X_WM), S_v), axis=0)
    twist = _apply(adjoint(inverse_pose(X_WM)), twist_W)
    X_next = np.empty((n, 6, 6))
    X_next[:-1] = adjoint(inverse_pose(X_LM[1:]))
    X_next[-1] = np.eye(6)
    return _Motion(X_next, X_WM[:, :3, :3], twist, _apply(_cross(twist), S_v))


def _leaves(chain: Chain, motion: _Motion) -> _Parts:
    """Single bodies: I a_1 = f_1 + X^T f_2 - V x* I V, and a_2 = X a_1."""
    X, Phi = motion.X_next, chain.inverse_inertia
    gyroscopic = _apply(_transposed(_cross(motion.twist)), _apply(chain.inertia, motion.twist))  # -V x* I V
    b1 = _apply(Phi, gyroscopic)
    Phi12 = Phi @ _transposed(X)
    return _Parts(np.arange(len(chain)), Phi, Phi12, X @ Phi12, b1, _apply(X, b1))


def _join(chain: Chain, c: FloatArray, parts: _Parts, tau: FloatArray) -> _Joining:
    """Connect every part of even number (A) with the one behind it (B) by B's first joint.

    With the force f of A on B at that joint, accelerations differ by S vdot + c across it and S^T f = tau, so

        K f = S vdot + beta + Phi_21^A f_1 - Phi_12^B f_2,    K = Phi_2^A + Phi_1^B,    beta = b_2^A - b_1^B + c.

    T^T S = 0 eliminates vdot: f = S tau + T (T^T K T)^-1 T^T (beta + Phi_21^A f_1 - Phi_12^B f_2 - K S tau). Put into
    the equations of motion of A and B, this gives those of the whole.
    """
    m = len(parts) // 2
    A, B = parts.take(slice(0, 2 * m, 2)), parts.take(slice(1, 2 * m, 2))
    joint = B.first
    S, T = chain.S[joint], chain.T[joint]
    K = A.Phi2 + B.Phi1
    beta = A.b2 - B.b1 + c[joint]
    H = np.linalg.inv(np.linalg.cholesky(_transposed(T) @ K @ T)) @ _transposed(T)
    S_tau = S * (tau[joint] / chain.scale[joint])[:, None]
    f = S_tau + _apply(_transposed(H), _apply(H, beta - _apply(K, S_tau)))
    Y_A, Y_B = H @ _transposed(A.Phi12), H @ B.Phi12
    whole = _Parts(
        A.first,
        A.Phi1 - _transposed(Y_A) @ Y_A,
        _transposed(Y_A) @ Y_B,
        B.Phi2 - _transposed(Y_B) @ Y_B,
        A.b1 - _apply(A.Phi12, f),
        B.b2 + _apply(_transposed(B.Phi12), f),
    )
    return _Joining(A, B, K, beta, H, f, whole.followed_by(parts.take(slice(2 * m, None))))


def _release(
    chain: Chain, motion: _Motion, whole: _Parts, joinings: list[_Joining], tau: FloatArray, gravity: FloatArray
) -> FloatArray:
    """Hold the whole chain at the ground and find forces and accelerations of the joints, level by level down."""
    vdot = np.empty(len(chain))
    # The ground is a part A with Phi = 0. It accelerates upwards, which gravity cannot be told from.
    ground = np.concatenate([motion.R_WM[0].T @ -gravity, np.zeros(3)])
    S, T, K = chain.S[0], chain.T[0], whole.Phi1[0]
    beta = ground - whole.b1[0] + motion.c[0]
    S_tau = S * tau[0] / chain.scale[0]
    f = S_tau + T @ np.linalg.solve(T.T @ K @ T, T.T @ (beta - K @ S_tau))
    vdot[0] = S @ (K @ f - beta) / chain.scale[0]
    f1, f2 = f[None], np.zeros((1, 6))  # nothing holds the tip
    for joining in reversed(joinings):
        A, B, m = joining.A, joining.B, len(joining.A)
        outer = _apply(_transposed(A.Phi12), f1[:m]) - _apply(B.Phi12, f2[:m])
        f = joining.f + _apply(_transposed(joining.H), _apply(joining.H, outer))
        apart = _apply(joining.K, f) - joining.beta - outer
        vdot[B.first] = np.einsum("ij,ij->i", chain.S[B.first], apart) / chain.scale[B.first]
        f1, f2 = _interleaved(f1, f, m, first=True), _interleaved(f2, -f, m, first=False)
    return vdot


def _interleaved(outer: FloatArray, inner: FloatArray, m: int, *, first: bool) -> FloatArray:
    """Forces on one handle of the parts A, B, A, B, ...; parts behind the pairs keep theirs."""
    pair = (outer[:m], inner) if first else (inner, outer[:m])
    return np.concatenate([np.stack(pair, axis=1).reshape(2 * m, 6), outer[m:]])


def _cross(V: FloatArray) -> FloatArray:
    """Matrices (n, 6, 6) of the cross product of twists, V x."""
    matrix = np.zeros((*V.shape[:-1], 6, 6))
    matrix[..., :3, :3] = matrix[..., 3:, 3:] = skew(V[..., 3:])
    matrix[..., :3, 3:] = skew(V[..., :3])
    return matrix


def _apply(matrices: FloatArray, vectors: FloatArray) -> FloatArray:
    product: FloatArray = (matrices @ vectors[..., None])[..., 0]
    return product


def _transposed(matrices: FloatArray) -> FloatArray:
    return np.swapaxes(matrices, -1, -2)
