"""Random trees of bodies with joints of every kind, for tests of properties."""

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

import tarsus as ts
from tarsus.arrays import FloatArray
from tarsus.model.joint import JOINT_SIZES
from tarsus.spatial.pose import pose
from tarsus.spatial.quaternion import random_quaternion, rotation_matrix_from_quaternion

KINDS = tuple(kind for kind in JOINT_SIZES if kind != "fixed")
BASES = ("fixed", "free", "planar")
MAX_BODIES = 7
AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, -1.0), (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0))


def random_pose(rng: np.random.Generator, size: float = 0.5) -> FloatArray:
    """Any rotation, position of the order of `size`; half of them without rotation, as in most robots."""
    R = rotation_matrix_from_quaternion(random_quaternion(rng)) if rng.random() < 0.5 else np.eye(3)
    return pose(size * rng.normal(size=3), R)


def random_inertia(rng: np.random.Generator) -> ts.Inertia:
    """A box of random size, turned and moved away from the origin of its frame."""
    box = ts.Inertia.of_box(rng.uniform(0.5, 5.0), rng.uniform(0.1, 0.6, 3))
    return box.in_frame(pose(0.2 * rng.normal(size=3), rotation_matrix_from_quaternion(random_quaternion(rng))))


def random_axis(rng: np.random.Generator) -> tuple[float, float, float]:
    """Along a coordinate axis in either sense, or anywhere and not of unit length."""
    if rng.random() < 0.5:
        return AXES[rng.integers(len(AXES))]
    x, y, z = rng.normal(size=3)
    return float(x), float(y), float(z)


def random_builder(
    kinds: Sequence[str],
    parents: Sequence[int],
    base: str,
    seed: int,
    *,
    passive: bool = False,
    rotors: bool = True,
) -> ts.ModelBuilder:
    """Builder of a tree: body k + 1 hangs on body `parents[k]` by a joint of kind `kinds[k]`."""
    rng = np.random.default_rng(seed)
    name = f"{', '.join(kinds)} on {list(parents)}, seed {seed}"
    builder = ts.ModelBuilder(name, base=base, gravity=(0.3, -0.7, -9.81))  # type: ignore[arg-type]
    builder.add_link("body0", random_inertia(rng))
    for k, (kind, parent) in enumerate(zip(kinds, parents, strict=True)):
        builder.add_link(f"body{k + 1}", random_inertia(rng))
        axis = random_axis(rng)
        properties = {
            "pose": random_pose(rng),
            "child_pose": random_pose(rng, 0.2) if rng.random() < 0.5 else np.eye(4),
            "axis": axis,
            "axis2": _across(axis, rng),
            "pitch": float(rng.normal(scale=0.2)),
            "armature": float(rng.uniform(0.0, 0.3)) if rotors and rng.random() < 0.7 else 0.0,
        }
        if passive:
            properties |= {"damping": float(rng.uniform(0.0, 1.0)), "friction": float(rng.uniform(0.0, 0.5))}
            if JOINT_SIZES[kind] == (1, 1):
                properties |= {"stiffness": float(rng.uniform(0.0, 20.0)), "rest": float(rng.normal())}
        builder.add_joint(f"joint{k + 1}", kind, f"body{parent}", f"body{k + 1}", **properties)
        builder.add_frame(f"tool{k + 1}", f"body{k + 1}", random_pose(rng))
    return builder


def _across(axis: tuple[float, float, float], rng: np.random.Generator) -> tuple[float, float, float]:
    """Random axis that is not close to another one."""
    a = np.asarray(axis) / np.linalg.norm(axis)
    b = rng.normal(size=3)
    b -= 0.8 * a * (a @ b)
    return float(b[0]), float(b[1]), float(b[2])


def random_model(kinds: Sequence[str], base: str = "free", seed: int = 0, passive: bool = False) -> ts.Model:
    """Tree with the given kinds of joints and random parents."""
    rng = np.random.default_rng(seed)
    parents = [int(rng.integers(max(0, k - 2), k + 1)) for k in range(len(kinds))]
    return random_builder(kinds, parents, base, seed, passive=passive).build()


@st.composite
def builders(
    draw: st.DrawFn, min_bodies: int = 1, bases: Sequence[str] = BASES, passive: bool = False, rotors: bool = True
) -> ts.ModelBuilder:
    """Strategy for builders of trees with up to `MAX_BODIES` moving bodies and at least one degree of freedom."""
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=min_bodies, max_size=MAX_BODIES))
    parents = [draw(st.integers(0, k)) for k in range(len(kinds))]
    base, seed = draw(st.sampled_from(bases)), draw(st.integers(0, 2**32 - 1))
    return random_builder(kinds, parents, base, seed, passive=passive, rotors=rotors)


@st.composite
def models(
    draw: st.DrawFn, min_bodies: int = 1, bases: Sequence[str] = BASES, passive: bool = False, rotors: bool = True
) -> ts.Model:
    """Strategy for trees with joints of every kind; the name of a model tells how to build it again."""
    return draw(builders(min_bodies, bases, passive, rotors)).build()


def seeds() -> st.SearchStrategy[int]:
    """Strategy for seeds of the states at which a model is looked at."""
    return st.integers(0, 2**32 - 1)
