"""How far points of a robot move at most when its joints do."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import BoolArray, FloatArray
from tarsus.collision.collision_model import CollisionModel
from tarsus.collision.segment_pairs import Pair
from tarsus.collision.shape_pairs import ShapePairs
from tarsus.model import Model
from tarsus.model.joint import Joint

Scene = CollisionModel | ShapePairs
"""What tells distances of pairs."""
UNBOUNDED = 2.0
"""Travel of a joint without limits that slides and follows others [m]."""

PROBES = 5
"""Random configurations at which it is seen which joints follow others."""


def lever_arms(scene: Scene, lower: FloatArray, upper: FloatArray) -> FloatArray:
    """Bounds of how fast distances change: |d distance / dt| <= L |v_tree|, wherever the robot is.

    A joint between two segments moves one of them against the other. Points of that one are at most as far from the
    joint's origin as all offsets, travels and the segment itself are long together.

    Parameters
    ----------
    scene : CollisionModel or ShapePairs
    lower, upper : ndarray, shape (nq,)
        Between which coordinates are.

    Returns
    -------
    L : ndarray, shape (n_pairs, nv_tree)
        1 for lengths [m/m], the longest lever arm for angles [m/rad]; zero of joints that do not move a pair.
    """
    model = scene.model
    travel = {joint.name: _travel(joint, lower, upper) for joint in model.joints.values()}
    arms = {name: _arms(scene, name, travel) for name in scene.volumes}
    start = model.coordinates.tree_v_start
    L = np.zeros((len(scene.pairs), int(start[-1])))
    for row, (one, other) in zip(L, scene.pairs, strict=True):
        ways = [arms[name] for name in (one, other) if name in arms]
        shared = set(ways[0]) & set(ways[1]) if len(ways) == 2 else set()
        for way in ways:
            for index, arm in way.items():
                if index not in shared:  # what carries both moves neither against the other
                    row[start[index] : start[index + 1]] = arm
    return L


def _arms(scene: Scene, name: str, travel: dict[str, float]) -> dict[int, FloatArray]:
    """Of all joints that carry a segment, by number: how far its points go per unit of each freedom."""
    model = scene.model
    frame = model.frames[name]
    body = model.bodies[frame.body]
    X = frame.pose
    far = max(
        float(np.linalg.norm(volume.vertices @ X[:3, :3].T + X[:3, 3], axis=-1).max()) + volume.radius
        for volume in scene.volumes[name]
    )
    result: dict[int, FloatArray] = {}
    while True:
        joint = model.joints[body.joint]
        far += float(np.linalg.norm(joint.child_pose[:3, 3]))
        turning = far + (abs(joint.pitch) if joint.kind == "helical" else 0.0)
        result[joint.index] = np.where(np.array(joint.traits.slides, dtype=bool), 1.0, turning)
        far += travel[joint.name] + float(np.linalg.norm(joint.pose[:3, 3]))
        if body.parent is None:
            return result
        body = model.bodies[body.parent]


def _travel(joint: Joint, lower: FloatArray, upper: FloatArray) -> float:
    """How far the child's origin is from the joint's at most, beside its offset."""
    own = joint.q_index.stop > joint.q_index.start
    low, high = (lower[joint.q_index], upper[joint.q_index]) if own else (joint.q_min, joint.q_max)
    if joint.kind == "helical":
        return abs(joint.pitch) * float(np.max(np.abs([low, high])))
    if not joint.traits.flat or not any(joint.traits.slides):
        return 0.0  # a free joint carries the whole robot, and nothing is above it
    ends = np.abs([low, high])[:, np.array(joint.traits.slides)]
    return float(np.where(np.isfinite(ends), ends, UNBOUNDED).max(axis=0).sum())


def moving_pairs(scene: Scene, moving: BoolArray) -> list[Pair]:
    """Pairs whose distance changes when freedoms that move (nv,) do."""
    model = scene.model
    tree = moving
    if not model.coordinates.independent.all():
        q = np.concatenate([model.reference[None], model.random(np.random.default_rng(0), (PROBES,))])
        tree = np.asarray((np.abs(model.coupling_matrix(q))[..., moving] > 0).any(axis=(0, 2)))
    wide = np.full(model.nq, UNBOUNDED)
    arms = lever_arms(scene, -wide, wide)
    return [pair for pair, row in zip(scene.pairs, arms, strict=True) if row[tree].any()]


def coupled_numerically(model: Model) -> bool:
    """Whether joints follow others by ratios that change: loops, polynomials."""
    return any(closure.kind != "linear" for closure in model.coordinates.closures)
