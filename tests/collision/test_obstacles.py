"""Obstacles of many volumes, convex solids and terrains, against brute force and coal."""

import coal
import numpy as np
import pytest
from collision.scenes import random_volumes
from geometry.exhaustive_distances import primitive_distances
from sample_models import BRICK, zoo

import tarsus as ts
from tarsus.collision import CollisionModel, ConvexVolume, Obstacle, SweptSphere
from tarsus.errors import ArgumentError
from tarsus.geometry.volume_distances import volume_distances

ROUNDING = 1e-12
"""[m]"""
COAL = 1e-6
"""[m] Tolerance that coal's iterations stop at."""


def flying(volumes):
    """A robot of one free body with these volumes."""
    model = ts.ModelBuilder("flyer", base="free").add_link("body", BRICK).build()
    return model.with_volumes({"body": volumes})


def states(rng, count, reach):
    q = rng.standard_normal((count, 7))
    q[:, 3:] /= np.linalg.norm(q[:, 3:], axis=1, keepdims=True)
    q[:, :3] *= reach
    return q


def placed(scene, q):
    """Vertices of the robot's only volume in the world, (..., n, 3)."""
    X = ts.frame_pose(scene.model, q, "body")
    vertices = scene.volumes["body"][0].vertices
    return np.einsum("...ij,vj->...vi", X[..., :3, :3], vertices) + X[..., None, :3, 3]


def proper_pose(rng):
    R = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    R[:, 0] *= np.linalg.det(R)
    return ts.pose(rng.uniform(-0.3, 0.3, 3), R)


@pytest.mark.parametrize("vertices", [1, 2, 3])
@pytest.mark.parametrize("count", [17, 64, 500])
def test_many_volumes_are_looked_through_by_a_tree(vertices, count):
    rng = np.random.default_rng([vertices, count])
    volumes = [
        SweptSphere(rng.uniform(-2, 2, 3) + rng.uniform(-0.3, 0.3, (1 + k % 3, 3)), rng.uniform(0, 0.1))
        for k in range(count)
    ]
    X = proper_pose(rng)
    mine = SweptSphere(rng.uniform(-0.3, 0.3, (vertices, 3)), 0.07)
    scene = CollisionModel(flying([mine]), obstacles=[Obstacle("cloud", volumes, X)])
    q = states(rng, 33, 1.5)
    points, world = scene.witnesses(q)[:, 0], placed(scene, q)
    all_of_them = [volume.transformed(X) for volume in volumes]
    slow = np.min([volume_distances(world, mine.radius, v.vertices, v.radius).distance for v in all_of_them], axis=0)
    assert np.abs(scene.distances(q)[:, 0] - slow).max() < ROUNDING
    assert np.abs(np.linalg.norm(points[:, 1] - points[:, 0], axis=1) - np.abs(slow)).max() < ROUNDING
    for row in range(5):
        assert abs(scene.distances(q[row])[0] - slow[row]) < ROUNDING
    assert np.abs(scene.clearance(q) - slow).max() < ROUNDING


def coal_shape(volume):
    if len(volume.vertices) == 1:
        shape, centre = coal.Sphere(volume.radius), volume.vertices[0]
        return shape, ts.pose(centre)
    a, b = volume.vertices
    along = (b - a) / np.linalg.norm(b - a)
    R = np.linalg.qr(np.column_stack([along, np.eye(3)[np.argsort(np.abs(along))[:2]].T]))[0][:, [1, 2, 0]]
    R[:, 0] *= np.sign(np.linalg.det(R))
    return coal.Capsule(volume.radius, np.linalg.norm(b - a)), ts.pose((a + b) / 2, R)


@pytest.mark.parametrize("vertices", [1, 2])
def test_convex_solids_are_as_far_and_as_deep_as_those_of_coal(vertices):
    rng = np.random.default_rng(vertices)
    solid = ConvexVolume(rng.standard_normal((30, 3)) * [0.5, 0.3, 0.4])
    X = proper_pose(rng)
    mine = SweptSphere(rng.uniform(-0.3, 0.3, (vertices, 3)), 0.05)
    scene = CollisionModel(flying([mine]), obstacles=[Obstacle("rock", solid, X)])
    q = states(rng, 1000, 0.6)
    found = scene.distances(q)[:, 0]
    points, faces = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    for corner in solid.corners:
        points.append(corner)
    for face in solid.faces.tolist():
        faces.append(coal.Triangle(*face))
    hull = coal.Convex(points, faces)
    shape, Y = coal_shape(mine)
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    request.gjk_tolerance = request.epa_tolerance = 1e-9
    there = coal.Transform3s(X[:3, :3], X[:3, 3])
    theirs = []
    for pose in ts.frame_pose(scene.model, q, "body") @ Y:
        result.clear()
        theirs.append(coal.distance(shape, coal.Transform3s(pose[:3, :3], pose[:3, 3]), hull, there, request, result))
    assert (found < -0.06).sum() > 100 and (found > 0).sum() > 100
    assert np.abs(found - theirs).max() < COAL


@pytest.mark.parametrize("vertices", [1, 2, 3])
def test_the_way_out_of_a_convex_solid_leads_out(vertices):
    rng = np.random.default_rng(vertices)
    solid = ConvexVolume(rng.standard_normal((20, 3)), radius=0.02)
    mine = SweptSphere(rng.uniform(-0.3, 0.3, (vertices, 3)), 0.05)
    scene = CollisionModel(flying([mine]), obstacles=[Obstacle("rock", solid)])
    q = states(rng, 200, 0.5)
    depth, points = scene.distances(q)[:, 0], scene.witnesses(q)[:, 0]
    inside = depth < -0.07
    assert inside.sum() > 50
    away = points[:, 1] - points[:, 0]  # from the robot's surface to the solid's, which is behind it
    assert np.abs(np.linalg.norm(away, axis=1) - np.abs(depth)).max() < ROUNDING
    moved = q.copy()
    moved[inside, :3] += away[inside]
    assert np.abs(scene.distances(moved)[inside, 0]).max() < 1e-9
    half = q.copy()
    half[inside, :3] += 0.5 * away[inside]
    assert (scene.distances(half)[inside, 0] < 1e-9).all()


def test_a_unit_cube_is_as_deep_as_it_looks():
    cube = ConvexVolume([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], radius=0.25)
    scene = CollisionModel(flying([SweptSphere([[0, 0, 0]], 0.5)]), obstacles=[Obstacle("cube", cube)])
    q = np.array(
        [[0.5, 0.5, 0.9, 1, 0, 0, 0], [0.5, 0.5, 2, 1, 0, 0, 0], [0.2, 0.5, 0.5, 1, 0, 0, 0], [2, 2, 0.5, 1, 0, 0, 0]]
    )
    expected = [-0.1 - 0.75, 1 - 0.75, -0.2 - 0.75, np.sqrt(2) - 0.75]
    assert np.abs(scene.distances(q)[:, 0] - expected).max() < 1e-15
    gradient = scene.distance_jacobian(q).jacobian[:, 0, :3]
    assert np.abs(gradient - [[0, 0, 1], [0, 0, 1], [-1, 0, 0], [np.sqrt(0.5), np.sqrt(0.5), 0]]).max() < 1e-15


@pytest.mark.parametrize("vertices", [1, 2, 3])
def test_terrain_is_the_triangles_of_its_cells(vertices):
    rng = np.random.default_rng(vertices)
    heights = 0.3 * rng.standard_normal((9, 13))
    terrain = ts.contact.HeightField(heights, 0.25, origin=(-1.5, -1.0))
    X = proper_pose(rng)
    mine = SweptSphere(rng.uniform(-0.2, 0.2, (vertices, 3)), 0.03)
    scene = CollisionModel(flying([mine]), obstacles=[Obstacle("terrain", terrain, X)])
    q = states(rng, 300, 0.7)
    found = scene.distances(q)[:, 0]
    local = (placed(scene, q) - X[:3, 3]) @ X[:3, :3]  # in the axes of the terrain
    x, y = np.meshgrid(-1.5 + 0.25 * np.arange(13), -1.0 + 0.25 * np.arange(9))
    grid = np.stack([x, y, heights], axis=-1)
    a, b, c, d = grid[:-1, :-1], grid[:-1, 1:], grid[1:, :-1], grid[1:, 1:]
    cells = np.concatenate([np.stack(t, 2).reshape(-1, 3, 3) for t in ((a, b, d), (a, d, c))])
    apart = primitive_distances(local[:, None], cells).min(1)
    outside = found > -0.03 + 1e-9
    assert 50 < outside.sum() < 290
    assert np.abs(found - (apart - 0.03))[outside].max() < ROUNDING
    # below: as deep as the deepest vertex that is under the surface
    points = primitive_distances(local[..., None, None, :], cells).min(-1)
    z = surface_height(heights, 0.25, (-1.5, -1.0), local)
    depth = np.where(local[..., 2] < z, points, 0).max(-1)
    assert np.abs(found - (-depth - 0.03))[~outside].max() < ROUNDING


def surface_height(heights, spacing, origin, points):
    """Of the triangles under points; -inf beyond the rim."""
    u, v = (points[..., 0] - origin[0]) / spacing, (points[..., 1] - origin[1]) / spacing
    rows, columns = heights.shape
    inside = (u >= 0) & (v >= 0) & (u <= columns - 1) & (v <= rows - 1)
    i, j = np.clip(u.astype(int), 0, columns - 2), np.clip(v.astype(int), 0, rows - 2)
    s, t = u - i, v - j
    a, b, c, d = heights[j, i], heights[j, i + 1], heights[j + 1, i], heights[j + 1, i + 1]
    return np.where(inside, np.where(s >= t, a + s * (b - a) + t * (d - b), a + t * (c - a) + s * (d - c)), -np.inf)


def test_solids_move_with_their_pose():
    rng = np.random.default_rng(0)
    solid = ConvexVolume(rng.standard_normal((20, 3)))
    terrain = ts.contact.HeightField(np.zeros((3, 4)), 0.5, origin=(0.3, 0.2))
    scene = CollisionModel(
        flying([SweptSphere([[0, 0, 0], [0, 0, 0.3]], 0.1)]),
        obstacles=[Obstacle("rock", solid), Obstacle("floor", terrain)],
    )
    q = states(rng, 9, 1.0)
    X = proper_pose(rng)
    for name in ("rock", "floor"):
        given, moved = scene.distances(q, obstacle_poses={name: X}), scene.moved({name: X}).distances(q)
        assert np.abs(given - moved).max() == 0
        assert np.abs(given - scene.distances(q)).max() > 0.01


def test_clearance_is_the_depth_below_a_terrain_however_deep():
    floor = Obstacle("floor", ts.contact.HeightField(np.zeros((3, 4)), 0.5, origin=(-0.75, -0.5)))
    ball = Obstacle("ball", SweptSphere([[0, 0, 0]], 0.1), ts.pose((0.0, 0.0, -6.0)))
    scene = CollisionModel(flying([SweptSphere([[0, 0, 0]], 0.05)]), obstacles=[floor, ball])
    heights = np.array([-0.01, -0.3, -2.0, -5.0, -40.0, 0.2, 3.0])
    q = np.array([[0, 0, z, 1, 0, 0, 0] for z in heights])
    expected = np.minimum(heights, np.abs(heights + 6.0) - 0.1) - 0.05
    beside = np.array([5.0, 0, -6.0, 1, 0, 0, 0])  # beyond the rim nothing is below
    for threads in (1, 2):
        assert np.abs(scene.clearance(q, threads=threads) - expected).max() < 1e-14
    for state, depth in zip(q, expected, strict=True):
        assert abs(scene.clearance(state) - depth) < 1e-14
        assert abs(scene.clearance(np.stack([state, beside])) - [depth, 4.85]).max() < 1e-14


@pytest.mark.parametrize("seed", range(6))
def test_clearance_is_the_smallest_distance_from_solids_near_and_far(seed):
    rng = np.random.default_rng(seed)
    model = zoo(("free", "fixed", "planar")[seed % 3]).build()
    volumes = random_volumes(rng, model, size=(0.15, 0.6)[seed % 2])
    shapes = [
        ts.contact.HeightField(0.2 * rng.standard_normal((4, 5)), 0.3, origin=(-0.6, -0.5)),
        ts.contact.HeightField(0.2 * rng.standard_normal((6, 5)), 1.0, origin=(-2.0, -2.0)),
        ConvexVolume(2.0 * rng.standard_normal((9, 3)), 0.1),
        ConvexVolume(0.3 * rng.standard_normal((9, 3))),
        [SweptSphere(rng.uniform(-1, 1, (1 + k % 3, 3)), rng.uniform(0, 0.3)) for k in range(30)],
        [SweptSphere(rng.uniform(-2, 2, (k, 3)), rng.uniform(0, 2)) for k in (1, 2, 3)],
    ]
    q, nearest = model.random(rng, 21), set()
    for far in (0.2, 1.0, 5.0):
        around = []
        for k, shape in enumerate(shapes):
            X = proper_pose(rng)
            X[:3, 3] *= far
            around.append(Obstacle(str(k), shape, X))
        # all of them, and each alone: what is nearer must not hide the others
        for things in (around, *([thing] for thing in around)):
            scene = CollisionModel(model, volumes, things)
            distance = scene.distances(q)
            nearest |= {scene.pairs[k][1] for k in distance.argmin(1)}
            assert np.abs(scene.clearance(q) - distance.min(1)).max() < ROUNDING
            assert max(abs(scene.clearance(x) - d.min()) for x, d in zip(q, distance, strict=True)) < ROUNDING
    assert nearest >= {"0", "1", "2", "3", "4", "5"}


def test_bad_solids_are_named():
    with pytest.raises(ArgumentError, match="in a plane"):
        ConvexVolume([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]])
    with pytest.raises(ArgumentError, match="in a plane"):
        ConvexVolume([[0, 0, 0]])
    with pytest.raises(ArgumentError, match="finite numbers, found nan"):
        ConvexVolume([[0, 0, np.nan], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    with pytest.raises(ArgumentError, match=r"expected shape \(n, 3\)"):
        ConvexVolume(np.zeros((4, 2)))
    with pytest.raises(ArgumentError, match="radius"):
        ConvexVolume(np.eye(4, 3), radius=-1)
    with pytest.raises(ArgumentError, match="'o' has the shape 3"):
        Obstacle("o", 3)
    with pytest.raises(ArgumentError, match="'o' has the volume 'x'"):
        Obstacle("o", ["x"])


def slider(axis):
    """A link on a rail, with a point or a line."""
    builder = ts.ModelBuilder("rail").add_link("ground").add_link("slider", ts.Inertia(1.0, [0, 0, 0], np.eye(3)))
    return builder.add_joint("rail", "prismatic", "ground", "slider", axis=axis).build()


def test_many_volumes_of_an_obstacle_are_as_deep_as_the_deepest_of_them():
    rng = np.random.default_rng(3)
    volumes = [SweptSphere(rng.uniform(-1, 1, (3, 3)), r) for r in rng.uniform(0.01, 0.2, 60)]
    own = {"slider": SweptSphere([[0, 0, 0], [0.1, 0.1, 0]], 0.03)}
    q = np.linspace(-1, 1, 201)[:, None]
    model = slider((1, 0, 0))
    together = CollisionModel(model, own, [Obstacle("many", volumes)]).distances(q)[:, 0]
    apart = CollisionModel(model, own, [Obstacle(f"one{k}", v) for k, v in enumerate(volumes)]).distances(q).min(axis=1)
    assert (apart < 0).any()
    assert np.abs(together - apart).max() < 1e-12


def test_rounded_solids_are_as_deep_as_their_rounding():
    corners = [[x, y, z] for x in (0, 0.4) for y in (0, 0.4) for z in (0, 0.4)]
    own = {"slider": SweptSphere([[0.10279, 0.35928, 0]], 0.0)}
    scene = CollisionModel(slider((0, 0, 1)), own, [Obstacle("crate", ConvexVolume(corners, 0.05))])
    z = np.linspace(0.4001, 0.6, 50)[:, None]
    found = scene.distance_jacobian(z)
    assert np.allclose(found.distance[:, 0], z[:, 0] - 0.45, atol=1e-12)
    assert np.allclose(found.jacobian[:, 0, 0], 1.0, atol=1e-9)


@pytest.mark.parametrize("poses", [np.eye(4), np.zeros((2, 3)), [np.eye(4)], "wall"])
def test_obstacle_poses_that_are_not_by_name_are_told(poses):
    ball = SweptSphere([0.0, 0.0, 0.0], 0.1)
    scene = CollisionModel(flying([ball]), obstacles=[Obstacle("wall", [ball])])
    with pytest.raises(ArgumentError, match="obstacle_poses: found .*, expected poses by name"):
        scene.distances(scene.model.neutral(), obstacle_poses=poses)
