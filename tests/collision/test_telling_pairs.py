"""Pairs that overlap wherever a robot stands are left out, and only those."""

import numpy as np

import tarsus as ts
from tarsus.collision import CollisionModel
from tarsus.collision.telling_pairs import telling_pairs


def test_hips_of_lola_are_left_out_and_arms_are_not():
    model = ts.robots.lola()
    scene, always = telling_pairs(model)
    assert ("pelvis", "r_hip") in always or ("pelvis", "r_thigh") in always
    assert set(scene.pairs) | set(always) == set(CollisionModel(model).pairs)
    assert any({"r_forearm", "torso"} == set(pair) for pair in scene.pairs)
    q = model.random(np.random.default_rng(8), 50)
    distance = CollisionModel(model, include=list(always)).distances(q)
    assert (distance < 0.0).mean() > 0.99


def test_a_robot_of_neighbours_has_no_pairs():
    builder = ts.ModelBuilder().add_link("a").add_link("b", ts.Inertia.of_sphere(1.0, 0.1))
    builder.add_joint("j", "revolute", "a", "b")
    builder.volumes = {name: ts.collision.SweptSphere([0, 0, 0], 0.1) for name in "ab"}
    scene, always = telling_pairs(builder.build())
    assert scene.pairs == () and always == ()
