"""Lola, her gait among obstacles, and boxes at random."""

import functools

import numpy as np

import tarsus as ts
from tarsus.geometry.shapes import Box, Shape
from tarsus.spatial import pose, rotation_z
from tarsus.walking.obstacles import experiments
from tarsus.walking.obstacles.obstacle_plan import plan_past_obstacles
from tarsus.walking.walker.gait.gait_choice import GaitChoice

GAIT = GaitChoice(experiments.STEP_TIME, 0.2, 0.05)
SPEED = 0.3


@functools.cache
def lola():
    return ts.walking.Biped.of(ts.robots.lola())


def box(size, position, yaw=0.0, velocity=(0.0, 0.0, 0.0), name="box"):
    """A box on the ground."""
    X = pose((*position, size[2] / 2), rotation_z(yaw))
    return ts.walking.Obstruction(Shape(Box(tuple(float(s) for s in size)), X, name=name), velocity)


def random_box(seed):
    rng = np.random.default_rng(seed)
    size = rng.uniform([0.02, 0.05, 0.02], [0.2, 0.6, 0.32])
    return box(size, rng.uniform([0.7, -0.3], [1.4, 0.3]), rng.uniform(-0.3, 0.3))


NEAR, STEPS = 0.9, 4
"""Where obstacles stand, nearer than in the examples so that walks are short [m], and steps of ordinary length."""


@functools.cache
def planned(name):
    """Lola past the beam or the triangle of the experiments."""
    return plan_past_obstacles(lola(), [getattr(experiments, name)(NEAR)], SPEED, STEPS, GAIT)
