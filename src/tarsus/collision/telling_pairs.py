"""Pairs that tell something: those of a model's volumes without pairs that overlap in every configuration."""

from __future__ import annotations

import numpy as np

from tarsus.collision.collision_model import CollisionModel
from tarsus.collision.segment_pairs import Pair
from tarsus.model.model import Model

SAMPLES = 300
"""Random configurations that are looked at."""


def telling_pairs(model: Model) -> tuple[CollisionModel, tuple[Pair, ...]]:
    """Pairs of a model with volumes, and those left out because they overlap wherever the robot stands.

    Links near a joint of several axes are like that: a thigh is always inside the volumes of its hip. What is looked at
    are the reference pose and random configurations within the joint limits, the same in every call.
    """
    scene = CollisionModel(model)
    if not scene.pairs:
        return scene, ()
    q = np.concatenate([model.reference[None], model.random(np.random.default_rng(0), SAMPLES)])
    always = tuple(scene.pruned(q).always)
    return (CollisionModel(model, exclude=always) if always else scene), always
