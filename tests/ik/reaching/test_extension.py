"""Steps towards a configuration: all of them keep the tasks, are free and within limits."""

import numpy as np

import tarsus as ts
from tarsus.ik.reaching.extension import Extension
from tarsus.ik.reaching.moving_space import moving_space
from tarsus.ik.reaching.swept_clearance import SweptClearance
from tarsus.ik.reaching.task_solver import TaskSolver

KEPT = 1e-8


def standing():
    model = ts.robots.hrp2()
    keep = ts.ik.stance(model)
    space = moving_space(model, keep, np.array(model.reference), None)
    solver = TaskSolver(space, keep)
    scenes = ts.collision.motion_scenes(model).scenes
    return Extension(space, SweptClearance(space, scenes, 0.0), solver), solver, scenes


def test_every_node_keeps_the_tasks_also_where_the_end_does_not():
    extension, solver, scenes = standing()
    space, rng = extension.space, np.random.default_rng(0)
    went = 0
    for target in space.random(rng, 12):
        near = space.model.integrate(space.q0, 0.1 * space.way(space.q0, target))
        nodes, arrived = extension.towards(space.q0, near)
        assert not arrived  # it is off the tasks
        if len(nodes):
            went += len(nodes)
            assert solver.missed(nodes).max() < KEPT
            assert space.inside(nodes).all() and all((scene.distances(nodes) > 0).all() for scene in scenes)
    assert went > 5


def test_ends_that_keep_the_tasks_are_reached_as_they_are():
    extension, solver, _ = standing()
    space = extension.space
    reached = 0
    for target in space.random(np.random.default_rng(1), 12):
        ends, solved = solver.solve(space.model.integrate(space.q0, 0.1 * space.way(space.q0, target))[None])
        nodes, arrived = extension.towards(space.q0, ends[0])
        if not (solved[0] and arrived):  # it collides
            continue
        reached += 1
        assert np.array_equal(nodes[-1], ends[0])
        if len(nodes) > 1:
            fewer, arrived = extension.towards(space.q0, ends[0], len(nodes) - 1)
            assert len(fewer) == len(nodes) - 1 and not arrived
    assert reached > 2
