"""The study of reaching, shorter: 50 motions of each robot in the second stage, a few in the first."""

import pytest
from ik.study_reaching import ROBOTS, outcome

LEAST_SHARE = 0.95


def judged(name, numbers):
    robot = ROBOTS[name]()
    found = [outcome(robot, number) for number in numbers]
    assert [entry["wrong"] for entry in found] == [[]] * len(found)
    assert all(entry["reason"] for entry in found)
    return sum(entry["status"] == "arrived" for entry in found) / len(found)


@pytest.mark.parametrize("name", ROBOTS)
def test_random_motions_arrive_without_touching(name):
    assert judged(name, range(3)) == 1.0


@pytest.mark.long
@pytest.mark.parametrize("name", ROBOTS)
def test_of_fifty_random_motions_nearly_all_arrive_and_none_touches(name):
    assert judged(name, range(50)) >= LEAST_SHARE
