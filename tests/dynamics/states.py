"""Random states of random models, and how closely results of different routes agree."""

from typing import NamedTuple

import numpy as np
from hypothesis import settings

import tarsus as ts
from tarsus.arrays import FloatArray

ROUNDING = 1e-11
"""Two exact routes to the same result, as a share of its largest entry: some hundred operations of 1e-16 and the
cancellation of up to a thousand times larger terms of long random trees."""
SOLVED = 1e-9
"""The same after a solution with the mass matrix, whose condition number reaches 1e5 in random trees."""

PROPERTY = settings(max_examples=25, deadline=None, derandomize=True)
"""The same examples in every run; time does not decide."""


class State(NamedTuple):
    """A state with accelerations, forces and wrenches on all bodies."""

    q: FloatArray
    v: FloatArray
    vdot: FloatArray
    tau: FloatArray
    external: FloatArray


def random_state(model: ts.Model, seed: int, batch: tuple[int, ...] = ()) -> State:
    """Configurations inside the limits, the rest of the order of one."""
    rng = np.random.default_rng(seed)
    v, vdot, tau = rng.normal(size=(3, *batch, model.nv))
    return State(model.random(rng, batch), v, vdot, tau, rng.normal(size=(*batch, model.nb, 6)))


def assert_close(found: FloatArray, expected: FloatArray, relative: float = ROUNDING) -> None:
    """Assert equality up to a share of the largest entry, or of one where all entries are smaller."""
    assert np.shape(found) == np.shape(expected)
    scale = float(np.max(np.abs(expected), initial=1.0))
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=relative * scale)
