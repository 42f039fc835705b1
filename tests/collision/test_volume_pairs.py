"""Distances volume by volume: the smallest of a pair of segments is the segments', and each has its own gradient."""

import numpy as np

import tarsus as ts
from tarsus.collision import CollisionModel, Obstacle, SweptSphere
from tarsus.collision.volume_pairs import VolumePairs

STEP = 1e-6


def scene():
    model = ts.robots.crops9()
    balls = [SweptSphere([[0, 0, z]], 0.05) for z in (0.0, 0.3)]
    return model, CollisionModel(model, obstacles=[Obstacle("balls", balls, ts.pose([0.6, 0.2, 0.9]))])


def test_smallest_distance_of_volumes_is_that_of_their_segments():
    model, whole = scene()
    parts = VolumePairs(whole)
    assert len(parts.segments) == sum(
        len(whole.volumes[a]) * (2 if b == "balls" else len(whole.volumes[b])) for a, b in whole.pairs
    )
    for q in model.random(np.random.default_rng(0), (5,)):
        single, together = parts.distance_jacobian(q), whole.distance_jacobian(q)
        for k, pair in enumerate(whole.pairs):
            own = [i for i, segments in enumerate(parts.segments) if segments == pair]
            nearest = own[int(np.argmin(single.distance[own]))]
            assert abs(single.distance[nearest] - together.distance[k]) < 1e-12
            if np.partition(single.distance[own], 1)[1] > single.distance[nearest] + 1e-6:
                assert np.allclose(single.jacobian[nearest], together.jacobian[k], atol=1e-9)


def test_gradients_of_all_volumes_are_those_of_finite_differences():
    model, whole = scene()
    parts = VolumePairs(whole)
    rng = np.random.default_rng(1)
    q, v = model.random(rng), rng.normal(size=model.nv)
    ahead, behind = (parts.distance_jacobian(model.integrate(q, v, s * STEP)).distance for s in (1, -1))
    slope = parts.distance_jacobian(q).jacobian @ v
    assert np.median(np.abs((ahead - behind) / (2 * STEP) - slope)) < 1e-8
    assert (np.abs((ahead - behind) / (2 * STEP) - slope) < 1e-5).mean() > 0.97  # the others are at a kink
