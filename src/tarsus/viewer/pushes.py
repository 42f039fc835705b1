"""Pushes of a recorded run, as arrows that point at the robot."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import tarsus
from tarsus.arrays import FloatArray
from tarsus.model.model import Model
from tarsus.recording.recorded_pushes import RecordedPush
from tarsus.viewer.parts import Part

_LONGEST_ARROW = 0.35
"""Length of the longest arrow as part of the robot's extent."""


def push_segments(
    model: Model, time: FloatArray, q: FloatArray, pushes: Sequence[RecordedPush], parts: Sequence[Part], extent: float
) -> FloatArray:
    """Tails and tips of arrows (N, pushes, 2, 3) at the samples, world [m]; of no length where nothing pushes.

    A tip is where the push enters the body, in the line of its force through the origin of its frame.
    """
    segments = np.zeros((len(time), len(pushes), 2, 3))
    largest = max((float(np.linalg.norm(push.force)) for push in pushes), default=0.0)
    for k, push in enumerate(pushes):
        strength = float(np.linalg.norm(push.force))
        acts = (push.start <= time) & (time < push.end)
        if strength == 0.0 or not acts.any():
            continue
        direction = push.force / strength
        X_WF = np.asarray(tarsus.frame_pose(model, q[acts], push.frame))
        inside = _depth_of(model, q[acts][0], push.frame, direction, parts)
        tip = X_WF[:, :3, 3] - inside * direction
        segments[acts, k, 1] = tip
        segments[acts, k, 0] = tip - _LONGEST_ARROW * extent * strength / largest * direction
    return segments


def _depth_of(model: Model, q: FloatArray, frame: str, direction: FloatArray, parts: Sequence[Part]) -> float:
    """How far its body reaches from a frame's origin against a direction [m]."""
    body = model.bodies[model.frames[frame].body].index
    X_WB = np.asarray(tarsus.body_poses(model, q))[body]
    p_WF = np.asarray(tarsus.frame_pose(model, q, frame))[:3, 3]
    reach = [
        (p_WF - part.mesh.vertices @ X_WB[:3, :3].T - X_WB[:3, 3]) @ direction for part in parts if part.body == body
    ]
    return max(0.0, *(float(part.max(initial=0.0)) for part in reach)) if reach else 0.0
