"""Angular velocity of any parametrisation: the general formula of Bouyarmane and Kheddar 2012."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import DtypeError, ShapeError, UnknownNameError, nearest
from tarsus.spatial._arrays import as_array, as_matrix, batch_shape

Frame = Literal["body", "world"]

#: Imaginary step of the complex-step derivative: its square vanishes against 1, so that no digits are lost.
_COMPLEX_STEP = 1e-30


def check_frame(frame: str) -> None:
    """Refuse an unknown value of the argument `frame`."""
    if frame not in get_args(Frame):
        choices = get_args(Frame)
        raise UnknownNameError(f"frame: unknown {frame!r}, expected one of {choices}{nearest(frame, choices)}")


def rate_matrix_from_derivative(R: npt.ArrayLike, dR: npt.ArrayLike, frame: Frame = "body") -> FloatArray:
    """E with omega = E pdot from the derivatives of the rotation matrix, for any parametrisation.

    Bouyarmane and Kheddar 2012 (10), with R_i the columns of R,

        E_world = R_3 R_2^T dR_1/dp + R_2 R_1^T dR_3/dp + R_1 R_3^T dR_2/dp,

    and (13), E_body = R^T E_world. For redundant parameters whose R(p) is a rotation only where C(p) = 0, the
    product E pdot is the angular velocity only if pdot keeps the constraint: (5) and (6) need that, too.

    Parameters
    ----------
    R : array_like, shape (..., 3, 3)
    dR : array_like, shape (..., 3, 3, n)
        Derivatives by the n parameters.
    frame : {"body", "world"}
        Frame in which the angular velocity is expressed.

    Returns
    -------
    E : ndarray, shape (..., 3, n)
    """
    check_frame(frame)
    R = as_matrix(R, "R")
    dR = as_array(dR, "dR")
    if dR.ndim < 3 or dR.shape[-3:-1] != (3, 3):
        raise ShapeError(f"dR: found shape {dR.shape}, expected (..., 3, 3, n)")
    batch_shape(R=R.shape[:-2], dR=dR.shape[:-3])
    # R^T R_i is a unit vector: the rows of E_body are R_3^T dR_2, R_1^T dR_3, R_2^T dR_1.
    rows = [(R[..., :, a, None] * dR[..., :, b, :]).sum(axis=-2) for a, b in ((2, 1), (0, 2), (1, 0))]
    E_body = np.stack(rows, axis=-2)
    return E_body if frame == "body" else R @ E_body


def complex_step_derivative(function: Callable[[Any], Any], p: npt.ArrayLike) -> FloatArray:
    """Complex-step derivative of an analytic function, exact to round-off.

    Parameters
    ----------
    function : callable
        Maps arrays (..., n) to arrays (..., *result); must accept complex input and be analytic in it: no
        abs, no conjugate, no norm (write ``sqrt((p * p).sum(-1))``), no conversion to float.
    p : array_like, shape (..., n)

    Returns
    -------
    derivative : ndarray, shape (..., *result, n)
    """
    array = as_array(p, "p")
    if array.ndim < 1:
        raise ShapeError(f"p: found shape {array.shape}, expected (..., n)")
    steps = array[..., None, :] + 1j * _COMPLEX_STEP * np.eye(array.shape[-1])
    result = np.asarray(function(steps))
    if not np.iscomplexobj(result):
        raise DtypeError(
            "complex-step derivative: the function returned real numbers for complex input; "
            "make it analytic or pass its derivative"
        )
    return np.moveaxis(result.imag / _COMPLEX_STEP, array.ndim - 1, -1)
