"""Predictive inverse kinematics: redundancy resolved for a horizon ahead (Buschmann 2014, 5.6)."""

from tarsus.ik.predictive.costs import CollisionCost, Costs, LimitCost, PostureCost
from tarsus.ik.predictive.local import local
from tarsus.ik.predictive.motion import Motion, Plan
from tarsus.ik.predictive.optimize import optimize
from tarsus.ik.predictive.receding_horizon import PredictiveMotion, RecedingHorizon, follow
from tarsus.ik.predictive.task_path import TaskPath, task_path

__all__ = [
    "CollisionCost",
    "Costs",
    "LimitCost",
    "Motion",
    "Plan",
    "PostureCost",
    "PredictiveMotion",
    "RecedingHorizon",
    "TaskPath",
    "follow",
    "local",
    "optimize",
    "task_path",
]
