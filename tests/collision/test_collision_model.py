"""Collision models: distances, witnesses and Jacobians by slow formulas, pairs, obstacles, bad input."""

import itertools
import pickle

import numpy as np
import pytest
from collision.scenes import lola_scene, looped_scene, obstacles, random_volumes, zoo_scene
from dynamics.finite_differences import gradient
from sample_models import double_pendulum, random_pose

import tarsus as ts
from tarsus.collision import CollisionModel, Obstacle, SweptSphere
from tarsus.errors import ArgumentError, NonFiniteError, ShapeError, UnknownNameError
from tarsus.geometry.volume_distances import volume_distances

ROUNDING = 1e-12
"""[m] Distances of robots of a few metres: kinematics and the queries round some hundred times."""
SLOPE = 1e-6
"""[1] Differences of fourth order of a distance, whose curvature grows as the distance shrinks."""
SCENES = {"zoo": zoo_scene, "loop": looped_scene, "lola": lola_scene}


@pytest.fixture(params=SCENES, scope="module")
def scene(request):
    return SCENES[request.param]()


def slow_pair(scene, q, pair, poses=None):
    """Distance, points and normal of one pair: every pair of volumes in the world."""
    placed = []
    for name in pair:
        if name in scene.volumes:
            X, volumes = ts.frame_pose(scene.model, q, name), scene.volumes[name]
        else:
            obstacle = next(o for o in scene.obstacles if o.name == name)
            X, volumes = (poses or {}).get(name, obstacle.pose), obstacle.volumes
        placed.append([volume.transformed(X) for volume in volumes])
    found = [volume_distances(a.vertices, a.radius, b.vertices, b.radius) for a, b in itertools.product(*placed)]
    return min(found, key=lambda x: float(x.distance))


def states(scene, count, seed=1):
    return scene.model.random(np.random.default_rng(seed), count)


def test_distances_and_witnesses_are_those_of_all_volumes_in_the_world(scene):
    for q in states(scene, 5):
        distance, points = scene.distances(q), scene.witnesses(q)
        assert distance.shape == (len(scene.pairs),) and points.shape == (len(scene.pairs), 2, 3)
        for k, pair in enumerate(scene.pairs):
            slow = slow_pair(scene, q, pair)
            assert abs(distance[k] - slow.distance) < ROUNDING
            assert abs(np.linalg.norm(points[k, 1] - points[k, 0]) - abs(slow.distance)) < ROUNDING
            if slow.distance > 1e-3:
                assert np.abs(points[k] - [slow.point_a, slow.point_b]).max() < 1e-9


def test_batches_are_their_states(scene):
    q = states(scene, 21).reshape(3, 7, -1)
    distance, points, jacobian = scene.distances(q), scene.witnesses(q), scene.distance_jacobian(q)
    assert distance.shape == (3, 7, len(scene.pairs)) and points.shape == (3, 7, len(scene.pairs), 2, 3)
    assert jacobian.jacobian.shape == (3, 7, len(scene.pairs), scene.model.nv)
    assert np.abs(jacobian.distance - distance).max() < ROUNDING
    for i, j in itertools.product(range(3), range(7)):
        assert np.abs(distance[i, j] - scene.distances(q[i, j])).max() < ROUNDING
        one = scene.distance_jacobian(q[i, j])
        clear = np.abs(distance[i, j]) > 1e-6
        assert np.abs(points[i, j] - scene.witnesses(q[i, j]))[clear].max() < 1e-7
        assert np.abs(jacobian.jacobian[i, j] - one.jacobian)[clear].max() < 1e-6
    assert (scene.distances(q, threads=2) == distance).all()
    out = np.empty_like(distance)
    assert scene.distances(q, out=out) is out and (out == distance).all()


def test_gradients_are_those_of_finite_differences(scene):
    """Buschmann 2014 (5.61). Where nearest points pass to another part, differences of two lengths disagree."""
    checked = 0
    for q in states(scene, 4, seed=2):
        found = scene.distance_jacobian(q)
        numeric = [gradient(scene.model, q, scene.distances, step) for step in (2e-3, 1e-3)]
        smooth = (np.abs(numeric[0] - numeric[1]).max(1) < 0.1 * SLOPE) & (scene.distances(q) > -0.02)
        assert np.abs(found.jacobian - numeric[1])[smooth].max() < SLOPE
        checked += int(smooth.sum())
    assert checked > 2 * len(scene.pairs)


def test_what_carries_both_segments_does_not_change_their_distance():
    scene = zoo_scene()
    inner = [k for k, pair in enumerate(scene.pairs) if all(name in scene.volumes for name in pair)]
    jacobian = scene.distance_jacobian(states(scene, 1)[0]).jacobian
    assert inner and (jacobian[inner][:, :6] == 0).all()


def test_nearest_pairs_come_first(scene):
    q = states(scene, 1)[0]
    distance = scene.distances(q)
    found = scene.nearest(q, count=4)
    assert np.abs(np.array([near.distance for near in found]) - np.sort(distance)[: len(found)]).max() < ROUNDING
    for near in found:
        assert abs(distance[scene.pairs.index(near.pair)] - near.distance) < ROUNDING
        assert near.points.shape == (2, 3)
    assert len(scene.nearest(q, count=10**6)) == len(scene.pairs)


def test_clearance_is_the_smallest_distance(scene):
    q = states(scene, 40)
    assert np.abs(scene.clearance(q) - scene.distances(q).min(1)).max() < ROUNDING
    for state in q[:5]:
        assert abs(scene.clearance(state) - scene.distances(state).min()) < ROUNDING
    X = random_pose(np.random.default_rng(0))
    poses = {scene.obstacles[0].name: X}
    assert (
        np.abs(scene.clearance(q, obstacle_poses=poses) - scene.distances(q, obstacle_poses=poses).min(1)).max()
        < ROUNDING
    )


def test_obstacles_move(scene):
    rng = np.random.default_rng(5)
    q = states(scene, 3)
    name = scene.obstacles[1].name
    X = np.array([random_pose(rng) for _ in range(3)])
    moved = scene.distances(q, obstacle_poses={name: X})
    for k in range(3):
        assert np.abs(scene.moved({name: X[k]}).distances(q[k]) - moved[k]).max() < ROUNDING
        for i, pair in enumerate(scene.pairs):
            if name in pair:
                assert abs(slow_pair(scene, q[k], pair, {name: X[k]}).distance - moved[k, i]) < ROUNDING
    others = [k for k, pair in enumerate(scene.pairs) if name not in pair]
    assert (moved[:, others] == scene.distances(q)[:, others]).all()
    assert scene.witnesses(q[0], obstacle_poses={name: X}).shape == (3, len(scene.pairs), 2, 3)


def test_pairs_of_neighbours_and_of_one_body_are_left_out():
    model = double_pendulum().build()
    ball = SweptSphere([[0, 0, 0]], 0.1)
    volumes = {name: ball for name in model.bodies}
    assert CollisionModel(model, volumes).pairs == (("ground", "lower"),)
    assert CollisionModel(model, volumes, adjacent=True).pairs == (
        ("ground", "upper"),
        ("ground", "lower"),
        ("upper", "lower"),
    )
    # through a body without volumes
    assert CollisionModel(model, {"ground": ball, "lower": ball}).pairs == ()
    tipped = model.with_frame("tip", "lower", ts.pose((0, 0, -0.3)))
    pairs = CollisionModel(tipped, {**volumes, "tip": ball}).pairs
    assert ("lower", "tip") not in pairs and ("ground", "tip") in pairs and ("upper", "tip") not in pairs


def test_pairs_by_name():
    model = double_pendulum().build()
    ball = SweptSphere([[0, 0, 0]], 0.1)
    volumes, box = {name: ball for name in model.bodies}, Obstacle("box", ball)
    assert CollisionModel(model, volumes, [box], include=[("upper", "lower")]).pairs == (("upper", "lower"),)
    assert CollisionModel(model, volumes, [box], include=["box"], exclude=["ground"]).pairs == (
        ("upper", "box"),
        ("lower", "box"),
    )
    assert CollisionModel(model, volumes, [box], exclude=[("box", "upper"), ("lower", "ground")]).pairs == (
        ("ground", "box"),
        ("lower", "box"),
    )


def test_pairs_that_the_file_excludes_are_left_out():
    scene = zoo_scene()
    from dataclasses import replace

    excluded = scene.pairs[0]
    description = replace(scene.model.description, collision_exclusions=(excluded,))
    from tarsus.model.model import _restore

    model = _restore(description, "reduce")
    again = CollisionModel(model, scene.volumes, scene.obstacles)
    assert set(scene.pairs) - set(again.pairs) == {excluded}
    assert excluded in CollisionModel(model, scene.volumes, include=[excluded]).pairs


def test_pruning_leaves_pairs_that_sometimes_touch():
    model = double_pendulum().build()
    volumes = {
        "ground": [SweptSphere([[0, 0, 0], [0, 0, -0.6]], 0.05), SweptSphere([[3, 0, 0]], 0.1)],
        "upper": SweptSphere([[0, 0, 0]], 0.2),
        "lower": SweptSphere([[0, 0, 0], [0, 0, -0.3]], 0.05),
    }
    far, around = Obstacle("far", SweptSphere([[9, 0, 0]], 0.1)), Obstacle("around", SweptSphere([[0, 0, 0]], 5.0))
    scene = CollisionModel(model, volumes, [far, around], adjacent=True)
    done = scene.pruned(2000, np.random.default_rng(0))
    assert ("ground", "upper") in done.always and ("lower", "around") in done.always
    assert ("lower", "far") in done.never and ("ground", "lower") in done.scene.pairs
    assert set(done.scene.pairs) | set(done.never) | set(done.always) == set(scene.pairs)
    distance = scene.distances(model.random(np.random.default_rng(1), 500))
    for k, pair in enumerate(scene.pairs):
        if pair in done.never:
            assert distance[:, k].min() > 0
        if pair in done.always:
            assert distance[:, k].max() < 0
    assert "2000 configurations" in str(done) and "never" in str(done)
    q = model.random(np.random.default_rng(2), 7)
    kept = [scene.pairs.index(pair) for pair in done.scene.pairs]
    assert np.abs(done.scene.distances(q) - scene.distances(q)[:, kept]).max() == 0
    assert scene.pruned(q).samples == 7


def test_a_scene_can_be_pickled():
    scene = zoo_scene()
    again = pickle.loads(pickle.dumps(scene))
    q = states(scene, 1)[0]
    assert again.pairs == scene.pairs and (again.distances(q) == scene.distances(q)).all()


def test_a_scene_without_pairs_has_empty_results():
    model = double_pendulum().build()
    scene = CollisionModel(model, {"upper": SweptSphere([[0, 0, 0]], 0.1)})
    assert scene.distances(model.neutral()).shape == (0,)
    assert scene.distance_jacobian(np.zeros((4, 2))).jacobian.shape == (4, 0, 2)
    assert scene.nearest(model.neutral()) == ()
    assert scene.clearance(np.zeros((4, 2))).shape == (4,) and np.isinf(scene.clearance(model.neutral()))


def test_bad_input_is_named():
    model = double_pendulum().build()
    ball = SweptSphere([[0, 0, 0]], 0.1)
    volumes, box = {name: ball for name in model.bodies}, Obstacle("box", ball)
    scene = CollisionModel(model, volumes, [box])
    cases = [
        (lambda: CollisionModel(model), ArgumentError, "ts.collision.fit(model)"),
        (lambda: CollisionModel(model, {"uper": ball}), UnknownNameError, "'uper' not found"),
        (lambda: CollisionModel(model, {"upper": 3}), ArgumentError, "volumes of frame 'upper'"),
        (lambda: CollisionModel(model, volumes, [box, box]), ArgumentError, "'box' is that of another obstacle"),
        (lambda: CollisionModel(model, volumes, [Obstacle("upper", ball)]), ArgumentError, "a segment of the robot"),
        (lambda: CollisionModel(model, volumes, ["box"]), ArgumentError, "found 'box'"),
        (lambda: CollisionModel(model, volumes, include=["lowr"]), UnknownNameError, "include has the name 'lowr'"),
        (
            lambda: CollisionModel(model, volumes, exclude=[("upper", "x")]),
            UnknownNameError,
            "exclude has the name 'x'",
        ),
        (lambda: CollisionModel(model, volumes, exclude="upper"), ArgumentError, "single name 'upper'"),
        (lambda: CollisionModel(model, volumes, include=[("upper", "upper")]), ArgumentError, "pair of two names"),
        (lambda: SweptSphere([[0, np.nan, 0]], 0.1), ArgumentError, "vertices: expected finite"),
        (lambda: Obstacle("o", []), ArgumentError, "'o' has no volumes"),
        (lambda: Obstacle("o", ball, np.diag([2, 1, 1, 1])), ArgumentError, "no rigid pose"),
        (lambda: scene.distances([0.0, np.nan]), NonFiniteError, "nan"),
        (lambda: scene.distances([0.0]), ShapeError, "expected (..., 2)"),
        (lambda: scene.distances([0.0, 0.0], obstacle_poses={"bx": np.eye(4)}), UnknownNameError, "'bx' not found"),
        (lambda: scene.distances([0, 0], obstacle_poses={"box": np.full((4, 4), np.nan)}), ArgumentError, "'box'"),
        (lambda: scene.nearest(np.zeros((3, 2))), ShapeError, "nearest"),
        (lambda: scene.nearest([0, 0], count=0), ArgumentError, "count is 0"),
        (lambda: scene.moved({"no": np.eye(4)}), UnknownNameError, "'no' not found"),
        (lambda: scene.pruned(0), ArgumentError, "samples is 0"),
    ]
    for call, error, told in cases:
        with pytest.raises(error) as caught:
            call()
        assert told in str(caught.value)


def test_degenerate_volumes_give_finite_distances():
    model = double_pendulum().build()
    flat = SweptSphere([[0, 0, 0], [0, 0, 0], [0, 0, 0]], 0.0)
    sliver = SweptSphere([[0, 0, 0], [0, 0, -0.5], [0, 0, -0.25]], 0.0)
    scene = CollisionModel(model, {"ground": [flat, sliver], "lower": [sliver, flat], "upper": flat}, adjacent=True)
    q = np.concatenate([np.zeros((1, 2)), model.random(np.random.default_rng(0), 40)])
    for value in (scene.distances(q), scene.witnesses(q), scene.distance_jacobian(q).jacobian):
        assert np.isfinite(value).all()


def test_random_volumes_of_a_scene_have_all_kinds():
    """What the tests above look at."""
    scene = zoo_scene()
    kinds = {volume.kind for volumes in scene.volumes.values() for volume in volumes}
    assert kinds == {"point", "line", "triangle"} and len(obstacles(np.random.default_rng(0))) == 3
    assert random_volumes(np.random.default_rng(0), scene.model).keys() == scene.model.bodies.keys()
