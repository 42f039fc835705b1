"""Newton-Raphson, Buschmann 2014 algorithm 9, with damping of its steps."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray, IndexArray
from tarsus.ik.position.method import LineSearch

TRUNCATION = 1e-6
"""Share of the largest singular value below which others count as zero."""


class Newton(LineSearch):
    """J way = e by the pseudoinverse, which is the inverse of algorithm 9 where J is square.

    Singular values below `TRUNCATION` of the largest are left out, and steps are halved until they lead down, which is
    the globalisation that Buschmann 2014, 5.1.1 asks for.
    """

    name = "newton"

    def direction(self, q: FloatArray, e: FloatArray, J: FloatArray, rows: IndexArray) -> FloatArray:
        """Pseudoinverse of J times e."""
        return (np.linalg.pinv(J, rcond=TRUNCATION) @ e[..., None])[..., 0]
