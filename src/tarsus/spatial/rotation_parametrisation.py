"""A parametrisation of rotations and its rate maps, closed-form or by the general formula.

Bouyarmane and Kheddar 2012, section II: for any parameters p with R(p) the angular velocity is linear in
pdot, omega = E(p) pdot (2), and E follows from the derivatives of the columns of R (10). Redundant
parametrisations come with constraints C(p) = 0 (27). The letter E stands for their J_omega0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, final

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, NonFiniteError, ShapeError
from tarsus.spatial._arrays import as_vector, batch_shape
from tarsus.spatial._singular import SINGULAR_TOLERANCE, Singular, at, check_singular, numbers, refuse
from tarsus.spatial.cross_product import skew
from tarsus.spatial.general_rate_matrix import (
    Frame,
    check_frame,
    complex_step_derivative,
    rate_matrix_from_derivative,
)

#: Step along pdot / |pdot| of the sixth-order central difference; truncation 1e-14, rounding 1e-14.
_DIFFERENCE_STEP = 1e-2
_DIFFERENCE_WEIGHTS = ((1.0, 45.0 / 60.0), (2.0, -9.0 / 60.0), (3.0, 1.0 / 60.0))

#: Newton steps of `Parametrisation.normalize`: from 1e-3 to round-off.
_NORMALIZE_STEPS = 4


@final
class Parametrisation:
    """Parameters p of a rotation R(p), with rate maps and constraints.

    Parameters
    ----------
    name : str
    size : int
        Number of parameters, at least 3.
    matrix : callable
        p (..., size) -> R (..., 3, 3). The only function that is needed: the others are derived from it.
    matrix_derivative : callable, optional
        p -> dR/dp (..., 3, 3, size). Without it, and without `rate_matrix`, `matrix` must be analytic in
        complex p (see `complex_step_derivative`).
    from_matrix : callable, optional
        (R, singular) -> p. Needed for `parameters` only.
    rate_matrix, rate_inverse, rate_matrix_dot : callable, optional
        Closed forms in the body frame: p -> E (..., 3, size), (p, singular) -> E^+ (..., size, 3),
        (p, pdot) -> dE/dt (..., 3, size).
    constraint : callable, optional
        p -> C(p) (..., m), zero for parameters of rotations; with redundant parameters, m = size - 3.
    constraint_gradient : callable, optional
        p -> dC/dp (..., m, size). Without it `constraint` must be analytic in complex p.

    Examples
    --------
    Modified Rodrigues parameters tan(phi/4) u, all rate maps by the general formula:

    >>> def matrix(p):
    ...     square = (p * p).sum(-1)[..., None, None]
    ...     zero = 0.0 * p[..., 0]
    ...     x, y, z = p[..., 0], p[..., 1], p[..., 2]
    ...     S = np.stack([zero, -z, y, z, zero, -x, -y, x, zero], -1).reshape(*p.shape[:-1], 3, 3)
    ...     return np.eye(3) + (4.0 * (1.0 - square) * S + 8.0 * S @ S) / (1.0 + square) ** 2
    >>> modified = Parametrisation("modified-rodrigues", 3, matrix)
    >>> modified.angular_velocity([0.0, 0.0, 0.0], [0.1, 0.2, 0.3])
    array([0.4, 0.8, 1.2])
    """

    def __init__(
        self,
        name: str,
        size: int,
        matrix: Callable[[Any], Any],
        *,
        matrix_derivative: Callable[[FloatArray], Any] | None = None,
        from_matrix: Callable[[npt.ArrayLike, Singular], FloatArray] | None = None,
        rate_matrix: Callable[[FloatArray], FloatArray] | None = None,
        rate_inverse: Callable[[FloatArray, Singular], FloatArray] | None = None,
        rate_matrix_dot: Callable[[FloatArray, FloatArray], FloatArray] | None = None,
        constraint: Callable[[Any], Any] | None = None,
        constraint_gradient: Callable[[FloatArray], Any] | None = None,
    ) -> None:
        if size < 3:
            raise ArgumentError(f"size: found {size}, expected at least 3 parameters")
        self._name = name
        self._size = size
        self._matrix = matrix
        self._matrix_derivative = matrix_derivative
        self._from_matrix = from_matrix
        self._rate_matrix = rate_matrix
        self._rate_inverse = rate_inverse
        self._rate_matrix_dot = rate_matrix_dot
        self._constraint = constraint
        self._constraint_gradient = constraint_gradient

    def __repr__(self) -> str:
        return f"Parametrisation({self._name!r}, size={self._size})"

    @property
    def name(self) -> str:
        """Name in error messages and in the registry."""
        return self._name

    @property
    def size(self) -> int:
        """Number of parameters, d in Bouyarmane and Kheddar 2012, Table I."""
        return self._size

    @property
    def constraint_count(self) -> int:
        """Number of constraints, d - 3 for redundant parametrisations (27)."""
        return self._size - 3 if self._constraint is not None else 0

    @property
    def neutral(self) -> FloatArray:
        """Parameters (size,) of the identity; the minimum-norm answer if it is singular."""
        return self.parameters(np.eye(3), singular="minimum-norm")

    def rotation_matrix(self, p: npt.ArrayLike) -> FloatArray:
        """Rotation matrix R(p) = R_AB, which maps components in B to components in A.

        Parameters
        ----------
        p : array_like, shape (..., size)

        Returns
        -------
        R : ndarray, shape (..., 3, 3)
        """
        array = self._checked(p)
        return self._result(self._matrix(array), "matrix", (*array.shape[:-1], 3, 3))

    def rotation_matrix_derivative(self, p: npt.ArrayLike) -> FloatArray:
        """Partial derivatives dR/dp, Bouyarmane and Kheddar 2012 (6).

        For quaternions they are those of R(q / |q|): (12) without its part along q.

        Parameters
        ----------
        p : array_like, shape (..., size)

        Returns
        -------
        dR : ndarray, shape (..., 3, 3, size)
        """
        array = self._checked(p)
        shape = (*array.shape[:-1], 3, 3, self._size)
        if self._matrix_derivative is not None:
            return self._result(self._matrix_derivative(array), "matrix_derivative", shape)
        if self._rate_matrix is None:
            return self._result(complex_step_derivative(self._matrix, array), "matrix", shape)
        spins = skew(np.swapaxes(self.rate_matrix(array), -1, -2))
        return np.moveaxis(self.rotation_matrix(array)[..., None, :, :] @ spins, -3, -1)

    def parameters(self, R: npt.ArrayLike, singular: Singular = "error") -> FloatArray:
        """Parameters p of a rotation matrix.

        Parameters
        ----------
        R : array_like, shape (..., 3, 3)
            R_AB.
        singular : {"error", "minimum-norm"}
            What to do where the parameters are not determined.

        Returns
        -------
        p : ndarray, shape (..., size)
        """
        check_singular(singular)
        if self._from_matrix is None:
            raise ArgumentError(f"parametrisation {self._name!r} has no inverse: make it with from_matrix=")
        return self._from_matrix(R, singular)

    def rate_matrix(self, p: npt.ArrayLike, frame: Frame = "body") -> FloatArray:
        """Matrix E(p) with omega = E pdot, Bouyarmane and Kheddar 2012 (2).

        Parameters
        ----------
        p : array_like, shape (..., size)
        frame : {"body", "world"}
            Frame in which the angular velocity of B in A is expressed: B ("body") or A ("world").

        Returns
        -------
        E : ndarray, shape (..., 3, size)
        """
        check_frame(frame)
        array = self._checked(p)
        if self._rate_matrix is None:
            return rate_matrix_from_derivative(
                self.rotation_matrix(array), self.rotation_matrix_derivative(array), frame
            )
        E = self._result(self._rate_matrix(array), "rate_matrix", (*array.shape[:-1], 3, self._size))
        return E if frame == "body" else self.rotation_matrix(array) @ E

    def rate_inverse(self, p: npt.ArrayLike, frame: Frame = "body", singular: Singular = "error") -> FloatArray:
        """Inverse map pdot = E^+(p) omega; for redundant parameters the one that keeps the constraints.

        Parameters
        ----------
        p : array_like, shape (..., size)
        frame : {"body", "world"}
            Frame in which the angular velocity is expressed.
        singular : {"error", "minimum-norm"}
            What to do where E loses rank. "minimum-norm" gives the pseudo-inverse: rates of least norm among
            those that come closest to the angular velocity.

        Returns
        -------
        E_inverse : ndarray, shape (..., size, 3)
        """
        check_frame(frame)
        check_singular(singular)
        array = self._checked(p)
        if self._rate_inverse is None:
            inverse = self._general_rate_inverse(array, singular)
        else:
            shape = (*array.shape[:-1], self._size, 3)
            inverse = self._result(self._rate_inverse(array, singular), "rate_inverse", shape)
        return inverse if frame == "body" else inverse @ np.swapaxes(self.rotation_matrix(array), -1, -2)

    def _general_rate_inverse(self, p: FloatArray, singular: Singular) -> FloatArray:
        """First three columns of the pseudo-inverse of (E; dC/dp): E pdot = omega, (dC/dp) pdot = 0."""
        stacked = np.concatenate((self.rate_matrix(p), self.constraint_gradient(p)), axis=-2)
        U, s, Vt = np.linalg.svd(stacked, full_matrices=False)
        lost = s <= SINGULAR_TOLERANCE * s[..., :1]

        def message(index: tuple[int, ...]) -> str:
            return f"parametrisation {self._name!r} is singular at p = {numbers(p[index])}{at(index)}"

        refuse(lost[..., -1], singular, message)
        reciprocal = np.where(lost, 0.0, 1.0 / np.where(lost, 1.0, s))
        inverse = np.swapaxes(Vt, -1, -2) @ (reciprocal[..., None] * np.swapaxes(U, -1, -2))
        return np.ascontiguousarray(inverse[..., :3])

    def rate_matrix_dot(self, p: npt.ArrayLike, pdot: npt.ArrayLike, frame: Frame = "body") -> FloatArray:
        """Time derivative of E(p): omegadot = E pddot + Edot pdot.

        Without a closed form, a central difference of sixth order of E along `pdot`, good to about 1e-12.

        Parameters
        ----------
        p, pdot : array_like, shape (..., size)
            The batch shapes broadcast.
        frame : {"body", "world"}
            Frame in which the angular velocity is expressed.

        Returns
        -------
        E_dot : ndarray, shape (..., 3, size)
        """
        check_frame(frame)
        array, rates = self._checked_pair(p, pdot)
        if self._rate_matrix_dot is None:
            E_dot = self._difference(self.rate_matrix, array, rates)
        else:
            shape = (*array.shape[:-1], 3, self._size)
            E_dot = self._result(self._rate_matrix_dot(array, rates), "rate_matrix_dot", shape)
        if frame == "body":
            return E_dot
        # d/dt (R E) = R (skew(omega_B) E + Edot)
        E = self.rate_matrix(array)
        return self.rotation_matrix(array) @ (skew((E @ rates[..., None])[..., 0]) @ E + E_dot)

    def angular_velocity(self, p: npt.ArrayLike, pdot: npt.ArrayLike, frame: Frame = "body") -> FloatArray:
        """Angular velocity omega = E(p) pdot of B in A.

        Parameters
        ----------
        p, pdot : array_like, shape (..., size)
            The batch shapes broadcast.
        frame : {"body", "world"}

        Returns
        -------
        omega : ndarray, shape (..., 3)
            In rad/s if `pdot` is a rate per second.
        """
        array, rates = self._checked_pair(p, pdot)
        return np.asarray((self.rate_matrix(array, frame) @ rates[..., None])[..., 0])

    def parameter_rates(
        self, p: npt.ArrayLike, omega: npt.ArrayLike, frame: Frame = "body", singular: Singular = "error"
    ) -> FloatArray:
        """Rates pdot = E^+(p) omega of the parameters.

        Parameters
        ----------
        p : array_like, shape (..., size)
        omega : array_like, shape (..., 3)
            Angular velocity of B in A [rad/s]; the batch shapes broadcast.
        frame : {"body", "world"}
            Frame in which `omega` is expressed.
        singular : {"error", "minimum-norm"}
            See `rate_inverse`.

        Returns
        -------
        pdot : ndarray, shape (..., size)
        """
        array, spin = self._checked(p), as_vector(omega, "omega", 3)
        batch_shape(p=array.shape[:-1], omega=spin.shape[:-1])
        return np.asarray((self.rate_inverse(array, frame, singular) @ spin[..., None])[..., 0])

    def constraint(self, p: npt.ArrayLike) -> FloatArray:
        """Constraint function C(p), Bouyarmane and Kheddar 2012 (27) and Table II.

        Parameters
        ----------
        p : array_like, shape (..., size)
            Need not satisfy the constraint.

        Returns
        -------
        C : ndarray, shape (..., constraint_count)
        """
        array = self._checked(p)
        shape = (*array.shape[:-1], self.constraint_count)
        if self._constraint is None:
            return np.zeros(shape)
        return self._result(self._constraint(array), "constraint", shape)

    def constraint_gradient(self, p: npt.ArrayLike) -> FloatArray:
        """Gradient dC/dp of the constraint.

        Parameters
        ----------
        p : array_like, shape (..., size)

        Returns
        -------
        C_p : ndarray, shape (..., constraint_count, size)
        """
        array = self._checked(p)
        shape = (*array.shape[:-1], self.constraint_count, self._size)
        if self._constraint is None:
            return np.zeros(shape)
        if self._constraint_gradient is None:
            return self._result(complex_step_derivative(self._constraint, array), "constraint", shape)
        return self._result(self._constraint_gradient(array), "constraint_gradient", shape)

    def constraint_gradient_dot(self, p: npt.ArrayLike, pdot: npt.ArrayLike) -> FloatArray:
        """Time derivative of dC/dp: the constraint on accelerations is C_p pddot + C_p_dot pdot = 0 (30).

        By a central difference, which is exact to round-off for quadratic constraints, such as all built-in
        ones.

        Parameters
        ----------
        p, pdot : array_like, shape (..., size)

        Returns
        -------
        C_p_dot : ndarray, shape (..., constraint_count, size)
        """
        return self._difference(self.constraint_gradient, *self._checked_pair(p, pdot))

    def normalize(self, p: npt.ArrayLike) -> FloatArray:
        """Parameters next to `p` that satisfy the constraint, by Newton steps of least norm.

        Parameters
        ----------
        p : array_like, shape (..., size)
            Within 1e-3 of the constraint.

        Returns
        -------
        p : ndarray, shape (..., size)
        """
        array = self._checked(p).copy()
        if self._constraint is None:
            return array
        self.rotation_matrix(array)  # refuses what is far off
        for _ in range(_NORMALIZE_STEPS):
            G = self.constraint_gradient(array)
            GT = np.swapaxes(G, -1, -2)
            array -= (GT @ np.linalg.solve(G @ GT, self.constraint(array)[..., None]))[..., 0]
        return array

    @staticmethod
    def _difference(function: Callable[[FloatArray], FloatArray], p: FloatArray, pdot: FloatArray) -> FloatArray:
        """Central difference of `function` along `pdot`; its results have two trailing axes."""
        speed = np.sqrt((pdot * pdot).sum(axis=-1, keepdims=True))
        step = _DIFFERENCE_STEP * pdot / np.where(speed > 0.0, speed, 1.0)
        differences = ((w, function(p + k * step) - function(p - k * step)) for k, w in _DIFFERENCE_WEIGHTS)
        total = sum(weight * difference for weight, difference in differences)
        return np.asarray(total * (speed[..., None] / _DIFFERENCE_STEP))

    def _checked(self, p: npt.ArrayLike) -> FloatArray:
        return as_vector(p, "p", self._size)

    def _checked_pair(self, p: npt.ArrayLike, pdot: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
        array, rates = self._checked(p), as_vector(pdot, "pdot", self._size)
        batch = batch_shape(p=array.shape[:-1], pdot=rates.shape[:-1])
        return np.broadcast_to(array, (*batch, self._size)), np.broadcast_to(rates, (*batch, self._size))

    def _result(self, value: Any, function: str, shape: tuple[int, ...]) -> FloatArray:
        array = np.asarray(value, dtype=np.float64)
        if array.shape != shape:
            place = f"{function} of parametrisation {self._name!r}"
            raise ShapeError(f"{place}: found shape {array.shape}, expected {shape}")
        if not np.isfinite(array).all():
            raise NonFiniteError(f"{function} of parametrisation {self._name!r}: the result is not finite")
        return array
