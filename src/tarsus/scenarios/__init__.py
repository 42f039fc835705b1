"""Scenarios: what robots can do, from their model files alone, each with what it must show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tarsus.lazy_names import lazy_names

if TYPE_CHECKING:
    from tarsus.scenarios.monitor import Verdict
    from tarsus.scenarios.robot import Robot
    from tarsus.scenarios.run import Outcome, run
    from tarsus.scenarios.scenario import Scenario
    from tarsus.scenarios.stand import chest_push, stand

_HOMES = {
    "Outcome": "run",
    "Robot": "robot",
    "Scenario": "scenario",
    "Verdict": "monitor",
    "chest_push": "stand",
    "run": "run",
    "stand": "stand",
}
"""Modules of the public names."""

__getattr__ = lazy_names(__name__, _HOMES)

__all__ = ["Outcome", "Robot", "Scenario", "Verdict", "chest_push", "run", "stand"]


def __dir__() -> list[str]:
    return sorted(__all__)
