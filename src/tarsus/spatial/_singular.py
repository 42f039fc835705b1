"""What happens at a singular configuration: an error, or the minimum-norm answer on request."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from tarsus.arrays import BoolArray, FloatArray
from tarsus.errors import SingularityError, UnknownNameError, nearest
from tarsus.spatial._arrays import first_index

Singular = Literal["error", "minimum-norm"]

#: Distance from a singularity (cosine or sine of the critical angle, or smallest singular value of E) below
#: which parameters cannot be told apart: four orders above round-off, six below the digits of model files.
SINGULAR_TOLERANCE = 1e-12

#: Singular values of E below this fraction of the largest one count as zero in the minimum-norm answer.
_PINV_CUTOFF = 1e-10


def check_singular(singular: str) -> None:
    """Refuse an unknown value of the argument `singular`."""
    if singular not in get_args(Singular):
        choices = get_args(Singular)
        hint = nearest(singular, choices)
        raise UnknownNameError(f"singular: unknown choice {singular!r}, expected one of {choices}{hint}")


def refuse(
    where: npt.NDArray[np.bool_] | np.bool_, singular: Singular, message: Callable[[tuple[int, ...]], str]
) -> bool:
    """Raise if any entry is singular and the caller asked for an error; say whether any entry is.

    `message` makes the text from the batch index of the first singular entry.
    """
    check_singular(singular)
    if not np.any(where):
        return False
    if singular == "error":
        text = message(first_index(where))
        raise SingularityError(f"{text}; pass singular='minimum-norm' to accept the minimum-norm answer")
    return True


def with_pseudoinverse(inverse: FloatArray, where: BoolArray, rate_matrix: FloatArray) -> FloatArray:
    """Put the pseudo-inverse of `rate_matrix` (..., 3, n) in place of singular entries (..., n, 3)."""
    inverse[where] = np.linalg.pinv(rate_matrix[where], rcond=_PINV_CUTOFF)
    return inverse


def at(index: tuple[int, ...]) -> str:
    """Text that locates an entry of a batch; empty for a single value."""
    return f" at batch index {index}" if index else ""


def numbers(values: FloatArray) -> str:
    """Short text of a parameter vector."""
    return "(" + ", ".join(f"{value:.6g}" for value in values) + ")"
