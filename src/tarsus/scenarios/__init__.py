"""Scenarios: what robots can do, from their model files alone, each with what it must show."""

# Not when they are first used: `run` and `stand` are functions of modules of the same names, which would hide them.
from tarsus.scenarios.monitor import Verdict
from tarsus.scenarios.robot import Robot
from tarsus.scenarios.run import Outcome, run
from tarsus.scenarios.scenario import Scenario
from tarsus.scenarios.stand import chest_push, stand

__all__ = ["Outcome", "Robot", "Scenario", "Verdict", "chest_push", "run", "stand"]
