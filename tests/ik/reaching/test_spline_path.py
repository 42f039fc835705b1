"""Bounds of splines between their knots hold everywhere between them."""

import numpy as np
from ik.reaching.scenes import rods

import tarsus as ts
from tarsus.ik.reaching.spline_path import SplinePath


def random_path(model, seed=0, knots=8, far=0.4):
    rng = np.random.default_rng(seed)
    q = [np.array(model.reference)]
    for _ in range(knots):
        q.append(model.integrate(q[-1], rng.uniform(-far, far, model.nv)))
    return SplinePath(model, np.arange(knots + 1.0), np.array(q))


def test_parts_hold_how_far_everything_moves():
    model = ts.robots.hrp2()
    path = random_path(model)
    rng = np.random.default_rng(1)
    piece = rng.integers(0, 8, 50)
    begin = rng.uniform(0.0, 0.9, 50)
    end = begin + rng.uniform(0.01, 0.1, 50)
    middle, moved = path.part(piece, begin, end)
    for k in range(50):
        s = piece[k] + np.linspace(begin[k], end[k], 30)
        way = np.abs(model.difference(np.broadcast_to(middle[k], (30, model.nq)), path.at(s)))
        joints = [joint for joint in model.joints.values() if joint.name != "base"]
        places = np.concatenate([np.arange(model.nv)[joint.v_index] for joint in joints])
        assert (way[:, places] <= moved[k, places] + 1e-12).all()
        assert (np.linalg.norm(way[:, 3:6], axis=-1) <= moved[k, 3] + 1e-12).all()
        shift = np.linalg.norm(path.at(s)[:, :3] - middle[k, :3], axis=-1)
        assert (shift <= moved[k, 0] + 1e-12).all()


def test_limits_that_are_passed_between_knots_are_noticed():
    model = rods()
    path = random_path(model, 3)
    s = np.linspace(0.0, path.length, 4000)
    low, high = path.at(s).min(axis=0), path.at(s).max(axis=0)
    assert path.within(low - 0.3, high + 0.3)
    for k in range(3):
        wide = np.full(3, 10.0)
        wide[k] = high[k] - 1e-4
        assert not path.within(np.full(3, -10.0), wide)


def test_knots_are_met_and_quaternions_do_not_flip():
    model = ts.robots.hrp2()
    path = random_path(model)
    q = np.array([path.at(np.array([x]))[0] for x in path.s])
    flipped = q.copy()
    flipped[3:, 3:7] *= -1  # the same rotations
    other = SplinePath(model, path.s, flipped)
    s = np.linspace(0, path.length, 100)
    assert np.abs(other.at(s) - path.at(s)).max() < 1e-9
