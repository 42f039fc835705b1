"""Robots with volumes, and what is in their way, that tests of reaching share."""

import numpy as np
from planar_arm import arm

import tarsus as ts
from tarsus.collision import CollisionModel, Obstacle, SweptSphere

LENGTHS = (0.4, 0.3, 0.3)


def rods(lengths=LENGTHS, radius=0.03, **options):
    """A planar arm whose links are capsules."""
    model = arm(lengths, **options)
    return model.with_volumes(
        {f"link{k + 1}": SweptSphere([[0.05, 0, 0], [x, 0, 0]], radius) for k, x in enumerate(lengths)}
    )


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
