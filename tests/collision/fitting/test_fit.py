"""Fitted volumes: they enclose every point of a link, are tight, deterministic and symmetric; what cannot be."""

import warnings

import numpy as np
import pytest
from robot_data import robot_data_path

import tarsus as ts
from tarsus.collision import FittedVolumes, fit
from tarsus.collision.fitting.facets import facets_of
from tarsus.errors import ArgumentError, UnknownNameError
from tarsus.geometry.meshes.read import triangles_of
from tarsus.geometry.shapes import Box, Capsule, Cylinder, Ellipsoid, Mesh, Plane, Shape, Sphere
from tarsus.geometry.swept_sphere import SweptSphere
from tarsus.geometry.triangles import Triangles
from tarsus.spatial import pose
from tarsus.spatial.rotation_vector import rotation_matrix_from_rotation_vector

SURFACE_POINTS = 8_000
"""Drawn on the shapes of a link."""
TILTED = pose((0.1, -0.2, 0.3), rotation_matrix_from_rotation_vector(np.array([0.4, 0.7, -0.2])))


def robot(*shapes, name="part"):
    builder = ts.ModelBuilder("robot", base="free")
    return builder.add_link(name, ts.Inertia.of_sphere(1.0, 0.1), collisions=shapes, visuals=shapes).build()


def surface_points(geometry, rng, count):
    """Points on the surface of a geometry in its own frame, from its definition and not from triangles around it."""
    direction = rng.normal(size=(count, 3))
    direction /= np.linalg.norm(direction, axis=1)[:, None]
    match geometry:
        case Sphere(radius):
            return radius * direction
        case Ellipsoid(radii):
            return direction * radii
        case Capsule(radius, length):
            return radius * direction + rng.uniform(-length / 2, length / 2, (count, 1)) * [0, 0, 1]
        case Cylinder(radius, length):
            turn, height = rng.uniform(0, 2 * np.pi, count), rng.uniform(-length / 2, length / 2, count)
            height[::3] = np.sign(height[::3]) * length / 2
            return np.column_stack([radius * np.cos(turn), radius * np.sin(turn), height])
        case Box(size):
            points = rng.uniform(-0.5, 0.5, (count, 3))
            face = rng.integers(3, size=count)
            points[np.arange(count), face] = np.sign(points[np.arange(count), face]) * 0.5
            points[: count // 4] = np.sign(points[: count // 4]) * 0.5  # corners
            return points * size
        case Mesh(scale=scale):
            mesh = triangles_of(geometry)
            weights = rng.dirichlet(np.full(3, 0.5), count)
            corners = mesh.vertices[mesh.faces[rng.integers(len(mesh.faces), size=count)]]
            return np.einsum("ni,nij->nj", weights, corners) * scale


def oracle_distance(volume, points):
    """Distance of points from the generating primitive, by minimising over a fine grid and then by projection."""
    v = volume.vertices
    if len(v) == 1:
        return np.linalg.norm(points - v[0], axis=1)

    def to_segment(a, b):
        t = np.clip(((points - a) @ (b - a)) / max((b - a) @ (b - a), 1e-300), 0, 1)
        return np.linalg.norm(points - a - t[:, None] * (b - a), axis=1)

    if len(v) == 2:
        return to_segment(*v)
    edges = np.min([to_segment(v[i], v[j]) for i, j in ((0, 1), (1, 2), (2, 0))], axis=0)
    weights, *_ = np.linalg.lstsq((v[1:] - v[0]).T, (points - v[0]).T, rcond=None)
    inside = (weights >= 0).all(axis=0) & (weights.sum(axis=0) <= 1)
    height = np.linalg.norm(points - v[0] - weights.T @ (v[1:] - v[0]), axis=1)
    return np.where(inside, np.minimum(height, edges), edges)


def sticking_out(volumes, shapes, seed=1):
    """How far the worst of many random points of the shapes is outside of the union."""
    rng = np.random.default_rng(seed)
    worst = -np.inf
    for shape in shapes:
        points = surface_points(shape.geometry, rng, SURFACE_POINTS // len(shapes))
        points = points @ shape.pose[:3, :3].T + shape.pose[:3, 3]
        outside = np.min([oracle_distance(volume, points) - volume.radius for volume in volumes], axis=0)
        worst = max(worst, outside.max())
    return worst


PRIMITIVES = [
    Sphere(0.2),
    Capsule(0.1, 0.4),
    Cylinder(0.1, 0.3),
    Cylinder(0.2, 0.05),
    Ellipsoid((0.1, 0.2, 0.35)),
    Box((0.2, 0.24, 0.13)),
    Box((0.5, 0.3, 0.02)),
    Box((1.0, 0.05, 0.05)),
]


@pytest.mark.parametrize("geometry", PRIMITIVES, ids=repr)
def test_primitives_are_enclosed(geometry):
    volumes = fit(robot(Shape(geometry, TILTED)))
    assert sticking_out(volumes["part"], [Shape(geometry, TILTED)]) <= 0.0
    assert len(volumes["part"]) <= 4


@pytest.mark.parametrize("geometry", [Sphere(0.2), Capsule(0.1, 0.4)], ids=repr)
def test_spheres_and_capsules_are_found_again(geometry):
    (volume,) = fit(robot(Shape(geometry, TILTED)))["part"]
    assert volume.kind == ("point" if isinstance(geometry, Sphere) else "line")
    assert volume.radius == pytest.approx(geometry.radius, rel=0.01)
    exact = SweptSphere(TILTED[:3, 3], 0.2).volume
    exact = exact if isinstance(geometry, Sphere) else SweptSphere([[0, 0, -0.2], [0, 0, 0.2]], 0.1).volume
    assert exact <= volume.volume <= 1.02 * exact


def test_several_shapes_of_a_link_are_enclosed_together():
    shapes = [
        Shape(Box((0.2, 0.1, 0.05)), TILTED),
        Shape(Cylinder(0.05, 0.2), pose((0.0, 0.0, 0.5))),
        Shape(Sphere(0.1), pose((0.3, 0.0, 0.0))),
    ]
    volumes = fit(robot(*shapes))
    assert sticking_out(volumes["part"], shapes) <= 0.0
    assert volumes.tightness < 1.0  # a link that is not convex: less than its hull


def test_more_volumes_are_tighter():
    shapes = [Shape(Box((0.3, 0.2, 0.2)))]
    tightness = [fit(robot(*shapes), max_volumes=n, min_gain=0.0).tightness for n in (1, 2, 4, 8)]
    assert tightness == sorted(tightness, reverse=True)
    assert tightness[-1] < 0.75 * tightness[0]
    assert fit(robot(*shapes), max_volumes=8, min_gain=0.0).count > 4


def test_a_cube_with_four_volumes():
    assert 1.7 < fit(robot(Shape(Box((0.2, 0.2, 0.2))))).tightness < 1.85


def test_a_gain_that_nothing_reaches_leaves_one_volume():
    assert fit(robot(Shape(Box((0.3, 0.2, 0.2)))), min_gain=0.9).count == 1


LIMIT = 1.6
"""Enclosed volume beside that of the convex hulls."""


@pytest.mark.parametrize("name", ["hrp2", "lola"])
def test_built_in_humanoids_are_enclosed_tightly(name):
    model = getattr(ts.robots, name)()
    volumes = fit(model)
    assert volumes.tightness <= LIMIT
    assert max(link.count for link in volumes.links) <= 4
    for body in model.bodies.values():
        assert sticking_out(volumes[body.name], body.collisions) <= 0.0


@pytest.mark.parametrize(
    ("path", "base"), [("talos_data/robots/talos_full_v2.urdf", "free"), ("panda_description/urdf/panda.urdf", None)]
)
def test_robots_of_meshes_are_enclosed_tightly(path, base):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = ts.load(robot_data_path(path), base)
    volumes = fit(model)
    assert volumes.tightness <= LIMIT
    assert max(link.count for link in volumes.links) <= 4
    for name in volumes:
        assert sticking_out(volumes[name], model.bodies[name].collisions) <= 0.0
    assert set(volumes) | set(volumes.skipped) == set(model.bodies)


def test_the_same_arguments_give_the_same_volumes():
    model = robot(Shape(Box((0.3, 0.2, 0.2)), TILTED), Shape(Cylinder(0.1, 0.4)))
    one, other = fit(model), fit(model)
    for a, b in zip(one["part"], other["part"], strict=True):
        np.testing.assert_array_equal(a.vertices, b.vertices)
        assert a.radius == b.radius


def test_left_and_right_are_mirror_images():
    volumes = fit(ts.robots.hrp2(), links=["RLEG_LINK2", "LLEG_LINK2"])
    for left, right in zip(volumes["LLEG_LINK2"], volumes["RLEG_LINK2"], strict=True):
        np.testing.assert_allclose(left.vertices * [1, -1, 1], right.vertices, atol=1e-12)
        assert left.radius == right.radius


def test_visual_shapes_are_enclosed_on_request_and_a_large_mesh_is_searched_coarsely():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = ts.load(robot_data_path("panda_description/urdf/panda.urdf"))
    volumes = fit(model, shapes="visual", links=["panda_link5"])
    assert len(facets_of(model.bodies["panda_link5"].visuals, "")) > 3000
    assert sticking_out(volumes["panda_link5"], model.bodies["panda_link5"].visuals) <= 0.0
    assert volumes.tightness <= LIMIT


def test_the_result_goes_into_a_model_and_tells_its_tightness():
    model = robot(Shape(Sphere(0.2)))
    volumes = fit(model)
    assert isinstance(volumes, FittedVolumes)
    assert model.with_volumes(volumes).volumes["part"] == volumes["part"]
    assert volumes.links[0].link == "part"
    assert volumes.links[0].tightness == volumes.tightness == pytest.approx(1.0, abs=0.03)
    assert repr(volumes).startswith("<1 volumes of 1 links, 1.0")
    with pytest.raises(UnknownNameError, match="no volumes of link 'prt'; close: 'part'"):
        volumes["prt"]


def test_progress_is_told_link_by_link():
    seen = []
    fit(ts.robots.planar4(), progress=lambda *entry: seen.append(entry))
    assert seen == [(name, k, ts.robots.planar4().nb) for k, name in enumerate(ts.robots.planar4().bodies)]


def mesh(vertices, faces, scale=(1.0, 1.0, 1.0)):
    content = Triangles(np.array(vertices, dtype=float).reshape(-1, 3), np.array(faces, dtype=np.intp).reshape(-1, 3))
    return Mesh("part.stl", None, scale, content)


FLAT = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]


def test_flat_and_degenerate_triangles_are_enclosed():
    for faces in ([[0, 1, 2], [1, 3, 2]], [[0, 1, 1]], [[2, 2, 2]], [[0, 1, 2], [3, 3, 3]]):
        shape = Shape(mesh(FLAT, faces))
        volumes = fit(robot(shape))
        assert sticking_out(volumes["part"], [shape]) <= 0.0
        assert volumes.tightness == np.inf


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        (Mesh("gone.stl"), "link 'part': mesh 'gone.stl' cannot be enclosed: its file was not found"),
        (Mesh("x.stl", "/nowhere/x.stl"), "link 'part': mesh 'x.stl' cannot be enclosed: cannot be read"),
        (mesh([[0, 0, 0], [np.nan, 0, 0], [0, 1, 0]], [[0, 1, 2]]), "mesh 'part.stl' .* vertices that are not finite"),
        (mesh(FLAT, [[0, 1, 2]], (np.inf, 1, 1)), "mesh 'part.stl' .* vertices that are not finite"),
        (mesh(FLAT, []), "mesh 'part.stl' cannot be enclosed: it has no triangles and no volume"),
        (Box((0.1, np.nan, 0.1)), "not finite"),
    ],
)
def test_what_cannot_be_enclosed_is_named(shape, message):
    with pytest.raises(ArgumentError, match=message), np.errstate(invalid="ignore"):
        fit(robot(Shape(shape)))


def test_links_without_shapes_and_planes_are_left_out_and_told():
    builder = ts.ModelBuilder("robot").add_link("world", collisions=[Shape(Plane())])
    builder.add_link("arm", ts.Inertia.of_sphere(1.0, 0.1), collisions=[Shape(Sphere(0.1))])
    builder.add_link("tip", ts.Inertia.of_sphere(1.0, 0.1), visuals=[Shape(Sphere(0.1))])
    builder.add_joint("a", "revolute", "world", "arm").add_joint("b", "revolute", "arm", "tip")
    volumes = fit(builder.build())
    assert list(volumes) == ["arm"]
    assert volumes.skipped == {
        "world": "planes have no end and are not enclosed",
        "tip": "no collision shapes (1 others)",
    }


def test_a_robot_without_shapes_is_told():
    builder = ts.ModelBuilder("bare", base="free").add_link("part", ts.Inertia.of_sphere(1.0, 0.1))
    with pytest.raises(ArgumentError, match="no link of 'bare' has a collision shape to enclose; try shapes='visual'"):
        fit(builder.build())


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"max_volumes": 0}, "max_volumes: expected a whole number from 1 to 64, found 0"),
        ({"max_volumes": 2.5}, "max_volumes"),
        ({"shapes": "mesh"}, "shapes: expected 'collision' or 'visual', found 'mesh'"),
        ({"min_gain": np.nan}, "min_gain"),
        ({"links": ["prt"]}, "body 'prt' not found; close: 'part'"),
    ],
)
def test_wrong_arguments_are_told(keywords, message):
    with pytest.raises(ArgumentError, match=message):
        fit(robot(Shape(Sphere(0.1))), **keywords)
