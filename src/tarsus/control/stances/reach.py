"""How far apart two frames of a robot can be."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.errors import UnknownNameError, nearest
from tarsus.model import Model


def reach(model: Model, first: str, second: str) -> float:
    """A distance that two frames never exceed, whatever the posture [m].

    The sum of lengths between the joints from one to the other; infinite where one of these joints slides.
    """
    for name in (first, second):
        if name not in model.frames:
            raise UnknownNameError(f"frame {name!r} not found{nearest(name, model.frames)}")
    above = _ancestors(model, model.frames[second].body)
    common = next(body for body in _ancestors(model, model.frames[first].body) if body in above)
    one, there = _length_to(model, first, common)
    other, here = _length_to(model, second, common)
    return one + other + float(np.linalg.norm(there - here))


def _ancestors(model: Model, body: str) -> list[str]:
    """A body and those that carry it, up to the root."""
    found = [body]
    while (parent := model.bodies[found[-1]].parent) is not None:
        found.append(parent)
    return found


def _length_to(model: Model, frame: str, body: str) -> tuple[float, FloatArray]:
    """Length from a frame to the joint of a body by which it is carried, and the place of that joint in the body."""
    length, place, at = 0.0, np.asarray(model.frames[frame].pose)[:3, 3], model.frames[frame].body
    while at != body:
        joint, parent = model.joints[model.bodies[at].joint], model.bodies[at].parent
        assert parent is not None
        X = np.asarray(joint.child_pose)  # the joint turns the body about the origin of J
        length += float(np.linalg.norm(X[:3, :3] @ place + X[:3, 3])) if not any(joint.traits.slides) else np.inf
        place, at = np.asarray(joint.pose)[:3, 3], parent
    return length, place
