"""The smooth motion of a robot on rigid ground between two events: the modes of its contacts do not change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, final

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.contact.rigid.modes import ClosedMotion, closed_motion
from tarsus.contact.rigid.touch_points import Indices, Touch, TouchPoints
from tarsus.control.joint_law import gains
from tarsus.dynamics import passive_force, solve_mass
from tarsus.model.lowering import to_native
from tarsus.recording.samples import Samples
from tarsus.simulation.audit import WORK_GROUND, WORK_IMPACT
from tarsus.simulation.rigid.phase import ContactPhase
from tarsus.simulation.runs.flow import Flow
from tarsus.simulation.runs.robots import Robots
from tarsus.simulation.runs.solver import Solver, start_solver
from tarsus.simulation.runs.trial_rates import TrialRates
from tarsus.simulation.world import World

_LARGEST_ENTRY = 1e8
"""No motion has entries of y beyond this [SI units]: the stage of a step ran away."""
_PROJECTED = 1e-11
"""Gaps and velocities of closed points beyond this are projected out after a step [m, m/s]."""
_PROJECTIONS = 3
"""Iterations of Newton's method for the gaps of closed points."""
_STIFF_DECAY = 3000.0
"""Joints whose velocities decay faster than this are integrated implicitly [1/s]."""


@final
class RigidFlow:
    """y' = f(t, y) for y = (q, v, work), with the forces of closed points.

    The motion without contact is native; forces of sticking and slipping points follow from `closed_motion`.

    Attributes
    ----------
    model : Model
    points : TouchPoints
        All points that can touch the ground.
    phase : ContactPhase
        Closed points and their modes at present.
    trial : TrialRates
        `rate` for integrators that try steps.
    """

    def __init__(self, robots: Robots, points: TouchPoints) -> None:
        model = self.model = robots.model
        self.points, self.phase = points, ContactPhase()
        self._robots = robots
        self._free = Flow(robots, World(model, None, None, all_nodes=True))
        self.trial = TrialRates(self.rate, self._free.work.start)
        q = robots.configuration
        self._damping = -passive_force(model, q, np.ones(model.nv)) + passive_force(model, q, np.zeros(model.nv))

    # -- states -----------------------------------------------------------------------------------------------------

    def present(self) -> FloatArray:
        """Y of the present state of the robot."""
        return self._free.present()

    def set_present(self, y: FloatArray) -> None:
        """Make y, with normalised quaternions, the present state of the robot."""
        self._free.set_present(y)

    def normalised(self, y: FloatArray) -> FloatArray:
        """Y with unit quaternions, in an array of its own."""
        return self._free.normalised(y)

    def configuration(self, y: FloatArray) -> FloatArray:
        """Configuration in the user's layout, shape (nq,)."""
        return self._free.configuration(y)

    def velocity(self, y: FloatArray) -> FloatArray:
        """Velocity, shape (nv,); a view of y."""
        return self._free.velocity(y)

    def sample(self, time: float, y: FloatArray) -> Samples:
        """The sample of a state y at a time [s], without forces of contact."""
        return self._free.sample(time, y)

    def after_impulse(self, y: FloatArray, change: FloatArray, loss: float) -> FloatArray:
        """The state after the velocities changed at once, shape (nv,), with the energy that was lost [J]."""
        y = y.copy()
        y[self._free.v] += change
        y[self._free.work.start + WORK_IMPACT] += loss
        return y

    def touch(self, y: FloatArray, index: Indices) -> Touch:
        """Geometry and motion of these points at a state."""
        return self.points.touch(self.configuration(y), self.velocity(y), index)

    def gaps(self, y: FloatArray) -> FloatArray:
        """Gaps of all points at a state, shape (points,) [m]."""
        return self.points.gaps(self.configuration(y))

    # -- rates ------------------------------------------------------------------------------------------------------

    def free_acceleration(self, t: float, y: FloatArray) -> FloatArray:
        """Accelerations without contact, shape (nv,)."""
        return self.velocity(self._free_rate(t, y))

    def closed(self, t: float, y: FloatArray, *, share: bool) -> tuple[Touch, ClosedMotion]:
        """Closed points and their forces; `share` finds a distribution of redundant ones within the cones."""
        return self._constrained(y, self._free_rate(t, y), share=share)

    def forces_fit(self, t: float, y: FloatArray) -> bool:
        """Whether the forces of the closed points are, or can be shared, within their cones."""
        if len(self.phase.modes.index) == 0 or t < self.phase.unshared_until:
            return True
        return self.closed(t, y, share=True)[1].feasible

    def check_branches(self, start: float, y_old: FloatArray, y: FloatArray) -> None:
        """Raise `StepFailure` where a loop jumped to another branch in a step from the state y_old at `start` to y."""
        self._free.check_branches(start, y_old, y)

    def rate(self, t: float, y: FloatArray) -> FloatArray:
        """Rates with the forces of closed points; friction does work on the ground.

        Stages of a step that is much too long run away; no numbers make the integrator try a shorter one.
        """
        if not np.abs(y).max() < _LARGEST_ENTRY:
            return np.full(len(y), np.nan)
        rate = self._free_rate(t, y)
        if len(self.phase.modes.index) == 0:
            return rate
        touch, motion = self._constrained(y, rate, share=False)
        rate[self._free.v] = motion.vdot
        lost = -float(np.sum(motion.load * touch.velocity))
        for place in WORK_GROUND:
            rate[self._free.work.start + place] += lost
        return rate

    def _free_rate(self, t: float, y: FloatArray) -> FloatArray:
        """Rates without contact."""
        return self._free.rate(t, self.normalised(y))

    def _constrained(self, y: FloatArray, rate: FloatArray, *, share: bool) -> tuple[Touch, ClosedMotion]:
        modes, load = self.phase.modes, self.phase.load
        touch = self.touch(y, modes.index)
        Y, A = touch.response(self.model, self.configuration(y))
        return touch, closed_motion(touch, Y, A, self.velocity(rate), modes, share=share, last=load)

    def project(self, y: FloatArray) -> bool:
        """Bring closed points back onto the ground and stop them, in place; whether anything was moved."""
        modes = self.phase.modes
        if len(modes.index) == 0:
            return False
        moved = False
        for _ in range(_PROJECTIONS):
            q = self.configuration(y)
            touch = self.touch(y, modes.index)
            if np.abs(touch.gap).max() <= _PROJECTED:
                break
            moved = True
            Y, A = touch.response(self.model, q)
            step = -Y[:, ::3] @ np.linalg.lstsq(A[::3, ::3], touch.gap, rcond=1e-10)[0]
            y[self._free.q] = to_native(self.model, self.model.integrate(q, step, 1.0)[None])[0]
        keep = np.ones((touch.count, 3), dtype=bool)
        keep[~modes.stick, 1:] = False
        rows = np.flatnonzero(keep.ravel())
        u = touch.velocity.ravel()[rows]
        if np.abs(u).max() > _PROJECTED:
            moved = True
            Y, A = touch.response(self.model, q)
            impulse = -np.linalg.lstsq(A[np.ix_(rows, rows)], u, rcond=1e-10)[0]
            loss = -0.5 * float(impulse @ u)  # u+ = 0: the loss of an impact
            y[:] = self.after_impulse(y, Y[:, rows] @ impulse, loss)
        return moved

    # -- integrators ------------------------------------------------------------------------------------------------

    def solver(self, start: float, y: FloatArray, end: float, *, first: float | None, implicit: bool) -> Solver:
        """Order 8, or where joints are stiff and `implicit` allows it Radau's method; `first` is the first step [s]."""
        from scipy.integrate import DOP853, Radau

        options: dict[str, Any] = {
            "first_step": None if first is None else min(first, end - start),
            "rtol": self._robots.relative,
            "atol": self._robots.absolute,
        }
        if implicit and self._is_stiff(y):
            options["jac"] = self.trial.slope
        kind: Callable[..., Solver] = Radau if "jac" in options else DOP853
        return start_solver(lambda: kind(self.trial, start, y, end, **options), self.trial, start)

    def _is_stiff(self, y: FloatArray) -> bool:
        q = self.configuration(y)
        if self._robots.has_stops and np.any((q < self.model.q_min) | (q > self.model.q_max)):
            return True  # a joint is at its stop
        damping = gains(self.model, "kd", self._robots.law.kd)[0].max(axis=(0, 1)) + self._damping
        if not np.any(damping > 0.0):
            return False
        mobility = np.diagonal(solve_mass(self.model, q, np.eye(self.model.nv)))
        return bool(np.max(damping * mobility) > _STIFF_DECAY)
