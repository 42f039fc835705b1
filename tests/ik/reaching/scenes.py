"""Robots with volumes, and what is in their way, that tests of reaching share."""

import numpy as np
from planar_arm import arm

import tarsus as ts
from tarsus.collision import CollisionModel, Obstacle, SweptSphere
from tarsus.geometry.shapes import Box, Shape

LENGTHS = (0.4, 0.3, 0.3)


def rods(lengths=LENGTHS, radius=0.03, **options):
    """A planar arm whose links are capsules."""
    model = arm(lengths, **options)
    return model.with_volumes(
        {f"link{k + 1}": SweptSphere([[0.05, 0, 0], [x, 0, 0]], radius) for k, x in enumerate(lengths)}
    )


def bars(gap=0.02, limits=(-np.pi, np.pi)):
    """Two bars of boxes in a row, `gap` apart, with a small link of two hinges between them; volumes overlap there."""
    inertia = ts.Inertia(1.0, [0, 0, 0], 0.01 * np.eye(3))
    hinge = {"axis": [0, 0, 1], "q_min": limits[0], "q_max": limits[1], "v_max": 1.0}
    builder = ts.ModelBuilder("bars")
    builder.add_link("first", inertia, collisions=[Shape(Box((0.3, 0.04, 0.04)), ts.pose([0.15, 0, 0]))])
    builder.add_link("knuckle", inertia, collisions=[Shape(Box((0.01, 0.01, 0.01)))])
    builder.add_link("second", inertia, collisions=[Shape(Box((0.3, 0.04, 0.04)), ts.pose([0.15 + gap, 0, 0]))])
    builder.add_joint("bend", "revolute", "first", "knuckle", pose=ts.pose([0.3, 0, 0]), **hinge)
    builder.add_joint("fold", "revolute", "knuckle", "second", **hinge)
    builder.add_frame("tool", "second", ts.pose([0.4, 0, 0]))
    along = {name: SweptSphere([[0, 0, 0], [0.3, 0, 0]], 0.03) for name in ("first", "second")}
    return builder.build().with_volumes({**along, "knuckle": SweptSphere([[0, 0, 0]], 0.01)})


def post(place, radius=0.05, name="post"):
    """An upright pole that a planar arm cannot go through."""
    return Obstacle(name, SweptSphere([[0, 0, -1], [0, 0, 1]], radius), ts.pose([*place, 0.0]))


def among(model, *obstacles):
    return CollisionModel(model, obstacles=obstacles)


def least_distance(scenes, q):
    """Smallest distance of many configurations."""
    return min(float(scene.distances(q).min()) for scene in scenes)


def fine(motion, times=20):
    """A motion, sampled many times finer."""
    return motion.sample(np.linspace(0.0, motion.duration, times * len(motion.t)))
