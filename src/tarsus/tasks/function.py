"""A task of the user's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray, read_only_copy
from tarsus.errors import ArgumentError, NonFiniteError, ShapeError
from tarsus.model import Model
from tarsus.spatial._arrays import as_array, as_numbers
from tarsus.tasks.task import Task

STEP = 1e-6
"""Of central differences [rad, m]: the cube root of the rounding of a double, about."""


@dataclass(frozen=True, eq=False)
class Function(Task):
    """A function w(q) of the user's own has a given value: e = target - w(q).

    Attributes
    ----------
    value : callable
        ``value(model, q)`` of shape (..., k) for q of shape (..., nq), batches included.
    target : array_like, shape (..., k)
    derivative : callable, optional
        ``derivative(model, q)`` of shape (..., k, nv), the Jacobian; central differences by default.
    bias : callable, optional
        ``bias(model, q, v)`` of shape (..., k), the rate of the Jacobian times v; central differences by default.
    """

    target_axes: ClassVar[Mapping[str, int]] = {"target": 1}

    value: Callable[[Model, FloatArray], FloatArray]
    target: npt.ArrayLike
    derivative: Callable[[Model, FloatArray], FloatArray] | None = None
    bias: Callable[[Model, FloatArray, FloatArray], FloatArray] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        target = read_only_copy(as_array(self.target, "target of Function"))
        if target.ndim == 0:
            raise ShapeError(
                "target of Function: found a number, expected shape (..., k); [x] is a vector of one entry"
            )
        object.__setattr__(self, "target", target)
        if not callable(self.value):
            raise ArgumentError(f"value of Function is {self.value!r}; expected a callable (model, q)")

    def full_rows(self, model: Model) -> int:
        """Entries of the target."""
        return int(np.shape(self.target)[-1])

    def full_error(self, model: Model, q: npt.ArrayLike) -> FloatArray:
        """What is missing to the target."""
        return np.asarray(self.target) - self._checked(self.value(model, np.array(q, dtype=float)), q, "value")

    def full_jacobian(self, model: Model, q: npt.ArrayLike) -> FloatArray:
        """The given one, or central differences on the manifold of configurations."""
        q = np.array(q, dtype=float)
        if self.derivative is not None:
            return self._checked(self.derivative(model, q), q, "derivative", model.nv)
        ways = STEP * np.eye(model.nv)
        ahead, behind = (self.value(model, model.integrate(q[..., None, :], sign * ways)) for sign in (1.0, -1.0))
        difference = (self._checked(ahead, ahead, "value") - self._checked(behind, behind, "value")) / (2 * STEP)
        return np.swapaxes(difference, -1, -2)

    def full_bias(self, model: Model, q: npt.ArrayLike, v: npt.ArrayLike) -> FloatArray:
        """The given one, or central differences of J v along the motion."""
        q, v = np.asarray(q, dtype=float), np.asarray(v, dtype=float)
        if self.bias is not None:
            return self._checked(self.bias(model, q, v), q, "bias")
        speed = max(1.0, float(np.abs(v).max(initial=0.0)))
        step = (STEP**0.75 if self.derivative is None else STEP) / speed
        rates = [
            (self.full_jacobian(model, model.integrate(q, v, sign * step)) @ v[..., None])[..., 0]
            for sign in (1.0, -1.0)
        ]
        difference: FloatArray = (rates[0] - rates[1]) / (2 * step)
        return difference

    def _checked(self, result: npt.ArrayLike, q: npt.ArrayLike, name: str, *trailing: int) -> FloatArray:
        array, entries = as_numbers(result, f"{name} of Function"), np.shape(self.target)[-1]
        expected = (entries, *trailing)
        if array.shape[-len(expected) :] != expected:
            raise ShapeError(
                f"{name} of Function returned shape {array.shape} for q of shape {np.shape(q)}; expected "
                f"(..., {', '.join(map(str, expected))})"
            )
        if not np.isfinite(array).all():
            raise NonFiniteError(f"{name} of Function returned numbers that are not finite")
        return array
