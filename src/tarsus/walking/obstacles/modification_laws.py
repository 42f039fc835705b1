"""How a potential of the whole robot moves what is tracked: laws of Buschmann 2014, (5.67) to (5.81), side by side.

All of them descend a potential H(q) by a velocity of task space w, J_w = dw/dq, added to the planned one (5.64). They
differ in what they hold dear: velocities of the task space, of joints, or those of the swinging foot w_F = S_F w alone.
J_W# = W^-1 J^T (J W^-1 J^T)^-1 is the weighted pseudoinverse, here with a little damping, so that stretched legs do not
throw their feet.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tarsus.arrays import FloatArray

DAMPING = 1e-4
"""Added to J W^-1 J^T, in its largest diagonal element."""


def whole_task_space(J: FloatArray, gradient: FloatArray, W: FloatArray, foot: slice) -> FloatArray:
    """Descent w' = -(J_W#)^T (dH/dq)^T: Behnisch et al. 2011, (5.67).

    Parameters
    ----------
    J : ndarray, shape (m, n)
        Of the task space.
    gradient : ndarray, shape (n,) or (n, k)
        dH/dq, of one potential or of several.
    W : ndarray, shape (n,)
        Diagonal weights of velocities of joints, above 0.
    foot : slice
        Rows of the swinging foot, which this law does not single out.

    Returns
    -------
    w_dot : ndarray, shape (m,) or (m, k)
    """
    return _through(J, gradient, W)


def joint_velocities(J: FloatArray, gradient: FloatArray, W: FloatArray, foot: slice) -> FloatArray:
    """Descent w' = -J W^-1 (dH/dq)^T: least joint velocities, without an inverse, (5.74), which prints no minus."""
    return np.asarray(-(J / W) @ gradient)


def selected_foot(J: FloatArray, gradient: FloatArray, W: FloatArray, foot: slice) -> FloatArray:
    """The rows of the foot of (5.67), everything else stays as it was planned: (5.78)."""
    found = np.zeros((len(J), *gradient.shape[1:]))
    found[foot] = _through(J, gradient, W)[foot]
    return found


def foot_alone(J: FloatArray, gradient: FloatArray, W: FloatArray, foot: slice) -> FloatArray:
    """Descent w_F' = -[(S_F J_W)#]^T (dH/dq)^T, everything else as planned: (5.80) and (5.81)."""
    found = np.zeros((len(J), *gradient.shape[1:]))
    found[foot] = _through(J[foot], gradient, W)
    return found


def _through(J: FloatArray, gradient: FloatArray, W: FloatArray) -> FloatArray:
    """The velocity -(J_W#)^T g = -(J W^-1 J^T)^-1 J W^-1 g."""
    JW = J / W
    A = JW @ J.T
    A.flat[:: len(A) + 1] += DAMPING * A.diagonal().max()
    return np.asarray(-np.linalg.solve(A, JW @ gradient))


ModificationLaw = Callable[[FloatArray, FloatArray, FloatArray, slice], FloatArray]
LAWS: dict[str, ModificationLaw] = {
    "whole-task-space": whole_task_space,
    "joint-velocities": joint_velocities,
    "selected-foot": selected_foot,
    "foot-alone": foot_alone,
}
"""(5.67), (5.74), (5.78), (5.80)-(5.81)."""
