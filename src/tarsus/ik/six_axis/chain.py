"""The six hinges that move a frame, as a model has them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tarsus.arrays import FloatArray, IndexArray
from tarsus.dynamics import frame_pose, jacobian
from tarsus.errors import ArgumentError, UnknownNameError, nearest
from tarsus.ik.six_axis.loop import Loop, cross, product
from tarsus.model import Model
from tarsus.model.joint import HINGES, Joint
from tarsus.spatial import inverse_pose

TRIAL = 0.3
"""Turns [rad] with which it is checked that the hinges move the frame as turns about fixed axes do."""
EQUAL = 1e-9
"""Share of the arm's size, and angle [rad], by which both may differ."""


@dataclass(frozen=True, slots=True, eq=False)
class Chain:
    """Six hinges in a row and where they are.

    Attributes
    ----------
    q0 : ndarray, shape (nq,)
        The configuration at which axes are told; all other coordinates keep it.
    q_index : ndarray of int, shape (6,)
        Where the hinges are in q.
    names : tuple of str
    w, o : ndarray, shape (6, 3)
        Directions of the axes at q0, and the points of them that are nearest to `center`; lengths from there, as shares
        of `size`.
    X0 : ndarray, shape (4, 4)
        Pose of the frame at q0.
    center : ndarray, shape (3,)
        Where the frame is at q0 [m].
    size : float
        Distance of the farthest axis from there [m].
    """

    model: Model
    frame: str
    q0: FloatArray
    q_index: IndexArray
    names: tuple[str, ...]
    w: FloatArray
    o: FloatArray
    X0: FloatArray
    center: FloatArray
    size: float

    def loop(self, poses: FloatArray) -> Loop:
        """Turns from q0 that bring the frame to poses (n, 4, 4)."""
        G = poses @ inverse_pose(self.X0)
        G[:, :3, 3] = (G[:, :3, 3] + (G[:, :3, :3] @ self.center) - self.center) / self.size
        shape = (len(poses), 6, 3)
        return Loop(np.broadcast_to(self.w, shape), np.broadcast_to(self.o, shape), G)


def chain_of(model: Model, frame: str, q0: FloatArray, joints: Sequence[str] | None) -> Chain:
    """The hinges that move a frame, all of those between it and the base, or those that are named."""
    if frame not in model.frames:
        raise UnknownNameError(f"frame {frame!r} not found{nearest(frame, model.frames)}")
    between = _between(model, frame)
    chosen = _chosen(model, frame, between, joints)
    v_index = np.array([joint.v_index.start for joint in chosen], dtype=np.intp)
    J = jacobian(model, q0, frame, expressed_in="world_origin")[:, v_index]
    X0 = frame_pose(model, q0, frame)
    center = X0[:3, 3].copy()
    v, w = J[:3].T, J[3:].T
    lengths = np.linalg.norm(w, axis=-1)
    if (np.abs(lengths - 1) > EQUAL).any():
        raise ArgumentError(_not_serial(model, frame, chosen))
    o = cross(w, v + cross(w, center))  # nearest to the centre, from where the linear part is v + w x center
    size = float(np.linalg.norm(o, axis=-1).max()) or 1.0
    q_index = np.array([joint.q_index.start for joint in chosen], dtype=np.intp)
    names = tuple(joint.name for joint in chosen)
    chain = Chain(model, frame, q0, q_index, names, w, o / size, X0, center, size)
    _check(chain, chosen)
    return chain


def _between(model: Model, frame: str) -> list[Joint]:
    """Joints that move a frame, from the base to it, without the base's own."""
    carries = {joint.child: joint for joint in model.joints.values()}
    body = model.frames[frame].body
    path: list[Joint] = []
    while body in carries and carries[body].name != "base":
        path.append(carries[body])
        body = carries[body].parent
    return [joint for joint in reversed(path) if joint.kind != "fixed"]


def _chosen(model: Model, frame: str, between: list[Joint], names: Sequence[str] | None) -> list[Joint]:
    if names is None:
        chosen = between
        if len(chosen) != 6 or not all(_is_hinge(joint) for joint in chosen):
            told = ", ".join(f"{joint.name!r} ({joint.kind})" for joint in chosen) or "none"
            raise ArgumentError(
                f"frame {frame!r} of {model.name!r} is moved by {len(chosen)} joints: {told}; expected six hinges, or "
                "the names of six as joints=, while the others keep their place"
            )
        return chosen
    if isinstance(names, str) or not isinstance(names, Sequence) or len(set(names)) != 6 or len(names) != 6:
        raise ArgumentError(f"joints is {names!r}; expected the names of six different hinges")
    for name in names:
        if name not in model.joints:
            raise UnknownNameError(f"joint {name!r} not found{nearest(name, model.joints)}")
    found = [joint for joint in between if joint.name in set(names) and _is_hinge(joint)]
    if len(found) != 6:
        wrong = sorted(set(names) - {joint.name for joint in found})
        raise ArgumentError(f"joints {wrong} are no hinges that move frame {frame!r}, or depend on other joints")
    return found


def _is_hinge(joint: Joint) -> bool:
    return joint.kind in HINGES and joint.q_index.stop - joint.q_index.start == 1


def _check(chain: Chain, chosen: list[Joint]) -> None:
    """Whether turns about the axes move the frame as the model does: couplings and loops may do otherwise."""
    t = TRIAL * np.array([[1.0, -0.7, 0.4, 0.9, -0.5, 0.8], [-0.6, 0.3, 1.0, -0.8, 0.7, -0.4]])
    q = np.tile(chain.q0, (2, 1))
    q[:, chain.q_index] += t
    wanted = chain.loop(frame_pose(chain.model, q, chain.frame))
    if np.abs(product(wanted, t) - wanted.G).max() > EQUAL:
        raise ArgumentError(_not_serial(chain.model, chain.frame, chosen))


def _not_serial(model: Model, frame: str, chosen: list[Joint]) -> str:
    told = ", ".join(repr(joint.name) for joint in chosen)
    return (
        f"frame {frame!r} of {model.name!r} is moved by more than turns of {told}, which couplings or loops bind to "
        "other joints; expected six hinges in a row"
    )
