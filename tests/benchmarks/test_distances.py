"""Distances that are timed are the same here and there."""

import coal
import numpy as np
import pinocchio as pin
from benchmarks.distances import (
    PARITY,
    QUERIES,
    STATES,
    TABLE_5_1,
    Distances,
    QueryTime,
    humanoid,
    judge_distances,
    placed,
    poses,
    results,
)

from tarsus import _native
from tarsus.io.interop import PinocchioLayout


def test_the_humanoid_has_190_pairs_with_the_distances_of_pinocchio():
    scene, theirs, geometry = humanoid()
    assert len(scene.volumes) == 21 and len(scene.pairs) == 190 == len(geometry.collisionPairs)
    data, distances = theirs.createData(), pin.GeometryData(geometry)
    q = scene.model.random(np.random.default_rng(0), 20)
    for ours, row in zip(scene.distances(q), PinocchioLayout(scene.model, theirs).q(q), strict=True):
        pin.computeDistances(theirs, data, geometry, distances, row)
        found = [result.min_distance for result in distances.distanceResults]
        assert np.abs(ours - found).max() < PARITY


def test_capsules_that_are_timed_have_the_distances_of_coal():
    X = poses(np.random.default_rng(0))
    out = results(points=True)
    _native.volume_distances(*placed("line-line", X), out, 1)
    a, b = coal.Capsule(0.08, 0.4), coal.Capsule(0.06, 0.3)
    for row in range(20):
        first, second = (coal.Transform3s(x[:3, :3], x[:3, 3]) for x in X[row])
        distance = coal.distance(a, first, b, second, coal.DistanceRequest(), coal.DistanceResult())
        assert abs(distance - out[0][row]) < PARITY


def test_targets_are_judged_by_the_ratios_of_a_run():
    assert all(target.reached is None for target in judge_distances(None))
    assert tuple(TABLE_5_1) == QUERIES
    sweep = {f"ours, {STATES} states": 1e-6, "pin.computeDistances": 6e-6, "pin.computeDistances, read in Python": 9e-6}
    run = Distances([QueryTime(query, 1e-8, 1e-8, 4.5e-8) for query in QUERIES], sweep, 21, 190)
    judged = {target.text: target.reached for target in judge_distances(run)}
    assert list(judged.values()) == [False, True, True, True, True, False]
