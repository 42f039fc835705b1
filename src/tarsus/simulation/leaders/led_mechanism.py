"""One mechanism with loops, led by some of its joints, and by others after a change."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.linalg import qr

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, LoopError
from tarsus.model.assembly import assemble
from tarsus.model.loops.given import led_by
from tarsus.model.model import Model
from tarsus.model.poses import pose_of

STEEP = 3.0
"""Largest slope of a follower, beside that with the best leaders, from which on others lead."""
_OPEN = 1e-6
"""By how much coordinates may miss those that close the loops [rad or m], and rates [rad/s or m/s]."""


@dataclass(frozen=True)
class LedMechanism:
    """A mechanism over all its joints, and the same over those that lead it.

    Attributes
    ----------
    whole : Model
        All joints of the spanning tree as coordinates (``couplings="cut"``).
    led : Model
        Minimal coordinates.
    """

    whole: Model
    led: Model

    @cached_property
    def leaders(self) -> tuple[str, ...]:
        """Names of the joints that lead."""
        joints = self.led.joints.values()
        return tuple(joint.name for joint in joints if joint.v_index.stop > joint.v_index.start)

    def minimal(self, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Coordinates (nq,) and velocities (nv,) of the leading joints, from those of all joints."""
        q_led, v_led = np.zeros(self.led.nq), np.zeros(self.led.nv)
        for name in self.leaders:
            own, every = self.led.joints[name], self.whole.joints[name]
            q_led[own.q_index], v_led[own.v_index] = q[every.q_index], v[every.v_index]
        return q_led, v_led

    def all_joints(self, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Coordinates and velocities of all joints, from those of the leading ones."""
        return self.led.joint_positions(q), self.slopes(q) @ v

    def slopes(self, q: FloatArray) -> FloatArray:
        """G (all joints, leading joints) at coordinates (nq,) of the leading ones."""
        return np.asarray(self.led.coupling_matrix(q))

    def better_leaders(self, q: FloatArray) -> tuple[str, ...]:
        """Joints that should lead at q (nq,): those that do, unless a follower is steep and others are better.

        The columns of G span the motions that the loops leave. The joints that lead best are those whose rows have the
        largest volume, chosen one after the other (QR with pivoting): a loop with one freedom is led by the joint that
        moves fastest, and no slope is above one.
        """
        G = self.slopes(q)
        chosen = {name: None for name in self.leaders}
        one_axis = {joint.v_index.start: joint for joint in self.whole.joints.values() if joint.traits.one_axis}
        column = {int(np.argmax(G[row])): row for row in self._leading_rows()}
        for closure in self.led.coordinates.closures:
            if closure.kind not in ("loop", "four-bar"):
                continue
            now = list(closure.dofs[closure.dependents :])
            rows = [k for k in closure.dofs if k in one_axis]
            columns = [c for c, row in column.items() if row in now]
            if not set(now) <= set(rows):
                continue
            block = G[np.ix_(rows, columns)]
            _, _, order = qr(block.T, mode="economic", pivoting=True)
            best = [rows[k] for k in order[: len(columns)]]
            smallest = np.abs(block @ np.linalg.inv(G[np.ix_(best, columns)])).max()
            if np.abs(block).max() > STEEP * max(smallest, 1.0):
                for k in now:
                    del chosen[one_axis[k].name]
                chosen |= {one_axis[k].name: None for k in best}
        return tuple(chosen)

    def _leading_rows(self) -> list[int]:
        """Velocities of the tree that are independent, in the order of the columns of G."""
        return [
            k
            for name in self.leaders
            for k in range(self.whole.joints[name].v_index.start, self.whole.joints[name].v_index.stop)
        ]

    def led_by(self, leaders: tuple[str, ...], q: FloatArray) -> LedMechanism:
        """The same mechanism with other leaders, on the branch of the coordinates q of all joints."""
        description = self.whole.description
        in_loops = [name for name in leaders if name in {joint.name for joint in description.joints}]
        told = replace(led_by(description, in_loops), reference=pose_of(self.whole, q))
        return LedMechanism(self.whole, assemble(told, couplings="reduce"))

    def on_branch(self, q: FloatArray) -> LedMechanism:
        """The same mechanism on the branch of the coordinates q of all joints, with leaders that are chosen there."""
        told = replace(self.whole.description, reference=pose_of(self.whole, q))
        return LedMechanism(self.whole, assemble(told, couplings="reduce"))

    def require_closed(self, q: FloatArray, v: FloatArray) -> None:
        """Refuse coordinates or velocities of all joints that the loops do not allow."""
        closed, rates = self.all_joints(*self.minimal(q, v))
        for name, given, found in (("q0", q, closed), ("v0", v, rates)):
            off = float(np.abs(given - found).max(initial=0.0))
            if off > _OPEN * max(1.0, float(np.abs(given).max(initial=0.0))):
                raise ArgumentError(
                    f"{name} does not close the loops: a joint is {off:.3g} off; ts.project_position and "
                    "ts.project_velocity bring it to them"
                )


def mechanism_of(model: Model) -> LedMechanism:
    """A model with loops, given over all joints or over those that lead, with the leaders that are chosen for it."""
    if not any(loop.kind != "polynomial" for loop in model.description.loops):
        raise ArgumentError(f"model {model.name!r} has no loops that joints lead; ts.simulate is for it")
    if model.coupling_mode == "lock":
        raise ArgumentError(f"model {model.name!r} has couplings='lock'; expected 'reduce' or 'cut'")
    whole = model if model.coupling_mode == "cut" else assemble(model.description, couplings="cut")
    led = model if model.coupling_mode == "reduce" else assemble(model.description, couplings="reduce")
    if tuple(led.joints) != tuple(whole.joints) or led.joint_positions(led.reference).shape != (whole.nq,):
        raise LoopError(
            f"model {model.name!r} has joints that spin freely in its loops, for which leaders cannot change"
        )
    return LedMechanism(whole, led)
