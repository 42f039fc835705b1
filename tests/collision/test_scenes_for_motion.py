"""Scenes for motions: volumes where they tell, shapes where they do not, nothing that is never apart."""

import numpy as np
import pytest
from ik.reaching.scenes import bars
from robot_data import robot_data_path

import tarsus as ts
from tarsus.collision import CollisionModel, Obstacle, ShapePairs, SweptSphere, motion_scenes
from tarsus.collision.fitting.facets import facets_of
from tarsus.collision.scenes_for_motion import _facets, _polytope
from tarsus.errors import ArgumentError, UnknownNameError
from tarsus.geometry.shapes import Box, Shape


def test_pairs_are_looked_at_once_or_told_to_be_left_out():
    model = ts.robots.hrp2()
    found = motion_scenes(model)
    looked = [pair for scene in found.scenes for pair in scene.pairs]
    assert len(looked) == len(set(looked))
    assert set(looked) | set(found.ignored) == set(CollisionModel(model).pairs)
    assert not set(looked) & set(found.ignored)
    assert set(found.by_shapes) == set(found.scenes[1].pairs)
    assert all(scene.clearance(model.reference) > 0 for scene in found.scenes)


def test_robots_whose_volumes_are_apart_have_one_scene():
    found = motion_scenes(ts.robots.crops9())
    assert len(found.scenes) == 1 and found.by_shapes == found.ignored == ()


def test_distances_of_shapes_are_bounds_from_below_and_exact_where_near():
    model = ts.robots.hrp2()
    pairs = next(scene for scene in motion_scenes(model).scenes if isinstance(scene, ShapePairs))
    q = model.random(np.random.default_rng(0), 200)
    whole = [
        CollisionModel(model, {name: pairs._shapes[name] for name in pair}, include=[pair]) for pair in pairs.pairs
    ]
    exact = np.stack([scene.distances(q)[:, 0] for scene in whole], axis=-1)
    found = pairs.distances(q)
    assert found.shape == (200, len(pairs.pairs))
    assert (found <= exact + 1e-12).all()
    near = exact < 0.02
    assert near.any() and np.abs(found - exact)[near & (found < 0.02)].max() < 1e-12
    assert np.array_equal(pairs.clearance(q), found.min(axis=-1))
    assert pairs.nearest(q[0])[0].distance == pytest.approx(exact[0].min(), abs=1e-12)
    fewer = pairs.restricted(pairs.pairs[:2])
    assert fewer.pairs == pairs.pairs[:2]
    assert np.array_equal(fewer.distances(q), found[:, :2])


def test_shapes_that_touch_as_built_are_left_out_and_told():
    pair = ("first", "second")
    found = motion_scenes(bars(gap=1e-5))
    assert found.ignored == (pair,) and found.by_shapes == found.scenes == ()
    found = motion_scenes(bars(gap=1e-3))
    assert found.ignored == () and found.by_shapes == (pair,)


def test_a_fixed_root_may_touch_what_it_stands_on():
    model = ts.robots.crops9()
    floor = Obstacle("floor", SweptSphere([[-1, -1, 0], [1, -1, 0], [0, 1, 0]], 0.05))
    pairs = motion_scenes(model, obstacles=[floor]).scenes[0].pairs
    assert ("platform", "floor") not in pairs and ("link9", "floor") in pairs


def test_polytopes_enclose_what_they_stand_for():
    rng = np.random.default_rng(0)
    from tarsus.geometry.hull import convex_hull

    points = rng.normal(size=(300, 3)) * [0.3, 0.1, 0.05]
    hull = convex_hull(points)
    facets = facets_of([Shape(Box((1, 1, 1)))], "box")
    cloud = type(facets)(hull.vertices[hull.faces], np.zeros(len(hull.faces)), np.zeros(len(hull.faces), dtype=int))
    triangles = _polytope(cloud)
    a, b, c = np.moveaxis(triangles, 1, 0)
    normal = np.cross(b - a, c - a)
    middle = triangles.mean(axis=(0, 1))
    outwards = np.sign(np.sum(normal * (a - middle), axis=-1))[:, None]
    beyond = np.einsum("mk,nk->mn", normal * outwards, points) - np.sum(normal * outwards * a, axis=-1)[:, None]
    assert beyond.max() <= 1e-12


def test_fine_meshes_are_replaced_by_polytopes():
    model = ts.load(robot_data_path("panda_description/urdf/panda.urdf"))
    facets = _facets(model, "panda_link5")
    assert 12 <= len(facets) <= 400


def test_pairs_that_are_not_there_are_refused():
    scene = CollisionModel(ts.robots.crops9())
    assert scene.restricted(scene.pairs[3:5]).pairs == scene.pairs[3:5]
    with pytest.raises(UnknownNameError, match="no pair of this collision model"):
        scene.restricted([("link2", "link3")])
    with pytest.raises(ArgumentError, match="no collision volumes"):
        motion_scenes(ts.robots.planar4().with_volumes({}))
