"""Numbers of laws, cameras and means: finite, and not below what makes sense."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from tarsus.errors import ArgumentError


def check_numbers(of: object, names: Iterable[str], least: float = -math.inf, *, above: bool = False) -> None:
    """Refuse attributes, numbers or arrays of any shape, that are not finite or below a least value.

    Parameters
    ----------
    of : object
        What has the attributes.
    names : iterable of str
    least : float
        Smallest value that is allowed; with ``above`` the largest that is not.

    Raises
    ------
    ArgumentError
        Names attribute, value and what is expected.
    """
    for name in names:
        value = getattr(of, name)
        try:
            array = np.asarray(value, dtype=float)
        except (TypeError, ValueError):
            array = np.array(np.nan)
        inside = (array > least if above else array >= least) & np.isfinite(array)
        if not inside.all():
            limit = "" if math.isinf(least) else f" above {least:g}" if above else f", {least:g} or above"
            raise ArgumentError(f"{name} is {value!r}; expected a finite number{limit}")
