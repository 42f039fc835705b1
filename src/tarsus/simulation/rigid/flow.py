"""The smooth motion of a robot on rigid ground between two events: the modes of its contacts do not change."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.contact.rigid.modes import ClosedMotion, Modes, closed_motion
from tarsus.contact.rigid.touch_points import Indices, Touch, TouchPoints
from tarsus.control.joint_law import JointLaw, gains
from tarsus.dynamics import passive_force, solve_mass
from tarsus.model.lowering import quaternion_starts, to_native, to_user
from tarsus.simulation.runs.adaptive import AdaptiveRun, Solver
from tarsus.simulation.world import World

if TYPE_CHECKING:
    from tarsus.model import Model

WORK_GROUND, WORK_IMPACT = 0, 4
"""Places of the works that contact does."""
_RUNAWAY = 1e8
"""Entries of y that no motion has."""
_PROJECTED = 1e-11
"""Gaps and velocities of closed points beyond this are projected out after a step [m, m/s]."""
_STIFF = 3000.0
"""Joints whose velocities decay faster than this are integrated implicitly [1/s]."""


class RigidFlow:
    """y' = f(t, y) for y = (q, v, work), with the forces of closed points.

    The motion without contact is native; forces of sticking and slipping points follow from `closed_motion`.

    Attributes
    ----------
    modes : Modes
        Closed points, and which of them stick.
    load : ndarray or None
        Forces at the last event, in contact axes: redundant points go on sharing them like that.
    law : JointLaw
    """

    def __init__(self, model: Model, points: TouchPoints, q: FloatArray, v: FloatArray, **options: Any) -> None:
        self.model, self.points = model, points
        self.modes = Modes.none()
        self.load: FloatArray | None = None
        self.law = JointLaw()
        self._quaternions = [slice(i, i + 4) for i in quaternion_starts(model)]
        self._free = AdaptiveRun(model, World(model, None, None, all_nodes=True), q, v, integrator="radau", **options)
        self._tolerances = {"rtol": options["relative"], "atol": options["absolute"]}
        nq = self._free.q.shape[1]
        self._q, self._v = slice(0, nq), slice(nq, nq + model.nv)
        self._work = nq + model.nv
        self._damping = -passive_force(model, q, np.ones(model.nv)) + passive_force(model, q, np.zeros(model.nv))

    def set_law(self, law: JointLaw) -> None:
        """Use this joint law from now on."""
        self._free.set_law(law)
        self.law = law

    def set_external(self, wrenches: FloatArray | None) -> None:
        """Constant wrenches on the bodies from now on, shape (nb, 6)."""
        self._free.set_external(wrenches)

    # -- parts of a state -------------------------------------------------------------------------------------------

    def normalise(self, y: FloatArray) -> None:
        """Unit quaternions, in place: stages of an integrator leave them a little."""
        for place in self._quaternions:
            y[place] /= np.linalg.norm(y[place])

    def configuration(self, y: FloatArray) -> FloatArray:
        """Q in the user's layout, shape (nq,)."""
        q = y[self._q].copy()
        self.normalise(q)
        return np.asarray(to_user(self.model, q[None])[0])

    def velocity(self, y: FloatArray) -> FloatArray:
        """v, shape (nv,)."""
        return y[self._v]

    def kicked(self, y: FloatArray, change: FloatArray, loss: float) -> FloatArray:
        """The state after the velocities changed at once, shape (nv,), with the energy that was lost [J]."""
        y = y.copy()
        y[self._v] += change
        y[self._work + WORK_IMPACT] += loss
        return y

    def touch(self, y: FloatArray, index: Indices) -> Touch:
        """Motion of these points at a state."""
        return self.points.touch(self.configuration(y), self.velocity(y), index)

    # -- rates ------------------------------------------------------------------------------------------------------

    def free_acceleration(self, t: float, y: FloatArray) -> FloatArray:
        """Accelerations without contact, shape (nv,)."""
        return self.velocity(self._flow(t, y))

    def closed(self, t: float, y: FloatArray, *, share: bool) -> tuple[Touch, ClosedMotion]:
        """Closed points and their forces; `share` finds a distribution of redundant ones within the cones."""
        return self._constrained(y, self._flow(t, y), share=share)

    def rate(self, t: float, y: FloatArray) -> FloatArray:
        """Rates with the forces of closed points; friction does work on the ground.

        Stages of a step that is much too long run away; no numbers make the integrator try a shorter one.
        """
        if not np.abs(y).max() < _RUNAWAY:
            return np.full(len(y), np.nan)
        rate = self._flow(t, y)
        if len(self.modes.index) == 0:
            return rate
        touch, motion = self._constrained(y, rate, share=False)
        rate[self._v] = motion.vdot
        rate[self._work + WORK_GROUND] -= float(np.sum(motion.load * touch.velocity))
        return rate

    def _flow(self, t: float, y: FloatArray) -> FloatArray:
        """Rates without contact."""
        y = y.copy()
        self.normalise(y)
        return self._free.flow(t, y)

    def _constrained(self, y: FloatArray, rate: FloatArray, *, share: bool) -> tuple[Touch, ClosedMotion]:
        touch = self.touch(y, self.modes.index)
        Y, A = touch.response(self.model, self.configuration(y))
        return touch, closed_motion(touch, Y, A, self.velocity(rate), self.modes, share=share, last=self.load)

    def project(self, y: FloatArray) -> bool:
        """Closed points back onto the ground and their velocities to zero, in place; whether anything was moved."""
        modes = self.modes
        if len(modes.index) == 0:
            return False
        moved = False
        for _ in range(3):
            q = self.configuration(y)
            touch = self.touch(y, modes.index)
            if np.abs(touch.gap).max() <= _PROJECTED:
                break
            moved = True
            Y, A = touch.response(self.model, q)
            step = -Y[:, ::3] @ np.linalg.lstsq(A[::3, ::3], touch.gap, rcond=1e-10)[0]
            y[self._q] = to_native(self.model, self.model.integrate(q, step, 1.0)[None])[0]
        keep = np.ones((touch.count, 3), dtype=bool)
        keep[~modes.stick, 1:] = False
        rows = np.flatnonzero(keep.ravel())
        u = touch.velocity.ravel()[rows]
        if np.abs(u).max() > _PROJECTED:
            moved = True
            Y, A = touch.response(self.model, q)
            impulse = -np.linalg.lstsq(A[np.ix_(rows, rows)], u, rcond=1e-10)[0]
            y[:] = self.kicked(y, Y[:, rows] @ impulse, -0.5 * float(impulse @ u))  # u+ = 0: the loss of an impact
        return moved

    # -- integrators ------------------------------------------------------------------------------------------------

    def solver(self, start: float, y: FloatArray, end: float, *, first: float | None, implicit: bool) -> Solver:
        """Order 8, or where joints are stiff and `implicit` allows it Radau's method; `first` is the first step [s]."""
        from scipy.integrate import DOP853, Radau

        options: dict[str, Any] = {"first_step": None if first is None else min(first, end - start), **self._tolerances}
        if implicit and self._is_stiff(y):
            options["jac"] = self._slope
        kind: Callable[..., Solver] = Radau if "jac" in options else DOP853
        return kind(self.rate, start, y, end, **options)

    def _is_stiff(self, y: FloatArray) -> bool:
        q = self.configuration(y)
        if self._free.run["stop_q"] is not None and np.any((q < self.model.q_min) | (q > self.model.q_max)):
            return True  # a joint is at its stop
        damping = gains(self.model, "kd", self.law.kd) + self._damping
        if not np.any(damping > 0.0):
            return False
        mobility = np.diagonal(solve_mass(self.model, q, np.eye(self.model.nv)))
        return bool(np.max(damping * mobility) > _STIFF)

    def _slope(self, t: float, y: FloatArray) -> FloatArray:
        """Derivative of the rates by differences; works do not act back."""
        slope = np.zeros((len(y), len(y)))
        middle = self.rate(t, y)
        for k in range(self._work):
            step = 1e-7 * max(1.0, abs(y[k]))
            moved = y.copy()
            moved[k] += step
            slope[:, k] = (self.rate(t, moved) - middle) / step
        return slope
