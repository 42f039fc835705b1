"""All solutions of general arms by elimination (Raghavan and Roth 1993) to eigenvalues (Manocha and Canny 1994).

Axis 6 is a line, with point p and direction l, that its own joint leaves where it is:
E_3 E_4 E_5 (p, l) = E_2^-1 E_1^-1 G (p, l). The 14 functions p, l, p.p, p.l, p x l and (p.p) l - 2 (p.l) p of both
sides are linear in the products of cosines and sines of their angles. Here they are written in z_i = exp(i t_i) instead
of half tangents: real angles lie on the unit circle, and none of them is special. The coefficients are found from
values at three angles of each joint, so that axes may lie as they like. Eight combinations of angles 1 and 2 are
eliminated by the left null space; the six equations left hold nine products of powers of z_4 and z_5, and with their
multiples by z_4 twelve. (M_0 + M_1 z_3 + M_2 z_3^2) v = 0 has 24 eigenvalues: four at zero, four at infinity, and the
16 solutions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg

from tarsus.arrays import AnyArray, FloatArray
from tarsus.ik.six_axis.loop import cross, turn

ANGLES = 2 * np.pi * np.arange(3) / 3
POWERS = np.exp(-1j * np.outer([-1, 0, 1], ANGLES)) / 3
"""Coefficients of z^-1, 1 and z from values at these angles."""
REGULAR = 1e-9
"""Least of all singular values, beside the largest, of matrices that count as regular."""
PROBES = np.exp(1j * np.array([0.3, 1.7, 2.9, 4.1, 5.6]))
"""Where the pencil is looked at: one that is singular at all of them is singular everywhere."""
KERNEL = 1e-5
"""Singular values, beside the largest, that count as zero at an eigenvalue."""


@dataclass(frozen=True, slots=True, eq=False)
class Roots:
    """Solutions of one loop.

    Attributes
    ----------
    z3 : ndarray of complex, shape (16,)
        All roots of the eliminant.
    z : ndarray of complex, shape (k, 6)
        exp(i t) of all angles.
    origin : ndarray of int, shape (k,)
        The root from which each came; one with several kernel vectors has several.
    """

    z3: AnyArray
    z: AnyArray
    origin: AnyArray


def eliminate(w: AnyArray, o: AnyArray, G: AnyArray) -> Roots | None:
    """All roots of a loop of axes (6, 3), real or complex; None where its geometry is too special."""
    left, right = _two_sides(w, o, G)
    Q = np.delete(right.reshape(9, 14), 4, axis=0).T
    P = left.reshape(3, 9, 14).copy()
    P[1, 4] -= right[1, 1]  # what is constant on the other side
    U, sizes, _ = np.linalg.svd(Q)
    if not np.isfinite(sizes).all() or sizes[-1] < REGULAR * sizes[0]:
        return None
    equations = np.einsum("me,kjm->kej", U[:, 8:].conj(), P)
    M = np.zeros((3, 12, 12), dtype=complex)
    M[:, :6, :9] = M[:, 6:, 3:] = equations
    if max(_regularity(M, z) for z in PROBES) < REGULAR:
        return None
    z3 = _eigenvalues(M)
    parts = [_kernel_roots(M, z) for z in z3]
    origin = np.repeat(np.arange(len(z3)), [len(part) for part in parts])
    z345 = np.concatenate([np.column_stack([np.full(len(part), z), part]) for z, part in zip(z3, parts, strict=True)])
    z12 = _first_two(Q, P, z345)
    return Roots(z3, np.column_stack([z12, z345, _sixth(w, G, np.column_stack([z12, z345]))]), origin)


def _two_sides(w: AnyArray, o: AnyArray, G: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Coefficients of the 14 functions: (3, 3, 3, 14) of powers of z_3, z_4, z_5; (3, 3, 14) of powers of z_1, z_2."""
    t3, t4, t5 = np.meshgrid(ANGLES, ANGLES, ANGLES, indexing="ij")
    p: AnyArray = np.broadcast_to(o[5], (3, 3, 3, 3))
    line: AnyArray = np.broadcast_to(w[5], (3, 3, 3, 3))
    for k, t in ((4, t5), (3, t4), (2, t3)):
        p, line = _turned(w[k], o[k], t, p, line)
    left = np.einsum("ia,jb,kc,abcm->ijkm", POWERS, POWERS, POWERS, _fourteen(p, line))
    first, second = np.meshgrid(ANGLES, ANGLES, indexing="ij")
    p, line = np.broadcast_to(G[:3, :3] @ o[5] + G[:3, 3], (3, 3, 3)), np.broadcast_to(G[:3, :3] @ w[5], (3, 3, 3))
    for k, angle in ((0, first), (1, second)):
        p, line = _turned(w[k], o[k], -angle, p, line)
    return left, np.einsum("ia,jb,abm->ijm", POWERS, POWERS, _fourteen(p, line))


def _turned(w: AnyArray, o: AnyArray, t: FloatArray, p: AnyArray, line: AnyArray) -> tuple[AnyArray, AnyArray]:
    R = turn(np.broadcast_to(w, (*t.shape, 3)), t)
    return (R @ (p - o)[..., None])[..., 0] + o, (R @ line[..., None])[..., 0]


def _fourteen(p: AnyArray, line: AnyArray) -> AnyArray:
    """The functions (..., 14) of a line with point p and direction l; without conjugates they are polynomials."""
    pp, pl = np.sum(p * p, axis=-1, keepdims=True), np.sum(p * line, axis=-1, keepdims=True)
    return np.concatenate([p, line, pp, pl, cross(p, line), pp * line - 2 * pl * p], axis=-1)


def _regularity(M: AnyArray, z: complex) -> float:
    sizes = np.linalg.svd(M[0] / z + M[1] + M[2] * z, compute_uv=False)
    return float(sizes[-1] / sizes[0])


def _eigenvalues(M: AnyArray) -> AnyArray:
    """The 16 in the middle, by size, of M_0 + M_1 z + M_2 z^2."""
    one, none = np.eye(12), np.zeros((12, 12))
    pairs = scipy.linalg.eig(
        np.block([[none, one], [-M[0], -M[1]]]),
        np.block([[one, none], [none, M[2]]]),
        right=False,
        homogeneous_eigvals=True,
    )
    alpha, beta = pairs
    order = np.argsort(np.arctan2(np.abs(alpha), np.abs(beta)))[4:20]
    return np.asarray(alpha[order] / np.where(beta[order] == 0, np.finfo(float).tiny, beta[order]))


def _kernel_roots(M: AnyArray, z3: complex) -> AnyArray:
    """z_4 and z_5, shape (k, 2), of all products of powers in the kernel at one eigenvalue.

    Vectors of the kernel are combinations of as many products; moving up by one power is a linear map of the kernel
    into itself whose eigenvalues are the z.
    """
    scale = 1 / max(1.0, abs(z3))
    _, sizes, V = np.linalg.svd((M[0] / z3 + M[1] + M[2] * z3) * scale if abs(z3) > 1e-8 else M[0] + M[1] * z3)
    width = max(1, int(np.count_nonzero(sizes < KERNEL * sizes[0])))
    K = V[12 - width :].conj().T.reshape(4, 3, width)
    up4 = np.linalg.lstsq(K[:3].reshape(9, width), K[1:].reshape(9, width), rcond=None)[0]
    up5 = np.linalg.lstsq(K[:, :2].reshape(8, width), K[:, 1:].reshape(8, width), rcond=None)[0]
    _, C = np.linalg.eig(up4 + (0.62 + 0.41j) * up5)  # a combination that tells pairs (z_4, z_5) apart
    back = np.linalg.pinv(C)
    return np.stack([np.diag(back @ up4 @ C), np.diag(back @ up5 @ C)], axis=-1)


def _first_two(Q: AnyArray, P: AnyArray, z345: AnyArray) -> AnyArray:
    """z_1 and z_2, shape (k, 2), from the products of their powers that belong to the other angles."""
    with np.errstate(all="ignore"):
        three, four, five = (np.stack([1 / z, np.ones_like(z), z], axis=-1) for z in z345.T)
        products = np.einsum("ni,nj,nk->nijk", three, four, five).reshape(len(z345), 3, 9)
        right = np.nan_to_num(np.einsum("nkj,kjm->nm", products, P))
        found = np.linalg.lstsq(Q, right.T, rcond=None)[0].T
        grid = np.insert(found, 4, 1.0, axis=1).reshape(-1, 3, 3)
        up1 = np.sum(grid[:, :2].conj() * grid[:, 1:], axis=(1, 2)) / np.sum(np.abs(grid[:, :2]) ** 2, axis=(1, 2))
        up2 = np.sum(grid[..., :2].conj() * grid[..., 1:], axis=(1, 2)) / np.sum(
            np.abs(grid[..., :2]) ** 2, axis=(1, 2)
        )
    return np.stack([up1, up2], axis=-1)


def _sixth(w: AnyArray, G: AnyArray, z: AnyArray) -> AnyArray:
    """z_6, (k,): what is left of the rotation after the first five."""
    side = cross(w[5], np.eye(3)[np.argmin(np.abs(w[5]))])
    side = side / np.sqrt(np.sum(side * side))
    with np.errstate(all="ignore"):
        x = np.broadcast_to(G[:3, :3] @ side, (len(z), 3))
        for k in range(5):
            t = 1j * np.log(z[:, k])
            x = (turn(np.broadcast_to(w[k], (len(z), 3)), t) @ x[..., None])[..., 0]
        return np.asarray(x @ side + 1j * np.sum(cross(side, x) * w[5], axis=-1))
