"""Defects of a mesh file, and the two checks that all formats share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt


class MeshProblem(NamedTuple):
    """A defect: short stable identifier of the rule, and one sentence."""

    rule: str
    message: str


class DefectiveMesh(Exception):
    """Ends the reading of a file; `problems` tells why."""

    def __init__(self, problems: Sequence[MeshProblem]) -> None:
        super().__init__("; ".join(problem.message for problem in problems))
        self.problems = list(problems)

    @classmethod
    def because(cls, rule: str, message: str) -> DefectiveMesh:
        """One problem."""
        return cls([MeshProblem(rule, message)])


def refuse(problems: Sequence[MeshProblem]) -> None:
    """Raise `DefectiveMesh` if there are problems."""
    if problems:
        raise DefectiveMesh(problems)


def not_finite(vertices: npt.NDArray[np.floating[Any]]) -> list[MeshProblem]:
    """Problem "mesh-nan" if a coordinate is NaN or infinite."""
    bad = ~np.isfinite(vertices)
    if not bad.any():
        return []
    first = int(np.flatnonzero(bad)[0]) // 3
    return [MeshProblem("mesh-nan", f"{int(bad.sum())} coordinates are not finite, first of vertex {first}")]


def bad_indices(indices: npt.NDArray[np.integer[Any]], least: int, most: int) -> list[MeshProblem]:
    """Problem "mesh-index" if an index is not in least..most."""
    if len(indices) == 0:
        return []
    low, high = int(indices.min()), int(indices.max())
    if low >= least and high <= most:
        return []
    return [MeshProblem("mesh-index", f"index {low if low < least else high} is not in {least}..{most}")]
