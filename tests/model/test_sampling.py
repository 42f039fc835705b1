"""Random configurations of loops that cannot reach everything inside the limits."""

from dataclasses import replace

import numpy as np
import pytest
from loop_models import at, four_bar, parallel_ankle, rod

import tarsus as ts
from tarsus.errors import LoopError
from tarsus.model import Loop

CLOSED = 1e-12
"""[m]."""
ARM = 0.7
"""Length of the arms of the five-bar [m]."""
WIDTH = 2.0
"""Distance of the two cranks of the five-bar [m]."""


def five_bars(rotation="quaternion", count=2):
    """Planar five-bars, cranks of 1 m with arms of 0.7 m: many positions of the cranks are too far apart."""
    builder = ts.ModelBuilder("five-bars", base="free", rotation=rotation).add_link("ground", rod(1.0))
    for k in range(count):
        for side, x in (("l", 0.0), ("r", WIDTH)):
            crank, arm = f"{side}crank{k}", f"{side}arm{k}"
            builder.add_link(crank, rod(1.0)).add_link(arm, rod(ARM))
            builder.add_joint(crank, "revolute", "ground", crank, position=(x, 0.0, float(k)))
            builder.add_joint(arm, "revolute", crank, arm, position=(1.0, 0.0, 0.0), actuated=False)
        builder.add_loop(Loop(f"hand{k}", "revolute", f"larm{k}", f"rarm{k}", at(ARM), at(ARM)))
        builder.reference |= {f"lcrank{k}": 1.3, f"larm{k}": -1.0, f"rcrank{k}": 1.8, f"rarm{k}": 1.0}
    return builder


@pytest.mark.parametrize("rotation", ["quaternion", "rotation-matrix"])
def test_configurations_out_of_reach_are_drawn_again(rotation):
    model = five_bars(rotation).build()
    assert model.nv == 10
    q = model.random(np.random.default_rng(2), (4, 25))
    assert q.shape == (4, 25, model.nq)
    Q, tree = model.joint_positions(q), five_bars().build(couplings="cut")
    for loop in model.loops:
        ends = (ts.frame_pose(tree, Q, x) @ at(ARM) for x in (loop.link_a, loop.link_b))
        np.testing.assert_allclose(*(X[..., :3, 3] for X in ends), atol=CLOSED)


def test_reachable_configurations_stay_equally_likely():
    q = five_bars(count=1).build().random(np.random.default_rng(3), 2000)[:, -2:]
    drawn = np.random.default_rng(4).uniform(-np.pi, np.pi, (20000, 2))
    apart = np.abs(np.exp(1j * drawn[:, 0]) - np.exp(1j * drawn[:, 1]) - WIDTH)
    reachable = drawn[apart < 2.0 * ARM]
    assert 0.05 < len(reachable) / len(drawn) < 0.95
    deviation = np.abs(np.cos(q).mean(axis=0) - np.cos(reachable).mean(axis=0))
    assert deviation.max() < 5.0 / np.sqrt(len(q))  # five standard deviations and more


def test_same_seed_gives_the_same_configurations():
    model = parallel_ankle().build()
    first, second = (model.random(np.random.default_rng(6), 10) for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_limits_that_leave_nothing_to_reach_are_an_error_that_names_the_loop():
    builder = five_bars(count=1)
    limits = {"lcrank0": (2.5, 3.5), "rcrank0": (-0.5, 0.5)}
    builder._joints[:] = [
        replace(j, q_min=limits[j.name][0], q_max=limits[j.name][1]) if j.name in limits else j for j in builder._joints
    ]
    with pytest.raises(LoopError, match="closes loop 'hand0' with the joints 'lcrank0', .*narrow the limits"):
        builder.build().random(np.random.default_rng(7))


def test_empty_batches_stay_empty():
    assert five_bars().build().random(np.random.default_rng(0), (0, 3)).shape[:2] == (0, 3)
    assert four_bar().build().random(np.random.default_rng(0), 0).shape == (0, 1)
