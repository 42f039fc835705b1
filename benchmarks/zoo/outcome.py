"""What became of one robot let go once, and what is asked of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

MAX_GAIN = 0.005
"""Energy that may come from nothing, as a share of the energy of the fall."""
MAX_PENETRATION = 0.03
"""[m]."""
REAL_TIME = 1.0
"""CPU seconds for a second of motion."""


@dataclass(frozen=True)
class Outcome:
    """One robot, one start.

    Attributes
    ----------
    robot, drive, simulator : str
    seed : int
    failure : str
        Why the run ended early; empty where it did not.
    gain : float or None
        Largest energy from nothing since the start, as a share of the energy of the fall: kinetic, potential and stored
        energy of a limp robot, what the integrator added for a held one. None where the simulator does not tell.
    rise : float or None
        Largest rise of that energy above what it was before, as the same share: part of it may make up for losses.
    penetration : float
        Largest depth below the ground [m].
    cpu : float or None
        CPU time for a second of motion [s].
    """

    robot: str
    drive: str
    simulator: str
    seed: int
    failure: str
    gain: float | None
    rise: float | None
    penetration: float
    cpu: float | None = None

    @property
    def complaints(self) -> list[str]:
        """What it misses; time is not judged."""
        who = f"{self.robot}, {self.drive}, seed {self.seed}"
        found = []
        if self.failure:
            found.append(f"{who}: failed: {self.failure}")
        if self.gain is not None and not self.gain <= MAX_GAIN:
            found.append(f"{who}: gained {100 * self.gain:.3g} % of the energy of the fall")
        if not self.penetration <= MAX_PENETRATION:
            found.append(f"{who}: {1e3 * self.penetration:.3g} mm below the ground")
        return found


@dataclass(frozen=True)
class Summary:
    """All starts of one robot in one simulator; the worst of each quantity, and the mean of the times."""

    robot: str
    drive: str
    simulator: str
    seeds: int
    failures: int
    gain: float | None
    rise: float | None
    penetration: float
    cpu: float | None
    slowest: float | None

    @property
    def good(self) -> bool:
        """Whether nothing is missed."""
        on_time = self.slowest is None or self.slowest <= REAL_TIME
        sound = self.gain is None or self.gain <= MAX_GAIN
        return self.failures == 0 and sound and self.penetration <= MAX_PENETRATION and on_time


def summarised(outcomes: Sequence[Outcome]) -> Summary:
    """Summary of the starts of one robot."""
    first = outcomes[0]
    times = [outcome.cpu for outcome in outcomes if outcome.cpu is not None]
    return Summary(
        first.robot,
        first.drive,
        first.simulator,
        seeds=len(outcomes),
        failures=sum(bool(outcome.failure) for outcome in outcomes),
        gain=_worst([outcome.gain for outcome in outcomes]),
        rise=_worst([outcome.rise for outcome in outcomes]),
        penetration=float(np.max([outcome.penetration for outcome in outcomes])),
        cpu=float(np.mean(times)) if times else None,
        slowest=max(times, default=None),
    )


def _worst(values: Sequence[float | None]) -> float | None:
    told = [value for value in values if value is not None]
    return float(np.max(told)) if told else None
