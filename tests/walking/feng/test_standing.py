"""Standing with visual lifting and without."""

import pytest

from tarsus.simulation.push import Push
from tarsus.walking.feng.standing import LIFTED, LIMP, stand


def test_lifting_keeps_the_robot_on_its_feet():
    assert stand(LIFTED, duration=1.5).reason == ""
    fallen = stand(LIMP, duration=1.5)
    assert fallen.reason
    assert fallen.time < 1.2


def test_ctrl_c_is_no_standing(monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(type(LIFTED), "torque", interrupted)
    with pytest.raises(KeyboardInterrupt):
        stand(LIFTED, duration=0.1)


def test_a_light_push_is_withstood_and_a_hard_one_is_not():
    light = stand(LIFTED, Push("upper_body", (-50.0, 0.0, 0.0), start=0.1, duration=0.1), duration=1.5)
    hard = stand(LIFTED, Push("upper_body", (400.0, 0.0, 0.0), start=0.1, duration=0.1), duration=1.5)
    assert light.reason == ""
    assert "about its toes" in hard.reason
