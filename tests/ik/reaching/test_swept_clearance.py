"""What is proven to be free is free, and what is free is proven, but for what is within a fraction of a millimetre."""

import numpy as np
import pytest
from collision.scenes import looped_scene, zoo_scene
from ik.reaching.scenes import among, post, rods

import tarsus as ts
from tarsus.ik.reaching.lever_arms import lever_arms
from tarsus.ik.reaching.moving_space import MovingSpace, moving_space
from tarsus.ik.reaching.swept_clearance import RESOLVED, SweptClearance

DENSE = 3000
"""Places of a way that are looked at one by one."""


def space_of(model, q0=None):
    everything = np.ones(model.nv, dtype=bool)
    start = np.array(model.reference if q0 is None else q0)
    box = moving_space(model, (), start, [n for n, j in model.joints.items() if j.v_index.stop > j.v_index.start])
    return MovingSpace(model, start, everything, box.lower, box.upper)


def dense(scene, q, way):
    """Smallest distance of each way, by many samples."""
    shares = np.linspace(0.0, 1.0, DENSE)
    return np.array([scene.distances(scene.model.integrate(a, d, shares)).min() for a, d in zip(q, way, strict=True)])


def test_proofs_agree_with_dense_samples():
    model = ts.robots.crops9()
    scene = among(model, post((0.7, 0.3), name="pole"))
    clearance = SweptClearance(space_of(model), [scene], 0.0)
    rng = np.random.default_rng(0)
    q = model.random(rng, 400)
    q = q[scene.clearance(q) > 0][:60]
    way = rng.uniform(-1, 1, (len(q), model.nv)) * rng.uniform(0.02, 1.0, (len(q), 1))
    least, free = dense(scene, q, way), clearance.ways_free(q, way)
    assert 10 < free.sum() < len(q) - 10
    assert (least[free] > 0).all()
    assert (least[~free] < 2 * RESOLVED).all()


def test_a_wire_between_samples_is_found():
    model = rods()
    wire = post((0.9 * np.cos(0.55), 0.9 * np.sin(0.55)), radius=1e-4, name="wire")
    scene = among(model, wire)
    clearance = SweptClearance(space_of(model), [scene], 0.0)
    q, way = np.zeros((1, 3)), np.array([[1.0, 0.0, 0.0]])
    assert scene.distances(model.integrate(q[0], way[0], np.linspace(0, 1, 11))).min() > 0  # they step over it
    assert not clearance.ways_free(q, way)[0]
    assert clearance.met.most_common(1)[0][0][1] == "wire"
    assert clearance.ways_free(q, 0.4 * way)[0]


def test_margins_are_kept_where_the_start_has_them():
    model = rods()
    scene = among(model, post((0.7, 0.3)))
    q, away = np.zeros((1, 3)), np.array([[-0.3, 0.0, 0.0]])
    near = float(scene.distances(q[0]).min())
    wide = SweptClearance(space_of(model), [scene], 2 * near)
    assert wide.ways_free(q, away)[0]  # pairs that are nearer at the start keep half of what they have
    towards = np.array([[0.28, 0.0, 0.0]])
    assert SweptClearance(space_of(model), [scene], 0.0).ways_free(q, towards)[0]
    assert not wide.ways_free(q, towards)[0]


@pytest.mark.parametrize("base", ["free", "fixed", "planar"])
def test_no_distance_changes_faster_than_lever_arms_say(base):
    scene = zoo_scene(base)
    model = scene.model
    space = space_of(model)
    rng = np.random.default_rng(1)
    q = space.random(rng, 200)
    way = rng.normal(size=(200, model.nv)) * rng.choice([1e-3, 0.1, 0.5], (200, 1))
    there = model.integrate(q, way)
    inside = ((there >= space.lower) & (there <= space.upper)).all(axis=-1)
    assert inside.sum() > 20
    change = np.abs(scene.distances(there) - scene.distances(q))
    bound = np.abs(way) @ lever_arms(scene, space.lower, space.upper).T
    assert (change <= bound + 1e-9)[inside].all()
    assert (change / np.maximum(bound, 1e-12))[inside].max() > 0.2  # they are of use


def test_joints_that_follow_in_loops_count():
    scene = looped_scene()
    model = scene.model
    clearance = SweptClearance(space_of(model), [scene], 0.0)
    rng = np.random.default_rng(2)
    q = model.random(rng, 300)
    q = q[scene.clearance(q) > 0][:40]
    way = rng.uniform(-0.4, 0.4, (len(q), model.nv))
    least, free = dense(scene, q, way), clearance.ways_free(q, way)
    assert free.any() and (least[free] > 0).all()
