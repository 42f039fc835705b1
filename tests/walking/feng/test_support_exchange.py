"""Exchange of supports: the same state from the other toe."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.errors import ShapeError
from tarsus.walking.feng.contacting_foot import foot_points, support_model
from tarsus.walking.feng.split_stance import split_stance
from tarsus.walking.feng.support_exchange import bears, exchanged, mirrored, other

EXACT = 1e-12
"""Relative to the largest value: the same sums in another order."""
WALKED = 1e-10
"""The same along a walk, whose feet are flat within 1e-10 rad; 3e-11 was found."""
WIDTH = 0.27


def standing(seed, split=0.2):
    """A state with both feet flat and at rest: random motions that leave them so."""
    model = support_model("right")
    q, v = split_stance(split, 0.0)
    rng = np.random.default_rng(seed)
    q[8:] += rng.normal(scale=0.2, size=10)
    rows = np.vstack([ts.jacobian(model, q, "swing_foot")[[0, 2, 4]], np.eye(18)[[0, 7]]])
    v = rng.normal(size=18)
    return q, v - np.linalg.pinv(rows) @ (rows @ v)


@pytest.mark.parametrize("seed", range(5))
def test_energy_and_momentum_are_kept(seed):
    q, v = standing(seed)
    right, left = support_model("right"), support_model("left")
    there = exchanged(q), exchanged(v)
    moved = ts.frame_pose(right, q, "swing_toe")[:3, 3]
    assert moved[1] == pytest.approx(WIDTH)
    before, after = ts.kinetic_energy(right, q, v), ts.kinetic_energy(left, *there)
    assert before > 1.0
    assert after == pytest.approx(before, rel=EXACT)
    assert ts.potential_energy(left, there[0]) == pytest.approx(ts.potential_energy(right, q), rel=EXACT)
    np.testing.assert_allclose(
        ts.momentum(left, *there), ts.momentum(right, q, v), atol=EXACT * np.abs(ts.momentum(right, q, v)).max() * 10
    )
    for frame in ("head", "l_hand", "r_hand"):
        here, seen = ts.frame_pose(right, q, frame), np.array(ts.frame_pose(left, there[0], frame))
        seen[:3, 3] += moved
        np.testing.assert_allclose(seen, here, atol=EXACT)


def test_energy_momentum_and_feet_are_kept_at_the_exchanges_of_a_walk(right_walk):
    """Feet are flat to 1e-10 there, not to rounding: link 0 is told level, and the robot turns by so much."""
    for step in right_walk.steps:
        here, there = support_model(step.support), support_model(other(step.support))
        one, two = (step.end_q, step.end_v), (exchanged(step.end_q), exchanged(step.end_v))
        energies = [ts.kinetic_energy(m, *x) + ts.potential_energy(m, x[0]) for m, x in ((here, one), (there, two))]
        assert energies[1] == pytest.approx(energies[0], rel=WALKED)
        before, after = ts.momentum(here, *one), ts.momentum(there, *two)
        np.testing.assert_allclose(after, before, atol=WALKED * np.abs(before).max())
        moved = ts.frame_pose(here, one[0], "swing_toe")[:3, 3]
        for frame in ("l_sole", "r_sole", "head"):
            places = ts.frame_pose(here, one[0], frame)[:3, 3], ts.frame_pose(there, two[0], frame)[:3, 3] + moved
            np.testing.assert_allclose(places[1], places[0], atol=1e-9)


def test_twice_exchanged_is_nothing():
    q, v = standing(0)
    np.testing.assert_array_equal(exchanged(exchanged(q)), q)
    np.testing.assert_array_equal(mirrored(mirrored(v)), v)
    assert other(other("left")) == "left"


def test_a_mirror_image_falls_as_its_original():
    """Accelerations of the mirror image are the mirror image of the accelerations."""
    rng = np.random.default_rng(3)
    q, v, tau = rng.normal(scale=0.3, size=(3, 18))
    right = ts.forward_dynamics(support_model("right"), q, v, tau, passive=True)
    left = ts.forward_dynamics(support_model("left"), mirrored(q), mirrored(v), mirrored(tau), passive=True)
    np.testing.assert_allclose(left, mirrored(right), atol=EXACT * np.abs(right).max() * 100)


def test_only_a_foot_at_rest_flat_and_ahead_bears():
    behind, moving = standing(1)
    assert foot_points(support_model("right"), behind, moving).highest < 1e-12
    assert bears(support_model("right"), behind, moving) is None
    model = support_model("left")
    q, v = exchanged(behind), exchanged(moving)
    found = bears(model, q, v)
    assert found is not None
    assert found.position[1, 0] == pytest.approx(2 * 0.78 * np.sin(0.2))
    slides = v.copy()
    slides[4] += 1e-3
    assert bears(model, q, slides) is None
    bent = q.copy()
    bent[7] -= 0.01
    assert bears(model, bent, v) is None


def test_velocities_of_points_are_those_of_differences():
    model = support_model("right")
    rng = np.random.default_rng(5)
    q, v = rng.normal(scale=0.3, size=(2, 18))
    h = 1e-6
    there, back = (foot_points(model, q + s * h * v, v).position for s in (1.0, -1.0))
    np.testing.assert_allclose(foot_points(model, q, v).velocity, (there - back) / (2 * h), atol=1e-8)


def test_other_shapes_are_refused():
    with pytest.raises(ShapeError, match=r"expected \(\.\.\., 18\)"):
        exchanged(np.zeros(17))
