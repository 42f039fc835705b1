"""Pieces of plans, cut and joined: a walk that is planned while it is walked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tarsus.walking.reference.foot_paths import FootPaths
from tarsus.walking.reference.walk_plan import WalkPlan

FIELDS = ("com", "divergent", "pressure", "pressure_error", "lead", "q", "v", "tau")
"""Of `WalkPlan`, with a row for each knot."""


def piece(plan: WalkPlan, start: int, stop: int) -> WalkPlan:
    """Knots of a plan from `start` to before `stop`; beyond its end the last one is held."""
    rows = np.clip(np.arange(start, stop), 0, len(plan.times) - 1)
    times = plan.times[0] + plan.dt * np.arange(start, stop)
    fields: dict[str, Any] = {name: getattr(plan, name)[rows] for name in FIELDS}
    feet: Any = [values[rows] for values in plan.feet]
    return replace(plan, times=times, feet=FootPaths(*feet), **fields)


def joined(pieces: Sequence[WalkPlan]) -> WalkPlan:
    """Pieces that follow each other; footsteps and phases are those of the last one, which knows all."""
    fields: dict[str, Any] = {
        name: np.concatenate([getattr(part, name) for part in pieces]) for name in ("times", *FIELDS)
    }
    feet: Any = [np.concatenate(values) for values in zip(*(part.feet for part in pieces), strict=True)]
    return replace(pieces[-1], feet=FootPaths(*feet), **fields)
