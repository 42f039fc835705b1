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
    given_over_all_joints : bool
        Whether `whole` is the model that was given.
    """

    whole: Model
    led: Model
    given_over_all_joints: bool = False

    @cached_property
    def leaders(self) -> tuple[str, ...]:
        """Names of the joints that lead, those that are in no loop included."""
        joints = self.led.joints.values()
        return tuple(joint.name for joint in joints if joint.v_index.stop > joint.v_index.start)

    def in_loops(self, leaders: tuple[str, ...]) -> tuple[str, ...]:
        """Those of some joints that are in loops."""
        closures = [c for c in self.led.coordinates.closures if c.kind != "polynomial"]
        dofs = {k for closure in closures for k in closure.dofs}
        return tuple(name for name in leaders if self.whole.joints[name].v_index.start in dofs)

    def minimal(self, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Coordinates (nq,) and velocities (nv,) of the leading joints, from those of all joints."""
        q_led, v_led = np.zeros(self.led.nq), np.zeros(self.led.nv)
        for name in self.leaders:
            own, every = self.led.joints[name], self.whole.joints[name]
            q_led[own.q_index], v_led[own.v_index] = q[every.q_index], v[every.v_index]
        return q_led, v_led

    def all_joints(self, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Coordinates and velocities of all joints, shapes (..., nq) and (..., nv), from those of the leading ones."""
        positions = np.array(self.led.joint_positions(q))
        for name in self.leaders:  # to the last bit: quaternions are normalised on the way
            positions[..., self.whole.joints[name].q_index] = q[..., self.led.joints[name].q_index]
        return positions, np.einsum("...ij,...j->...i", self.slopes(q), v)

    def slopes(self, q: FloatArray) -> FloatArray:
        """G (..., all joints, leading joints) at coordinates (..., nq) of the leading ones."""
        return np.asarray(self.led.coupling_matrix(q))

    def better_leaders(self, q: FloatArray) -> tuple[str, ...]:
        """Joints that should lead at q (nq,): those that do, unless a follower is steep and others are better.

        The columns of G span the motions that the loops leave. The joints that lead best are those whose rows have the
        largest volume, chosen one after the other (QR with pivoting): a loop with one freedom is led by the joint that
        moves fastest, and no slope is above one.
        """
        G = self.slopes(q)
        if np.abs(G).max(initial=0.0) <= STEEP:
            return self.leaders
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

    def with_better_leaders(self, q: FloatArray, *, stops: bool) -> LedMechanism:
        """The same mechanism with other leaders where those that lead are near a dead point, else itself.

        Parameters
        ----------
        q : ndarray, shape (nq,)
            Coordinates of all joints.
        stops : bool
            A joint that leads has its stop where its loop ends. It must have given back what it holds, and the next one
            must not begin with something: leaders stay while one is pressed.
        """
        if stops and self._is_stopped(q):
            return self
        leaders = self.better_leaders(self.minimal(q, np.zeros(self.whole.nv))[0])
        if leaders == self.leaders:
            return self
        better = self.led_by(leaders, q)
        return self if stops and better._is_stopped(q) else better

    def _is_stopped(self, q: FloatArray) -> bool:
        """Whether a joint, by its own limits or as one that leads, is at a stop; q (nq,) of all joints."""
        own = self.minimal(q, np.zeros(self.whole.nv))[0]
        pairs = ((q, self.whole), (own, self.led))
        return any(bool(np.any((x < model.q_min) | (x > model.q_max))) for x, model in pairs)

    def led_by(self, leaders: tuple[str, ...], q: FloatArray) -> LedMechanism:
        """The same mechanism with other leaders, on the branch of the coordinates q of all joints."""
        told = replace(led_by(self.whole.description, self.in_loops(leaders)), reference=pose_of(self.whole, q))
        return replace(self, led=assemble(told, couplings="reduce"))

    def on_branch(self, q: FloatArray) -> LedMechanism:
        """The same mechanism on the branch of the coordinates q of all joints, with leaders that are chosen there."""
        told = replace(self.whole.description, reference=pose_of(self.whole, q))
        return replace(self, led=assemble(told, couplings="reduce"))

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
        raise ArgumentError(f"model {model.name!r} has no loops whose leaders could change; leave leaders out")
    if model.coupling_mode == "lock":
        raise ArgumentError(f"model {model.name!r} has couplings='lock'; expected 'reduce' or 'cut'")
    whole = model if model.coupling_mode == "cut" else assemble(model.description, couplings="cut")
    led = model if model.coupling_mode == "reduce" else assemble(model.description, couplings="reduce")
    if tuple(led.joints) != tuple(whole.joints) or led.joint_positions(led.reference).shape != (whole.nq,):
        raise LoopError(
            f"model {model.name!r} has joints that spin freely in its loops: leaders='change' is not for it"
        )
    return LedMechanism(whole, led, whole is model)
