"""Distances of swept spheres against an exhaustive search, closed forms, and coal."""

import itertools

import coal
import numpy as np
import pytest
from geometry.exhaustive_distances import primitive_distances
from geometry.volume_pairs import CLASSES, KINDS, general, rotated, scale_of

from tarsus.errors import ArgumentError, NonFiniteError, ShapeError
from tarsus.geometry.volume_distances import PARTS, volume_distances

ROWS = 1250
"""Pairs of every class: 10^4 of every query."""
EXACT = 1e-12
"""Of the scale: some thousand roundings."""
COAL = 1e-6
"""[m] Tolerance that coal's iterations stop at."""
FACE, EDGES = 6, (3, 4, 5)


def pairs_of(kind, make, rows=ROWS, seed=0):
    rng = np.random.default_rng([seed, *kind, CLASSES.index(make)])
    a, b = make(rng, *kind, rows)
    return a, rng.uniform(0, 0.3, rows), b, rng.uniform(0, 0.3, rows)


@pytest.mark.parametrize("make", CLASSES, ids=lambda make: make.__name__)
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_distances_are_those_of_an_exhaustive_search(kind, make):
    a, r, b, s = pairs_of(kind, make)
    found = volume_distances(a, r, b, s)
    apart = primitive_distances(a, b)
    scale = scale_of(a, b)
    assert (np.abs(found.distance + r + s - apart) <= EXACT * scale + 1e-15 * (r + s)).all()
    assert np.abs(volume_distances(a, r, b, s, witnesses=False).distance - found.distance).max() <= EXACT * scale.max()


@pytest.mark.parametrize("make", CLASSES, ids=lambda make: make.__name__)
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_witnesses_are_points_of_the_surfaces_at_that_distance(kind, make):
    a, r, b, s = pairs_of(kind, make)
    found = volume_distances(a, r, b, s)
    scale = scale_of(a, b) + np.abs(np.concatenate([a, b], axis=1)).max((1, 2))
    assert np.abs(np.linalg.norm(found.normal, axis=-1) - 1).max() < 1e-12
    between = found.point_a + found.distance[:, None] * found.normal - found.point_b
    assert (np.linalg.norm(between, axis=-1) <= EXACT * (scale + r + s)).all()
    inner = (found.point_a - r[:, None] * found.normal)[:, None], (found.point_b + s[:, None] * found.normal)[:, None]
    for point, primitive in zip(inner, (a, b), strict=True):
        assert (primitive_distances(point, primitive) <= EXACT * (scale + r + s)).all()


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_sides_may_be_exchanged_and_broadcast(kind):
    a, r, b, s = pairs_of(kind, general, 100)
    one, other = volume_distances(a, r, b, s, features=True), volume_distances(b, s, a, r, features=True)
    assert np.abs(one.distance - other.distance).max() < 1e-13
    apart = one.distance + r + s > 1e-9  # where they cross, the direction is that of the second triangle
    assert apart.sum() > 50
    assert np.abs(one.point_a - other.point_b)[apart].max() < 1e-9
    assert np.abs(one.normal + other.normal)[apart].max() < 1e-9
    assert (one.features == other.features[:, ::-1]).all()
    table = volume_distances(a[:, None], 0.1, b[None, :7], s[:7])
    assert table.distance.shape == (100, 7) and table.point_a.shape == (100, 7, 3)
    single = volume_distances(a[3], 0.1, b[5], s[5])
    assert single.distance.shape == () and single.distance == table.distance[3, 5]
    assert volume_distances(a[:0], r[:0], b[:0], s[:0]).point_b.shape == (0, 3)


def test_results_depend_on_neither_neighbours_nor_threads():
    a, r, b, s = pairs_of((3, 3), CLASSES[2], 2001)
    whole = volume_distances(a, r, b, s, features=True)
    for part in (slice(0, 2001, 1), slice(5, 9), slice(1990, 2001)):
        again = volume_distances(a[part], r[part], b[part], s[part], features=True, threads=2)
        for x, y in zip(whole, again, strict=True):
            assert (x[part] == y).all()


def test_all_configurations_of_two_triangles_occur():
    """Nine of two edges, six of a vertex and a face (Buschmann 2014, 5.2.3), six of an edge that pierces a face."""
    a, r, b, s = pairs_of((3, 3), general, 20000)
    found = volume_distances(a, r, b, s, features=True)
    hit = {tuple(row) for row in found.features.tolist()}
    edges = set(itertools.product(EDGES, EDGES))
    faces = {(v, FACE) for v in range(3)} | {(FACE, v) for v in range(3)}
    pierced = {(e, FACE) for e in EDGES} | {(FACE, e) for e in EDGES}
    assert len(edges) == 9 and len(faces) == 6 and len(pierced) == 6
    assert edges | faces | pierced <= hit
    apart = found.distance + r + s
    through = np.array([tuple(row) in pierced for row in found.features.tolist()])
    assert (apart[through] < 1e-14).all() and (apart[~through] > 1e-9).all()
    assert [PARTS[k] for k in (0, 3, FACE)] == ["vertex 0", "edge 0", "face"]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_features_are_where_the_points_are(kind):
    a, r, b, s = pairs_of(kind, general)
    found = volume_distances(a, r, b, s, features=True)
    apart = found.distance + r + s > 1e-9  # where they cross, the points are in the middle of the cut
    ends = (found.point_a - r[:, None] * found.normal, found.point_b + s[:, None] * found.normal)
    for side, primitive, point in ((0, a, ends[0]), (1, b, ends[1])):
        for part in np.unique(found.features[:, side]):
            rows = apart & (found.features[:, side] == part)
            n = primitive.shape[1]
            corners = [part] if part < 3 else [0, 1, 2] if part == FACE else [part - 3, (part - 2) % n]
            off = primitive_distances(point[rows, None], primitive[rows][:, corners])
            assert off.max(initial=0.0) < EXACT


def test_parallel_lines_meet_in_the_middle_of_what_they_share():
    rng = np.random.default_rng(0)
    first = np.array([[[0, 0, 0], [4, 0, 0]]] * 4, dtype=float)
    second = np.array([[[1, 1, 0], [9, 1, 0]], [[3, 1, 0], [2, 1, 0]], [[5, 1, 0], [9, 1, 0]], [[-3, 1, 0], [9, 1, 0]]])
    both = rotated(
        rng,
        np.concatenate([first, second.astype(float), [[[2.5, 0, 0]], [[2.5, 0, 0]], [[4, 0, 0]], [[2, 0, 0]]]], axis=1),
    )
    found = volume_distances(both[:, :2], 0.0, both[:, 2:4], 0.0)
    assert np.abs(found.point_a - both[:, 4]).max() < 1e-14


def test_parallel_triangles_meet_inside_of_the_region_they_share():
    rng = np.random.default_rng(1)
    corner = np.array([[0, 0, 0], [3, 0, 0], [0, 3, 0]], dtype=float)
    middle = np.array([[1, 1, 0.0]])
    both = rotated(rng, np.array([np.concatenate([corner, corner + np.array([0, 0, 2]), middle])] * 16))
    found = volume_distances(both[:, :3], 0.5, both[:, 3:6], 0.5)
    assert np.abs(found.distance - 1).max() < 1e-14
    on = found.point_a - 0.5 * found.normal
    assert np.abs(on - both[:, 6]).max() < 1e-14  # mean of the three corners, twice


def test_a_pierced_triangle_is_met_in_the_middle_of_the_cut():
    a = [[-1, 0, 0], [1, 0, 0], [0, 2, 0]]
    b = [[0.1, 1, -1], [0.1, 1, 1], [0.1, 9, 0]]
    found = volume_distances(a, 0.1, b, 0.2, features=True)
    assert abs(found.distance + 0.3) < 1e-15
    on = found.point_a - 0.1 * found.normal
    assert np.abs(on - [0.1, 1.4, 0]).max() < 1e-14
    assert np.abs(np.abs(found.normal) - [1, 0, 0]).max() < 1e-14  # of the second triangle


@pytest.mark.parametrize(
    ("a", "b", "normal"),
    [
        ([[1, 2, 3]], [[1, 2, 3]], [0, 0, 1]),
        ([[0, 0, 0]], [[-1, 0, 0], [3, 0, 0]], [0, 0, 1]),
        ([[0, 0, 0]], [[0, 0, -1], [0, 0, 1]], None),
        ([[0, 0, 0], [0, 2, 0]], [[-1, 1, 0], [1, 1, 0]], None),
        ([[0, 0, 0], [0, 0, 2]], [[-1, -1, 1], [1, -1, 1], [0, 5, 1]], [0, 0, 1]),
        ([[0, 0, 0], [0, 0, 5]], [[-1, -1, 1], [1, -1, 1], [0, 5, 1]], [0, 0, -1]),
        ([[0, 0, 0], [0, 0, 0]], [[0, 0, 0], [0, 0, 0], [0, 0, 0]], [0, 0, 1]),
    ],
)
def test_touching_primitives_have_a_direction_across_them(a, b, normal):
    found = volume_distances(a, 0.25, b, 0.5)
    assert found.distance == -0.75
    assert abs(np.linalg.norm(found.normal) - 1) < 1e-15
    for primitive in (a, b):
        for u, v in itertools.combinations(np.array(primitive, dtype=float), 2):
            if len(a) == 1 or len(b) == 2 or len(primitive) == 3:
                assert abs(found.normal @ (u - v)) < 1e-15
    if normal is not None:
        assert np.abs(found.normal - normal).max() < 1e-15
    again = volume_distances(a, 0.25, b, 0.5)
    assert (again.normal == found.normal).all()


def shape_of(vertices, radius):
    """A shape of coal at its place: sphere, capsule, or a triangle as a swept convex hull."""
    place = coal.Transform3s()
    if len(vertices) == 1:
        place.setTranslation(vertices[0])
        return coal.Sphere(radius), place
    if len(vertices) == 2:
        along = vertices[1] - vertices[0]
        size = np.linalg.norm(along)
        R = np.linalg.qr(np.column_stack([along, np.eye(3)[np.argsort(np.abs(along))[:2]].T]))[0][:, [1, 2, 0]]
        R[:, 0] *= np.sign(np.linalg.det(R))
        place.setRotation(R)
        place.setTranslation((vertices[0] + vertices[1]) / 2)
        return coal.Capsule(radius, size), place
    points, faces = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    for vertex in vertices:
        points.append(vertex)
    faces.append(coal.Triangle(0, 1, 2))
    faces.append(coal.Triangle(0, 2, 1))
    shape = coal.Convex(points, faces)
    shape.setSweptSphereRadius(radius)
    return shape, place


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_distances_are_those_of_coal(kind):
    a, r, b, s = pairs_of(kind, general, 10000)
    ours = volume_distances(a, r, b, s).distance
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    request.gjk_tolerance = request.epa_tolerance = 1e-9
    theirs = np.empty(len(ours))
    for row in range(len(ours)):
        result.clear()
        one, other = shape_of(a[row], r[row]), shape_of(b[row], s[row])
        theirs[row] = coal.distance(*one, *other, request, result)
    apart = ours + r + s > 1e-3  # beyond that coal tells how deep primitives are in each other, which we do not
    assert apart.sum() > 5000
    assert np.abs(ours - theirs)[apart].max() < COAL


@pytest.mark.parametrize(
    ("arguments", "error", "told"),
    [
        (([[np.nan, 0, 0]], 0.1, [[0, 0, 0]], 0.1), NonFiniteError, "vertices_a has the entry nan at [0, 0]"),
        (([[0, 0, 0]], 0.1, [[0, 0, 0]], np.inf), NonFiniteError, "radius_b has the entry inf"),
        (([[0, 0, 0]], -0.1, [[0, 0, 0]], 0.1), ArgumentError, "radius_a has the entry -0.1"),
        ((np.zeros((4, 3)), 0.1, [[0, 0, 0]], 0.1), ShapeError, "vertices_a has shape (4, 3), expected (..., 1, 3)"),
        ((np.zeros((5, 1, 3)), 0.1, np.zeros((4, 1, 3)), 0.1), ShapeError, "do not fit together: vertices_a (5,)"),
        (([["x", 0, 0]], 0.1, [[0, 0, 0]], 0.1), ArgumentError, "vertices_a has dtype"),
    ],
)
def test_bad_input_is_named(arguments, error, told):
    with pytest.raises(error) as caught:
        volume_distances(*arguments)
    assert told in str(caught.value)
