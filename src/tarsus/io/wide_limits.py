"""Limits of joints that are written in place of none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tarsus.errors import Problem
from tarsus.model.description import Description, JointSpec

WIDEST = 1e6
"""Position limits beyond this [rad, m] are read as none: at 1e16 rad neighbouring numbers are a radian apart."""


def without_wide_limits(description: Description) -> tuple[Description, tuple[Problem, ...]]:
    """The description with joints unlimited where a limit is beyond `WIDEST`, and a warning for each of these."""
    joints, told = [], []
    for joint in description.joints:
        narrow = replace(joint, q_min=_opened(joint.q_min, -1.0), q_max=_opened(joint.q_max, 1.0))
        changed = [
            f"{value:g}"
            for old, new in ((joint.q_min, narrow.q_min), (joint.q_max, narrow.q_max))
            for value, kept in zip(np.ravel(old), np.ravel(new), strict=True)
            if value != kept
        ]
        joints.append(narrow if changed else joint)
        if changed:
            told.append(_problem(joint, ", ".join(changed)))
    return (replace(description, joints=tuple(joints)) if told else description), tuple(told)


def _opened(limit: float | tuple[float, ...], side: float) -> float | tuple[float, ...]:
    """Infinite where it is beyond `WIDEST` on its side."""
    values = [side * np.inf if side * value > WIDEST else float(value) for value in np.ravel(limit)]
    return tuple(values) if isinstance(limit, tuple) else values[0]


def _problem(joint: JointSpec, value: str) -> Problem:
    message = f"limits of joint {joint.name!r} ({value}) are beyond {WIDEST:g} and read as none"
    return Problem("warning", "wide-limits", message, f"joint {joint.name!r}", value, joint.source.file,
                   joint.source.line)  # fmt: skip
