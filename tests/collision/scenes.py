"""Robots with volumes, and obstacles, that tests of collision models share."""

import numpy as np
from loop_models import four_bar
from sample_models import random_pose, zoo

import tarsus as ts
from tarsus.collision import CollisionModel, Obstacle, SweptSphere


def random_volumes(rng, model, most=3, size=0.15):
    """One to `most` volumes of random kinds on every body."""
    return {
        name: tuple(
            SweptSphere(rng.uniform(-size, size, (rng.integers(1, 4), 3)), rng.uniform(0.01, 0.08))
            for _ in range(rng.integers(1, most + 1))
        )
        for name in model.bodies
    }


def obstacles(rng, count=3):
    return [
        Obstacle(
            f"thing {k}",
            [SweptSphere(rng.uniform(-0.5, 0.5, (1 + (k + i) % 3, 3)), 0.05 * (i + 1)) for i in range(1 + k % 3)],
            random_pose(rng),
        )
        for k in range(count)
    ]


def zoo_scene(base="free", seed=0, **keywords):
    rng = np.random.default_rng(seed)
    model = zoo(base).build()
    return CollisionModel(model, random_volumes(rng, model), obstacles(rng), **keywords)


def looped_scene():
    rng = np.random.default_rng(3)
    model = four_bar().build()
    return CollisionModel(model, random_volumes(rng, model), obstacles(rng), adjacent=True)


def lola_scene():
    rng = np.random.default_rng(4)
    model = ts.robots.lola()
    return CollisionModel(model, random_volumes(rng, model, most=2), obstacles(rng))
