"""What supports that stand tell about the errors of the filter, as rows of matrices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus.arrays import FloatArray, IntArray
from tarsus.control.estimation.invariant_filter import FIRST_CONTACT, POSITION, ROTATION, InvariantFilter
from tarsus.control.estimation.noise import EstimatorNoise
from tarsus.control.estimation.support import Support


@dataclass(frozen=True, eq=False)
class ContactRows:
    """Rows z = H xi + noise of some supports: all positions, then the orientations of patches.

    Attributes
    ----------
    H : ndarray, shape (k, size)
        1 at xi_p or xi_R, -1 at xi_d or xi_C.
    z : ndarray of int, shape (k,)
        Places among positions of all supports and orientations of all patches.
    jacobian : ndarray of int, shape (k,), or None
        Rows of the Jacobians of all supports, (6 n, joints); None where these are all, in this order.
    variance : ndarray, shape (k,)
        Of contacts beside that of encoders.
    owner : ndarray of int, shape (k,)
        Place of the support among those that are used.
    """

    H: FloatArray
    z: IntArray
    jacobian: IntArray | None
    variance: FloatArray
    owner: IntArray


def contact_rows(
    used: tuple[int, ...], supports: tuple[Support, ...], state: InvariantFilter, noise: EstimatorNoise
) -> ContactRows:
    """Rows of the supports of these numbers."""
    patches = [k for k in used if supports[k].patch]
    blocks = [FIRST_CONTACT + k for k in used] + [state.turn_block[k] for k in patches]
    sources = [POSITION] * len(used) + [ROTATION] * len(patches)
    H = np.zeros((3 * len(blocks), len(state.P)))
    rows = np.arange(3 * len(blocks))
    H[rows, _each([3 * block for block in sources])] = 1.0
    H[rows, _each([3 * block for block in blocks])] = -1.0
    jacobian = _each([6 * k for k in used] + [6 * k + 3 for k in patches])
    whole = len(jacobian) == 6 * len(supports) and bool((jacobian == np.arange(len(jacobian))).all())
    variance = [noise.contact**2] * len(used) + [noise.contact_turn**2] * len(patches)
    owner = [*range(len(used)), *(used.index(k) for k in patches)]
    z = _each([3 * (block - FIRST_CONTACT) for block in blocks])
    return ContactRows(H, z, None if whole else jacobian, np.repeat(variance, 3), np.repeat(owner, 3))


def _each(first: list[int]) -> IntArray:
    """Three numbers from each one on."""
    return np.asarray((np.array(first)[:, None] + np.arange(3)).ravel())
