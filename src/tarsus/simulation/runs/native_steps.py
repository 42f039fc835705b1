"""Steps of the native integrators, of one robot or of many at once."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from tarsus.recording.samples import Samples
from tarsus.simulation.runs.integration import Integration
from tarsus.simulation.runs.robots import CHOOSING_STEPS, Robots
from tarsus.simulation.runs.step_failure import StepFailure
from tarsus.simulation.runs.stretch import Stretch

_WHOLE = 1e-6
"""Part of a step that rounding of a time may take from a whole number of them."""


@final
class NativeSteps(Integration):
    """Integrators of the native core: fixed steps, and Dormand and Prince's method with adaptive ones."""

    def __init__(self, robots: Robots, integrator: str) -> None:
        self._robots = robots
        self._adaptive = integrator in CHOOSING_STEPS
        self._knows_forces = integrator == "semi-implicit-euler"  # those of its steps; others, those of states

    @property
    def chunk(self) -> int | None:
        """Steps from sample to sample where they are adaptive: they end with a stretch."""
        return self._robots.every if self._adaptive else None

    @property
    def ended(self) -> bool:
        """Never: nothing ends such a run early."""
        return False

    def start(self) -> list[Samples]:
        """Begin the energy audit; where the ground has forces in steps only, the start has those of the first step."""
        robots = self._robots
        robots.begin_audit()
        if not robots.world.solves_impulses:
            return []
        try:
            tried = self._tried()
        except StepFailure:  # the first step will tell
            return []
        start = robots.sample(robots.time)
        acts = np.any(tried.contact_force != 0.0, axis=-1, keepdims=True)
        position = np.where(acts, tried.contact_position, start.contact_position)
        return [start._replace(contact_force=tried.contact_force, contact_position=position)]

    def integrate(self, stretch: Stretch) -> None:
        """Take the steps of a stretch.

        Where a robot fails, all robots are brought to the step before, and the samples until then are kept.
        """
        robots, steps = self._robots, stretch.steps
        before = None if robots.single and not self._adaptive else robots.state.copy()  # one robot stays where it fails
        failure: StepFailure | None = None
        while failure is None or steps > 0:
            try:
                samples = robots.take_steps(steps)
            except StepFailure as error:
                if before is not None:
                    robots.state.assign(before)
                failure, steps = error, min(int(error.time / robots.dt + _WHOLE) - robots.step, steps - 1)
                continue
            except BaseException:  # Ctrl-C: what the state has become is of no use
                if before is not None:
                    robots.state.assign(before)
                raise
            if samples is not None:
                stretch.found.append(samples)
            break
        if failure is not None:
            robots.step += max(steps, 0)
            raise failure

    def completed(self, samples: Samples) -> Samples:
        """The sample as it is."""
        return samples

    def acted(self) -> Samples:
        """The forces of the last step, or of the first one, on trial, where the ground has none before."""
        robots = self._robots
        if robots.step == 0:
            return self._tried() if robots.world.solves_impulses else robots.sample(robots.time)
        if not self._knows_forces:
            return robots.sample(robots.time)
        samples = robots.sample(robots.time, forces="acted")
        return samples._replace(tau=robots.state.tau.reshape(samples.tau.shape).copy())

    def _tried(self) -> Samples:
        """The state after a step from the present one, which stays."""
        state = self._robots.state.copy()
        self._robots.try_step(state)
        return self._robots.sample(self._robots.time, state, forces="acted")

    def go_on_from(self, other: Integration) -> None:
        """There is nothing: all is in the state."""

    def take_events(self) -> list[dict[str, Any]]:
        """There are none."""
        return []
