"""Batches of walks and the search for their numbers."""

import numpy as np
import pytest

from tarsus.errors import ArgumentError
from tarsus.walking.feng.batch_walk import BatchWalk, batch_walk
from tarsus.walking.feng.found_gait import FENG_LAW, FENG_START, SPEED, SPLIT
from tarsus.walking.feng.search import RANGES, Stage, candidates, law_of, merit, search
from tarsus.walking.feng.split_stance import split_stance


def test_points_of_the_search_are_laws():
    x = np.linspace(0.1, 0.9, len(RANGES))
    made = candidates(np.stack([x, x]))
    low, high = RANGES["thigh"]
    k = list(RANGES).index("thigh")
    assert made.law.periodic.thigh[1] == pytest.approx(low + (high - low) * x[k])
    alone = law_of(x)
    assert alone.periodic.thigh == pytest.approx(float(made.law.periodic.thigh[0]))
    assert made.q.shape == made.v.shape == (2, 18)
    with pytest.raises(ArgumentError, match=r"expected \(B, 17\)"):
        candidates(x[None, 1:])


def test_a_batch_walks_the_first_step_as_rigid_ground_does(right_walk):
    q, v = (np.tile(x, (2, 1)) for x in FENG_START)
    found = batch_walk(FENG_LAW, q, v, duration=0.7, dt=5e-4)
    assert found.steps.tolist() == [1, 1]
    assert found.lengths[0] == found.lengths[1]
    assert found.lengths[0][0] == pytest.approx(right_walk.steps[0].length, abs=0.01)  # of first order in the step


def test_merit_prefers_more_steps_and_upright_knees():
    def walk(steps, back=0.0, standing=True):
        return BatchWalk(np.array([5.0]), np.array([standing]), [[0.2] * steps], np.array([back]))

    assert merit(walk(9), 5.0) > merit(walk(8), 5.0)
    assert merit(walk(8), 5.0) > merit(walk(8, back=0.1), 5.0)
    assert merit(walk(8), 5.0) > merit(walk(8, standing=False), 5.0)


def test_a_search_is_repeated_by_its_seed():
    stages = (Stage(0.1, 0.1, 4, 2),)
    one, two = (search(3, stages=stages, draws=4) for _ in range(2))
    np.testing.assert_array_equal(one, two)
    assert one.shape == (len(RANGES),)


@pytest.mark.parametrize(
    ("options", "named"),
    [({"seconds": 0.0}, "seconds is 0.0"), ({"seconds": np.nan}, "nan"), ({"seed": -1}, "seed is -1")],
)
def test_a_search_that_could_not_try_anything_finds_nothing(options, named):
    with pytest.raises(ArgumentError, match=named):
        search(**options, stages=(Stage(0.1, 0.1, 4, 1),), draws=4)


def test_the_stance_has_both_feet_flat():
    from tarsus.walking.feng.contacting_foot import foot_points, support_model

    q, v = split_stance(SPLIT, SPEED)
    np.testing.assert_array_equal(q, FENG_START[0])
    points = foot_points(support_model("right"), q, v)
    np.testing.assert_allclose(points.position[:, 2], 0.0, atol=1e-12)
    assert points.position[1, 0] == pytest.approx(-1.56 * np.sin(SPLIT))
