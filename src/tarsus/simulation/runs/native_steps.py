"""Steps of the native integrators, of one robot or of many at once."""

from __future__ import annotations

from typing import Any, final

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

    @property
    def chunk(self) -> int | None:
        """Steps from sample to sample where they are adaptive: they end with a stretch."""
        return self._robots.every if self._adaptive else None

    @property
    def ended(self) -> bool:
        """Never: nothing ends such a run early."""
        return False

    def start(self) -> list[Samples]:
        """Begin the energy audit; nothing happens at once."""
        self._robots.begin_audit()
        return []

    def integrate(self, stretch: Stretch) -> None:
        """Take the steps of a stretch.

        Where a robot fails, all robots are brought to the step before, and the samples until then are kept.
        """
        robots, steps = self._robots, stretch.steps
        before = robots.state.copy()
        failure: StepFailure | None = None
        while failure is None or steps > 0:
            try:
                samples = robots.take_steps(steps)
            except StepFailure as error:
                robots.state.assign(before)
                failure, steps = error, min(int(error.time / robots.dt + _WHOLE) - robots.step, steps - 1)
                continue
            if samples is not None:
                stretch.found.append(samples)
            break
        if failure is not None:
            robots.step += max(steps, 0)
            raise failure

    def completed(self, samples: Samples) -> Samples:
        """The sample as it is."""
        return samples

    def take_events(self) -> list[dict[str, Any]]:
        """There are none."""
        return []
