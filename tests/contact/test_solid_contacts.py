"""Contacts of two convex solids against closed forms, a NumPy oracle and MuJoCo's distances."""

from __future__ import annotations

from itertools import product

import numpy as np
import numpy.typing as npt
import pytest
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

import tarsus as ts
from tarsus import _native
from tarsus.contact.pairs import NO_GROUND, Pairs, choose_pairs, pair_tables, solid_tables
from tarsus.model.shapes import Box, Capsule, Cylinder, Ellipsoid, Geometry, Shape, Sphere

Array = npt.NDArray[np.float64]

ROUND_OFF = 1e-12
PREFERENCE = 0.02
"""Part of a depth by which faces of the first solid, and faces before edges, are preferred."""
SHAPES: dict[str, tuple[Geometry, str]] = {
    "sphere": (Sphere(0.1), 'type="sphere" size="0.1"'),
    "capsule": (Capsule(0.05, 0.3), 'type="capsule" size="0.05 0.15"'),
    "box": (Box((0.2, 0.3, 0.12)), 'type="box" size="0.1 0.15 0.06"'),
    "cylinder": (Cylinder(0.1, 0.2), ""),
    "ellipsoid": (Ellipsoid((0.1, 0.12, 0.15)), ""),
}
MUJOCO_EXACT = [
    ("sphere", "sphere"),
    ("sphere", "capsule"),
    ("sphere", "box"),
    ("box", "sphere"),
    ("capsule", "capsule"),
]


class Touching:
    """Two free bodies of some shapes."""

    def __init__(self, first: Geometry, second: Geometry) -> None:
        builder = ts.ModelBuilder("two").add_link("world")
        for name, geometry in (("a", first), ("b", second)):
            builder.add_link(name, ts.Inertia.of_sphere(1.0, 0.1), collisions=[Shape(geometry)])
            builder.add_joint(f"{name}_free", "free", "world", name)
        self.model = builder.build()
        self.chosen = choose_pairs(self.model, Pairs())
        tables = {**NO_GROUND, **solid_tables(self.model, self.chosen.solids), "all_nodes": 0}
        tables |= pair_tables(self.chosen.solids, self.chosen.pairs, self.chosen.law)
        self._core = _native.make_world(self.model, tables)

    def contacts(self, X: Array, Y: Array) -> Array:
        """Depth, points of both surfaces and normal of the slots that have a point, shape (n, 10)."""
        found: Array = _native.pair_contacts(self.model, self._core, 0, X, Y)
        return found[found[:, 0] > -100.0]

    def depth(self, X: Array, Y: Array) -> float:
        """Of the deepest contact [m]."""
        return float(self.contacts(X, Y)[:, 0].max())


def random_pose(rng: np.random.Generator, spread: float = 0.15) -> Array:
    """A pose with uniform rotation."""
    X = np.eye(4)
    X[:3, :3] = Rotation.random(random_state=rng).as_matrix()
    X[:3, 3] = rng.uniform(-spread, spread, 3)
    return X


def world_corners(solid: ts.contact.pairs.Solid, X: Array) -> Array:
    """Corners of a solid at a pose."""
    corners: Array = solid.corners @ X[:3, :3].T + X[:3, 3]
    return corners


def penetration(P: Array, Q: Array) -> float:
    """Depth of two convex point sets, the distance of the origin to the surface of their difference; below 0 apart."""
    difference = (P[:, None] - Q[None]).reshape(-1, 3)
    return float(-ConvexHull(difference).equations[:, 3].max())


@pytest.mark.parametrize(("first", "second"), MUJOCO_EXACT)
def test_distances_of_round_solids_are_those_of_mujoco(first: str, second: str) -> None:
    mujoco = pytest.importorskip("mujoco")
    body = '<body name="{0}"><freejoint/><geom {1}/></body>'
    text = "".join(body.format(n, SHAPES[kind][1]) for n, kind in (("a", first), ("b", second)))
    theirs = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{text}</worldbody></mujoco>")
    data, rng = mujoco.MjData(theirs), np.random.default_rng(1)
    ours = Touching(SHAPES[first][0], SHAPES[second][0])
    overlapping = 0
    for _ in range(2000):
        poses = [random_pose(rng), random_pose(rng)]
        for k, X in enumerate(poses):
            data.qpos[7 * k : 7 * k + 3] = X[:3, 3]
            data.qpos[7 * k + 3 : 7 * k + 7] = Rotation.from_matrix(X[:3, :3]).as_quat()[[3, 0, 1, 2]]
        mujoco.mj_kinematics(theirs, data)
        expected = mujoco.mj_geomDistance(theirs, data, 0, 1, 1.0, np.zeros(6))
        assert abs(ours.depth(*poses) + expected) < ROUND_OFF
        overlapping += expected < 0.0
    assert overlapping > 500


@pytest.mark.parametrize(
    ("first", "second"), [*product(("box", "cylinder", "ellipsoid"), repeat=2), ("capsule", "box"), ("box", "capsule")]
)
def test_depth_is_the_shortest_way_apart(first: str, second: str) -> None:
    rng = np.random.default_rng(2)
    pair = Touching(SHAPES[first][0], SHAPES[second][0])
    a, b = pair.chosen.solids
    overlapping = 0
    for _ in range(400):
        X, Y = random_pose(rng), random_pose(rng)
        exact = penetration(world_corners(a, X), world_corners(b, Y))
        found = pair.contacts(X, Y)
        if exact < 0.0:
            if a.radius + b.radius == 0.0:
                assert not (found[:, 0] > ROUND_OFF).any()
            continue
        overlapping += 1
        depth = found[:, 0].max() - a.radius - b.radius
        # a face that the deepest point is not above is cut off beside it: never deeper than along its normal
        assert depth <= exact + PREFERENCE * exact + 2e-6
        if "capsule" not in (first, second):
            assert depth >= (1.0 - 2.5 * PREFERENCE) * exact - 2e-6 or len(found) > 1
    assert overlapping > 100


def test_distance_of_capsules_from_a_box_is_the_least_along_their_axes() -> None:
    rng = np.random.default_rng(3)
    pair, half = Touching(SHAPES["capsule"][0], SHAPES["box"][0]), np.array([0.1, 0.15, 0.06])
    apart = 0
    for _ in range(500):
        X, Y = random_pose(rng), random_pose(rng)
        X_YX = np.linalg.inv(Y) @ X
        along = X_YX[:3, 3] + np.linspace(-0.15, 0.15, 4001)[:, None] * X_YX[:3, 2]
        gap = np.linalg.norm(np.maximum(np.abs(along) - half, 0.0), axis=1).min()
        if gap > 0.0:
            apart += 1
            assert (
                abs(pair.depth(X, Y) - (0.05 - gap)) < 2e-5
            )  # of a capsule within a degree of a face: 1.5e-4 of 0.1 m
    assert apart > 100


@pytest.mark.parametrize(("first", "second"), list(product(SHAPES, repeat=2)))
def test_normals_are_unit_vectors_and_moving_along_them_by_the_depth_parts_the_solids(first: str, second: str) -> None:
    rng = np.random.default_rng(4)
    pair = Touching(SHAPES[first][0], SHAPES[second][0])
    for _ in range(100):
        X, Y = random_pose(rng), random_pose(rng)
        for depth, *rest in pair.contacts(X, Y):
            p, q, n = np.array(rest).reshape(3, 3)
            assert abs(np.linalg.norm(n) - 1.0) < 1e-9
            assert abs((q - p) @ n - depth) < 1e-9  # points of the surfaces are as far apart as the depth tells
        deepest = max(pair.contacts(X, Y), key=lambda row: row[0])
        if deepest[0] > 0.0:
            moved = X.copy()
            moved[:3, 3] += (1.0 + 3.0 * PREFERENCE) * pair.depth(X, Y) * deepest[7:] + 3e-6 * deepest[7:]
            left = pair.contacts(moved, Y)
            assert not (left[:, 0] > 0.25 * deepest[0]).any()


@pytest.mark.parametrize(("first", "second"), list(product(SHAPES, repeat=2)))
def test_degenerate_poses_give_finite_contacts(first: str, second: str) -> None:
    pair = Touching(SHAPES[first][0], SHAPES[second][0])
    quarter = np.eye(4)
    quarter[:3, :3] = Rotation.from_euler("y", 90, degrees=True).as_matrix()
    for X, shift in product(
        (np.eye(4), quarter), [(0, 0, 0), (0.1, 0, 0), (0, 0, 0.2), (1e-13, 0, 0), (0, 0.15, 0.06)]
    ):
        Y = np.eye(4)
        Y[:3, 3] = shift
        found = pair.contacts(X, Y)
        assert len(found) > 0 and np.isfinite(found).all()
        assert np.allclose(np.linalg.norm(found[:, 7:], axis=1), 1.0)
        if np.linalg.norm(shift) < 1e-12:
            assert found[:, 0].max() > 0.05  # all of them are thicker


def test_parallel_capsules_touch_at_both_ends_of_what_they_share() -> None:
    pair = Touching(Capsule(0.05, 0.3), Capsule(0.04, 0.2))
    X, Y = np.eye(4), np.eye(4)
    Y[:3, 3] = (0.08, 0.0, 0.1)
    found = pair.contacts(X, Y)
    assert np.allclose(found[:, 0], 0.01, atol=ROUND_OFF)
    assert np.allclose(sorted(found[:, 3]), [0.0, 0.15], atol=ROUND_OFF)  # z of the points
    assert np.allclose(found[:, 7:], (-1.0, 0.0, 0.0), atol=ROUND_OFF)


def test_a_box_on_a_box_touches_with_the_four_corners_of_what_they_share() -> None:
    pair = Touching(Box((0.2, 0.2, 0.1)), Box((0.2, 0.4, 0.1)))
    X, Y = np.eye(4), np.eye(4)
    X[:3, 3] = (0.05, 0.0, 0.099)
    found = pair.contacts(X, Y)
    assert len(found) == 4 and np.allclose(found[:, 0], 0.001, atol=ROUND_OFF)
    assert {(round(x, 9), round(y, 9)) for x, y in found[:, 1:3]} == set(product((-0.05, 0.1), (-0.1, 0.1)))
    assert np.allclose(found[:, 7:], (0.0, 0.0, 1.0))


def test_crossed_edges_of_boxes_touch_at_one_point() -> None:
    pair = Touching(Box((0.4, 0.1, 0.1)), Box((0.1, 0.4, 0.1)))
    X, Y = np.eye(4), np.eye(4)
    X[:3, :3] = Rotation.from_euler("x", 45, degrees=True).as_matrix()
    Y[:3, :3] = Rotation.from_euler("y", 45, degrees=True).as_matrix()
    X[2, 3] = 0.1 * np.sqrt(2.0) - 0.002
    (found,) = pair.contacts(X, Y)
    assert np.isclose(found[0], 0.002, atol=ROUND_OFF) and np.allclose(found[7:], (0, 0, 1))
    assert np.allclose(found[1:3], 0.0, atol=ROUND_OFF)


def test_a_slot_follows_its_point_while_boxes_slide_and_turn_on_each_other() -> None:
    pair = Touching(Box((0.2, 0.2, 0.1)), Box((0.4, 0.4, 0.1)))
    before = None
    for angle in np.linspace(0.0, 1.2, 400):
        X = np.eye(4)
        X[:3, :3] = Rotation.from_euler("z", angle).as_matrix()
        X[:3, 3] = (0.05 * angle, 0.0, 0.0999)
        points = pair.contacts(X, np.eye(4))[:, 1:4]
        assert len(points) == 4
        if before is not None:
            assert np.linalg.norm(points - before, axis=1).max() < 1e-3
        before = points
