"""Optimisation problems that know no robots: quadratic programs, hierarchies of tasks, contact cones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tarsus.lazy_names import lazy_names

if TYPE_CHECKING:
    from tarsus.optimization.batch import BatchSolution, solve_batch
    from tarsus.optimization.hierarchy import Hierarchy, HierarchySolution, Level
    from tarsus.optimization.qp import QP
    from tarsus.optimization.solution import Residuals, Solution
    from tarsus.optimization.task_recursions import baerlocher, nakamura, siciliano

_HOMES = {
    "BatchSolution": "batch",
    "Hierarchy": "hierarchy",
    "HierarchySolution": "hierarchy",
    "Level": "hierarchy",
    "QP": "qp",
    "Residuals": "solution",
    "Solution": "solution",
    "baerlocher": "task_recursions",
    "nakamura": "task_recursions",
    "siciliano": "task_recursions",
    "solve_batch": "batch",
}
__getattr__ = lazy_names(__name__, _HOMES)

__all__ = [
    "QP",
    "BatchSolution",
    "Hierarchy",
    "HierarchySolution",
    "Level",
    "Residuals",
    "Solution",
    "baerlocher",
    "nakamura",
    "siciliano",
    "solve_batch",
]
