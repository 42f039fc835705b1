"""Small models that several tests share."""

from __future__ import annotations

from typing import Any

import numpy as np

import tarsus as ts
from tarsus.spatial import pose, rotation_matrix_from_rotation_vector

BRICK = ts.Inertia.of_box(2.0, (0.1, 0.2, 0.3), com=(0.01, -0.02, 0.03))
"""An ordinary body: no symmetry that could hide a mistake."""

MOVING_KINDS = (
    "revolute",
    "continuous",
    "prismatic",
    "helical",
    "cylindrical",
    "universal",
    "spherical",
    "planar",
    "free",
)


def pendulum(**keywords: Any) -> ts.ModelBuilder:
    """`ground` and `bob` with the joint `hinge` about y."""
    builder = ts.ModelBuilder("pendulum", **keywords)
    builder.add_link("ground", BRICK).add_link("bob", BRICK)
    return builder.add_joint("hinge", "revolute", "ground", "bob", axis=(0.0, 1.0, 0.0))


def double_pendulum(**keywords: Any) -> ts.ModelBuilder:
    """`ground`, `upper`, `lower` with the joints `shoulder` and `elbow` about y."""
    builder = ts.ModelBuilder("double pendulum", **keywords)
    builder.add_link("ground", BRICK).add_link("upper", BRICK).add_link("lower", BRICK)
    builder.add_joint("shoulder", "revolute", "ground", "upper", axis=(0.0, 1.0, 0.0), q_min=-2.0, q_max=1.0)
    return builder.add_joint(
        "elbow", "revolute", "upper", "lower", axis=(0.0, 1.0, 0.0), position=(0.0, 0.0, -0.5), q_min=-1.5, q_max=1.5
    )


def random_pose(rng: np.random.Generator) -> Any:
    """Some pose within half a metre, shape (4, 4)."""
    return pose(rng.uniform(-0.5, 0.5, 3), rotation_matrix_from_rotation_vector(rng.uniform(-1.0, 1.0, 3)))


def zoo(base: str = "free", **keywords: Any) -> ts.ModelBuilder:
    """One joint of every kind, on two branches, with generic poses and inertias; links are named after the kinds."""
    rng = np.random.default_rng(20)
    builder = ts.ModelBuilder("zoo", base=base, **keywords)
    builder.add_link("trunk", BRICK)
    parent = {"a": "trunk", "b": "trunk"}
    for index, kind in enumerate(MOVING_KINDS):
        branch = "ab"[index % 2]
        builder.add_link(kind, ts.Inertia.of_box(1.0 + index, (0.2, 0.3, 0.4), com=rng.uniform(-0.1, 0.1, 3)))
        builder.add_joint(
            f"{kind}_joint",
            kind,
            parent[branch],
            kind,
            pose=random_pose(rng),
            child_pose=random_pose(rng),
            axis=tuple(rng.normal(size=3)),
            axis2=tuple(rng.normal(size=3)),
            pitch=0.3,
        )
        parent[branch] = kind
    return builder


def chain(count: int, **keywords: Any) -> ts.ModelBuilder:
    """`count` links in a row behind the root `link0`."""
    builder = ts.ModelBuilder("chain", **keywords)
    builder.add_link("link0", BRICK)
    for i in range(1, count + 1):
        builder.add_link(f"link{i}", BRICK)
        builder.add_joint(
            f"joint{i}", "revolute", f"link{i - 1}", f"link{i}", axis=(0.0, 1.0, 0.0), position=(0, 0, 0.1)
        )
    return builder


def star(count: int, **keywords: Any) -> ts.ModelBuilder:
    """`count` links around the root `link0`."""
    builder = ts.ModelBuilder("star", **keywords)
    builder.add_link("link0", BRICK)
    for i in range(1, count + 1):
        builder.add_link(f"link{i}", BRICK)
        builder.add_joint(f"joint{i}", "revolute", "link0", f"link{i}", axis=(0.0, 1.0, 0.0), position=(0.1, 0, 0))
    return builder
