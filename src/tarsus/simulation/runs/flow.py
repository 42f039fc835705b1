"""Rates of one robot's state by the native core, for integrators that are not part of it."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.model.lowering import quaternion_starts, to_user
from tarsus.recording.samples import Samples
from tarsus.simulation.audit import WORKS, take_works
from tarsus.simulation.runs.branches import follows_from_reference, other_branch
from tarsus.simulation.runs.contact_state import ContactState
from tarsus.simulation.runs.loop_failure import step_failure
from tarsus.simulation.runs.robots import INTEGRATORS, Robots
from tarsus.simulation.runs.state import State
from tarsus.simulation.runs.step_failure import STATUS
from tarsus.simulation.runs.trial_rates import TrialRates
from tarsus.simulation.world import World


@final
class Flow:
    """y' = f(t, y) of one robot, for y = (q, v, contact states, work).

    The right-hand side is native: q' from v, v' from the articulated-body algorithm with contact forces, rates of the
    contact states, powers. Stages of an integrator leave quaternions a little: they are normalised wherever a state is
    handed on.

    Parameters
    ----------
    robots : Robots
        One robot. Its law and the wrenches on its bodies are those of the flow; its state is not touched, except for
        the step size of `reach`.
    world : World
        What is touched: that of the robot, or one without contacts, whose y has no contact states.

    Attributes
    ----------
    q, v, contact, work : slice
        Parts of y.
    trial : TrialRates
        `rate` for integrators that try steps.
    """

    def __init__(self, robots: Robots, world: World) -> None:
        self.robots, self.world = robots, world
        nq, nv, nz = robots.state.q.shape[1], robots.model.nv, 3 * world.count
        self.q, self.v = slice(0, nq), slice(nq, nq + nv)
        # The work of constraints comes last and is left out where there are none: steps follow the mean error of y.
        self._works = WORKS if robots.constraints is not None else WORKS - 1
        self.contact, self.work = slice(nq + nv, nq + nv + nz), slice(nq + nv + nz, nq + nv + nz + self._works)
        self.trial = TrialRates(self.rate, self.work.start)
        self._work: FloatArray | None = None  # of the last sample
        self._follows = follows_from_reference(robots.model)
        self._rate = np.empty((1, self.work.start + WORKS))
        self._scratch = State(np.empty((1, nq)), np.empty((1, nv)), ContactState.at_rest(1, world.count),
                              np.zeros((1, WORKS)), robots.state.step_size, np.empty((1, nv)),
                              np.empty_like(robots.state.constraint_force))  # fmt: skip
        self._quaternions = [slice(i, i + 4) for i in quaternion_starts(robots.model)]

    # -- states -----------------------------------------------------------------------------------------------------

    def present(self) -> FloatArray:
        """Y of the present state of the robot."""
        return self._vector(self.robots.state)

    def set_present(self, y: FloatArray) -> None:
        """Make y, with normalised quaternions, the present state of the robot."""
        self._keep(y, self.robots.state)

    def normalised(self, y: FloatArray) -> FloatArray:
        """Y with unit quaternions, in an array of its own."""
        y = np.array(y)
        for place in self._quaternions:
            y[place] /= np.linalg.norm(y[place])
        return y

    def configuration(self, y: FloatArray) -> FloatArray:
        """Configuration in the user's layout, shape (nq,)."""
        return np.asarray(to_user(self.robots.model, self.normalised(y)[None, self.q])[0])

    def velocity(self, y: FloatArray) -> FloatArray:
        """Velocity, shape (nv,); a view of y."""
        return y[self.v]

    def sample(self, time: float, y: FloatArray) -> Samples:
        """The sample of a state y at a time [s] that comes after those of the samples before."""
        state = self.robots.state.copy()
        self._keep(y, state)
        return self.robots.sample(time, state)

    def _vector(self, state: State) -> FloatArray:
        # In a world without contacts there are no displacements.
        contact = state.contact.displacement[0, : self.contact.stop - self.contact.start]
        return np.concatenate([state.q[0], state.v[0], contact, state.work[0, : self._works]])

    def _keep(self, y: FloatArray, state: State) -> None:
        """Make y, with normalised quaternions and with works that go on from the last ones, a state of the robot."""
        last = self.robots.state.work[0] if self._work is None else np.maximum(self._work, self.robots.state.work[0])
        self._put(self.normalised(y), state)
        self._work = state.work[0] = take_works(state.work[0], last)

    def _put(self, y: FloatArray, state: State) -> None:
        state.q[0], state.v[0], state.work[0, : self._works] = y[self.q], y[self.v], y[self.work]
        state.contact.displacement[0, : self.contact.stop - self.contact.start] = y[self.contact]

    # -- motion -----------------------------------------------------------------------------------------------------

    def rate(self, t: float, y: FloatArray) -> FloatArray:
        """Rate of y at time t, shape (n,).

        Raises
        ------
        StepFailure
            Where a loop cannot be closed.
        """
        self._put(y, self._scratch)
        self._call("semi-implicit-euler", t, t, out_rate=self._rate)  # rates are those of no integrator
        return np.array(self._rate[0, : self.work.stop], dtype=float)

    def check_branches(self, start: float, y_old: FloatArray, y: FloatArray) -> None:
        """Raise `StepFailure` where a loop jumped to another branch in a step from the state y_old at `start` to y."""
        if not self._follows:
            return
        model = self.robots.model
        closure = other_branch(model, self.configuration(y_old), self.configuration(y))
        if closure is not None:
            raise step_failure(model, STATUS["loop-jumped"], 0, start, closure)

    def reach(self, start: float, y: FloatArray, end: float) -> FloatArray:
        """The state at `end` by the native integrator of Dormand and Prince."""
        self._put(y, self._scratch)
        self._call("dormand-prince", start, end)
        return self._vector(self._scratch)

    def _call(self, integrator: str, start: float, end: float, **outputs: Any) -> None:
        self.robots.call(self.world, self._scratch, INTEGRATORS[integrator], start=start, end=end, **outputs)
