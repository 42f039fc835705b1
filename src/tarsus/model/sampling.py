"""Random configurations in which all loops are closed, and what follows in them is inside its limits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tarsus.arrays import FloatArray, IntArray
from tarsus.errors import LoopError
from tarsus.model import lowering
from tarsus.model.joint import Joint
from tarsus.model.loops.closure import Closure
from tarsus.spatial.quaternion import random_quaternion

if TYPE_CHECKING:
    from tarsus.model.model import Model

DRAWS = 50
"""Draws of one loop's independent joints from their limits for one configuration."""
RAYS = 50
"""Ways from the reference that are tried after that."""
BEYOND = 1e-6
"""Distance [rad or m] beyond a limit that is rounding."""
HALVINGS = 20
"""Of the part of a way on which a loop closes."""


def random_configurations(model: Model, rng: np.random.Generator, batch: tuple[int, ...]) -> FloatArray:
    """Configurations inside the limits, shape (*batch, nq); see `Model.random`.

    Where the limits of a loop with several independent joints enclose places that it cannot reach, these joints are
    drawn again until it closes, so that what it reaches inside the limits stays equally likely. A loop that reaches
    next to nothing of what they enclose is drawn on a straight way from its reference instead: a branch is followed
    along such ways, so that all it reaches can be drawn, what is near the reference more often.
    """
    low, high = lowering.sampling_box(model)
    u = rng.random((*batch, low.size))
    q = low * (1.0 - u) + high * u
    for start in lowering.quaternion_starts(model):
        q[..., start : start + 4] = random_quaternion(rng, batch)
    q = lowering.to_user(model, q)
    if any(map(_may_be_unfit, model.coordinates.closures)) and q.size:
        limits = _FollowerLimits(model, low, high)
        if _unfit_loop(model, q, limits) is not None:
            rows = q.reshape(math.prod(q.shape[:-1]), model.nq).copy()
            for row in rows:
                _close(model, rng, row, low, high, limits)
            q = rows.reshape(q.shape)
    return q


def _may_be_unfit(closure: Closure) -> bool:
    """Whether a closure may not close, or what follows several joints may be beyond its limits."""
    return closure.kind in ("loop", "four-bar") or (closure.kind == "linear" and len(closure.dofs) > 2)


class _FollowerLimits:
    """Limits of joints that follow in loops, or several others; those that the reference does not keep are left out."""

    def __init__(self, model: Model, box_low: FloatArray, box_high: FloatArray) -> None:
        c, joints = model.coordinates, list(model.joints.values())
        self.low, self.high = (
            np.concatenate([getattr(joint, name) for joint in joints]) for name in ("q_min", "q_max")
        )
        self.places = {
            closure.name: np.array(
                [k for k, dof in zip(closure.coordinates, closure.dofs[: closure.dependents], strict=False)
                 if _flat(joints, c.tree_v_start, dof)
                 and self.low[k] - BEYOND <= c.reference[k] <= self.high[k] + BEYOND],
                dtype=int,
            )
            for closure in c.closures
        }  # fmt: skip
        self.middle = {
            closure.name: c.reference[list(closure.coordinates[closure.dependents :])] for closure in c.closures
        }
        for closure in c.closures:
            if closure.kind == "linear" and closure.dependents == 1:
                self._take_combination(model, closure, box_low, box_high)

    def _take_combination(self, model: Model, closure: Closure, box_low: FloatArray, box_high: FloatArray) -> None:
        """Limits of one joint that follows several, where some of what these enclose keeps them, and such a place."""
        k, free = closure.coordinates[0], [model.coordinates.own_q[j] for j in closure.coordinates[1:]]
        rises = closure.slope[0] > 0.0
        first = np.where(rises, box_low[free], box_high[free])
        last = np.where(rises, box_high[free], box_low[free])
        least, most = (float(closure.slope[0] @ x + closure.table[0]) for x in (first, last))
        low, high = max(least, self.low[k]), min(most, self.high[k])
        kept = low <= high
        self.places[closure.name] = np.array([k] if kept else [], dtype=int)
        if kept and most > least:
            self.middle[closure.name] = first + (0.5 * (low + high) - least) / (most - least) * (last - first)

    def kept(self, closure: Closure, tree: FloatArray) -> bool:
        """Whether all followers of a loop are inside their limits in configurations of the tree."""
        k = self.places[closure.name]
        x = tree[..., k]
        return bool(np.all((x >= self.low[k] - BEYOND) & (x <= self.high[k] + BEYOND)))


def _flat(joints: Sequence[Joint], v_start: IntArray, dof: int) -> bool:
    joint = joints[int(np.searchsorted(v_start, dof, side="right")) - 1]
    return joint.nq == joint.nv


def _close(
    model: Model,
    rng: np.random.Generator,
    q: FloatArray,
    low: FloatArray,
    high: FloatArray,
    limits: _FollowerLimits,
) -> None:
    """Draw the independent joints of loops that are unfit at q, one configuration, until all are fit."""
    c, shift = model.coordinates, lowering.user_shift(model.description)
    tries = dict.fromkeys((closure.name for closure in c.closures), 0)
    while (closure := _unfit_loop(model, q, limits)) is not None:
        tries[closure.name] += 1
        if tries[closure.name] > DRAWS + RAYS:
            raise LoopError(
                f"none of {DRAWS + RAYS} random configurations inside the limits closes {closure.name}; narrow the "
                "limits of its independent joints to where it closes"
            )
        free = closure.coordinates[closure.dependents :]
        places = np.array([c.own_q[k] for k in free])
        u = rng.random(len(places))
        q[places + shift] = low[places] * (1.0 - u) + high[places] * u
        if tries[closure.name] > DRAWS:
            box = (low[places], high[places])
            _draw_on_way(model, rng, q, places + shift, limits.middle[closure.name], closure, box, limits)


def _draw_on_way(
    model: Model,
    rng: np.random.Generator,
    q: FloatArray,
    places: IntArray,
    reference: FloatArray,
    closure: Closure,
    box: tuple[FloatArray, FloatArray],
    limits: _FollowerLimits,
) -> None:
    """Move the entries of q at `places` towards the reference of their loop, to where it closes inside the limits."""
    goal = q[places].copy()

    def closes(part: float) -> bool:
        q[places] = reference + part * (goal - reference)
        found = _unfit_loop(model, q, limits)
        return found is None or found.name != closure.name

    reached, beyond = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = 0.5 * (reached + beyond)
        reached, beyond = (middle, beyond) if closes(middle) else (reached, middle)
    part = reached * rng.random() ** (1.0 / len(places))
    q[places] = reference + part * (goal - reference)
    if np.any(q[places] < box[0]) or np.any(q[places] > box[1]):  # the reference is beyond limits
        q[places] = goal


def _unfit_loop(model: Model, q: FloatArray, limits: _FollowerLimits) -> Closure | None:
    """A closure that cannot be solved at q, or whose followers are beyond their limits; None where all are fit."""
    try:
        tree = model.joint_positions(q)
    except LoopError as error:
        for closure in model.coordinates.closures:
            if closure.name in str(error) and closure.dependents < len(closure.dofs):
                return closure
        raise
    unfit = (x for x in model.coordinates.closures if x.dependents < len(x.dofs) and not limits.kept(x, tree))
    return next(unfit, None)
