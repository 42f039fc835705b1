"""Rates of one robot's state by the native core, for integrators that are not part of it."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.model.lowering import quaternion_starts, to_user
from tarsus.recording.samples import Samples
from tarsus.simulation.audit import WORKS
from tarsus.simulation.runs.contact_state import ContactState
from tarsus.simulation.runs.robots import INTEGRATORS, Robots
from tarsus.simulation.runs.state import State
from tarsus.simulation.runs.step_failure import STATUS, StepFailure
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
    """

    def __init__(self, robots: Robots, world: World) -> None:
        self.robots, self.world = robots, world
        nq, nv, nz = robots.state.q.shape[1], robots.model.nv, 3 * len(world.names)
        self.q, self.v = slice(0, nq), slice(nq, nq + nv)
        self.contact, self.work = slice(nq + nv, nq + nv + nz), slice(nq + nv + nz, nq + nv + nz + WORKS)
        self._rate = np.empty((1, self.work.stop))
        self._scratch = State(np.empty((1, nq)), np.empty((1, nv)), ContactState.at_rest(1, len(world.names)),
                              np.empty((1, WORKS)), robots.state.step_size)  # fmt: skip
        self._quaternions = [slice(i, i + 4) for i in quaternion_starts(robots.model)]

    # -- states -----------------------------------------------------------------------------------------------------

    def present(self) -> FloatArray:
        """Y of the present state of the robot."""
        return self._vector(self.robots.state)

    def set_present(self, y: FloatArray) -> None:
        """Make y, with normalised quaternions, the present state of the robot."""
        self._put(self.normalised(y), self.robots.state)

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
        """The sample of a state y at a time [s]."""
        state = self.robots.state.copy()
        self._put(self.normalised(y), state)
        return self.robots.sample(time, state)

    def _vector(self, state: State) -> FloatArray:
        # In a world without contacts there are no displacements.
        contact = state.contact.displacement[0, : self.contact.stop - self.contact.start]
        return np.concatenate([state.q[0], state.v[0], contact, state.work[0]])

    def _put(self, y: FloatArray, state: State) -> None:
        state.q[0], state.v[0], state.work[0] = y[self.q], y[self.v], y[self.work]
        state.contact.displacement[0, : self.contact.stop - self.contact.start] = y[self.contact]

    # -- motion -----------------------------------------------------------------------------------------------------

    def rate(self, t: float, y: FloatArray) -> FloatArray:
        """Rate of y at time t, shape (n,)."""
        self._put(y, self._scratch)
        self._call("semi-implicit-euler", t, t, out_rate=self._rate)  # rates are those of no integrator
        return np.array(self._rate[0], dtype=float)

    def reach(self, start: float, y: FloatArray, end: float) -> FloatArray:
        """The state at `end` by the native integrator of Dormand and Prince."""
        self._put(y, self._scratch)
        self._call("dormand-prince", start, end)
        return self._vector(self._scratch)

    def _call(self, integrator: str, start: float, end: float, **outputs: Any) -> None:
        status, robot, *_ = self.robots.call(
            self.world, self._scratch, INTEGRATORS[integrator], 1, start=start, end=end, **outputs
        )
        if status != STATUS["ok"]:
            raise StepFailure(status, robot, end)
