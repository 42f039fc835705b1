"""How far laws, starts, floors and cameras may be off: what docs/feng-walk.md tells."""

from dataclasses import replace

import numpy as np
import pytest

from tarsus.analysis.push_limits import push_limit
from tarsus.walking.feng.found_gait import FENG_LAW, FENG_START
from tarsus.walking.feng.standing import LIFTED, stand
from tarsus.walking.feng.torques.camera import Camera
from tarsus.walking.feng.torques.walk_law import WalkLaw
from tarsus.walking.feng.walk import feng_walk
from tarsus.walking.feng.walk_step import Means

STEPS = 12


def off(law, part, rng):
    """All numbers of a law off by up to a part of theirs; the height of the head by that part of 0.1 m."""
    parts = {}
    for name in ("lifting", "periodic", "posture"):
        numbers = vars(getattr(law, name))
        wrong = {key: x * (1.0 + part * rng.uniform(-1.0, 1.0)) for key, x in numbers.items()}
        parts[name] = replace(getattr(law, name), **wrong)
    height = law.lifting.height + 0.1 * part * rng.uniform(-1.0, 1.0)
    return WalkLaw(**parts | {"lifting": replace(parts["lifting"], height=height)})


@pytest.mark.long
@pytest.mark.parametrize(("part", "walks"), [(0.02, 4), (0.05, 3)])
def test_walks_with_all_numbers_a_little_off_take_their_steps(part, walks):
    rng = np.random.default_rng(1)
    steps = [feng_walk(STEPS, law=off(FENG_LAW, part, rng)).walked for _ in range(4)]
    assert steps.count(STEPS) == walks


@pytest.mark.long
def test_walks_from_starts_20_percent_faster_or_slower_take_their_steps():
    q, v = FENG_START
    rng = np.random.default_rng(2)
    starts = [(q, v * (1.0 + 0.2 * rng.uniform(-1.0, 1.0, 18))) for _ in range(3)]
    assert [feng_walk(STEPS, start=start).walked for start in starts] == [STEPS] * 3


@pytest.mark.long
@pytest.mark.parametrize(("friction", "walks"), [(0.5, False), (0.6, True), (0.8, True), (1.0, False)])
def test_the_floor_may_be_a_little_smoother_or_rougher(friction, walks):
    assert (feng_walk(STEPS, means=Means(friction=friction)).walked == STEPS) == walks


@pytest.mark.long
def test_cameras_may_be_10_ms_late_and_3_mm_wrong():
    assert feng_walk(STEPS, camera=Camera(delay=0.01)).walked == STEPS
    assert feng_walk(STEPS, camera=Camera(delay=0.02)).walked < STEPS
    assert feng_walk(STEPS, camera=Camera(position_noise=3e-3)).walked == STEPS


@pytest.mark.long
@pytest.mark.parametrize("spring", ["knee", "toe"])
def test_springs_of_knee_and_toes_are_needed(spring):
    law = replace(FENG_LAW, posture=replace(FENG_LAW.posture, **{spring: 0.0}))
    assert feng_walk(STEPS, law=law).walked == 0


@pytest.mark.long
def test_the_spring_of_the_trunk_keeps_the_waist_from_turning():
    walk = feng_walk(60, law=replace(FENG_LAW, posture=replace(FENG_LAW.posture, trunk=0.0)))
    assert walk.walked == 60
    assert abs(walk.steps[-1].end_q[:4].sum()) > 2.0  # pitch of the waist, joints 1 to 4


@pytest.mark.long
def test_thighs_drive_the_walk_rolls_and_arms_do_not():
    for name, walks in (("thigh", False), ("roll", True), ("arms", True)):
        law = replace(FENG_LAW, periodic=replace(FENG_LAW.periodic, **{name: 0.0}))
        assert (feng_walk(STEPS, law=law).walked == STEPS) == walks


@pytest.mark.long
@pytest.mark.parametrize(("angle", "least", "most"), [(0.0, 5.0, 6.0), (np.pi, 30.0, 31.0)])
def test_limits_of_pushes_in_standing(angle, least, most):
    found = push_limit(angle, lambda push: not stand(LIFTED, push).reason, "upper_body", largest=64.0, precision=1.0)
    assert (found["limit"], found["fall"]) == (least, most)
