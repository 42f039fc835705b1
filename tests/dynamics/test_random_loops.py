"""Random trees of all kinds of joints, closed by random loops and gears, against multipliers."""

import numpy as np
from dynamics.loop_oracle import Opened
from dynamics.random_models import random_builder, random_pose
from dynamics.states import SOLVED, assert_close

import tarsus as ts
from tarsus.errors import LoopError
from tarsus.model import Loop

KINDS = ("revolute", "revolute", "prismatic", "universal", "cylindrical", "spherical", "helical")
ONE_AXIS = ("revolute", "prismatic", "helical")
SEEDS = 80
FEWEST = 50
"""Of the seeds, those whose loops have minimal coordinates; the others are refused, or leave out the spin of a rod."""


def closed_tree(seed: int) -> ts.ModelBuilder:
    """A tree whose loops are closed where all joints are at zero."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(4, 10))
    kinds = [str(rng.choice(KINDS)) for _ in range(count)]
    parents = [int(rng.integers(max(0, k - 3), k + 1)) for k in range(count)]
    builder = random_builder(kinds, parents, str(rng.choice(["fixed", "free"])), seed)
    tree = builder.build()
    poses, names = ts.body_poses(tree, tree.neutral()), list(tree.bodies)
    for number in range(int(rng.integers(1, 3))):
        a, b = rng.choice(count + 1, 2, replace=False)
        X_W = random_pose(rng)
        kind = str(rng.choice(["revolute", "spherical", "spherical"]))
        ends = np.linalg.inv(poses[a]) @ X_W, np.linalg.inv(poses[b]) @ X_W
        builder.add_loop(Loop(f"loop{number}", kind, names[a], names[b], *ends))
    simple = [k + 1 for k, kind in enumerate(kinds) if kind in ONE_AXIS]
    if len(simple) > 1 and rng.random() < 0.5:
        i, j = rng.choice(simple, 2, replace=False)
        builder.add_coupling(f"joint{i}", f"joint{j}", float(rng.uniform(0.3, 2.0)))
    return builder


def test_accelerations_of_random_closed_trees_are_those_with_multipliers() -> None:
    compared = 0
    for seed in range(SEEDS):
        builder = closed_tree(seed)
        try:
            model = builder.build()
        except LoopError:
            continue
        if any(warning.rule == "idle-spin" for warning in model.warnings):
            continue
        rng = np.random.default_rng(seed)
        q = model.integrate(model.reference, 0.01 * rng.normal(size=model.nv))
        v, tau = rng.normal(size=(2, model.nv))
        opened = Opened(model, builder.build(couplings="cut"), q, v)
        assert_close(model.coupling_matrix(q), opened.G, SOLVED)
        for method in ("articulated-body", "composite-body"):
            vdot = ts.forward_dynamics(model, q, v, tau, method=method)
            assert_close(opened.G @ vdot + opened.bias, opened.accelerations(tau), SOLVED)
        compared += 1
    assert compared >= FEWEST
