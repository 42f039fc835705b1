"""Ground that is not where a robot stands on it is told before the walk, and with its fall."""

import warnings

import numpy as np
import pytest

import tarsus as ts
from tarsus.contact import Ground, HeightField, Plane
from tarsus.errors import ControlWarning
from tarsus.walking import Walker
from tarsus.walking.walker.ground_gap import ground_gap
from tarsus.walking.walker.terrain import kerbs, ramp


@pytest.fixture(name="walker", scope="module")
def _walker():
    return Walker(ts.robots.hrp2())


@pytest.mark.parametrize(("height", "told"), [(-0.05, "50 mm above"), (0.005, "5 mm inside")])
def test_ground_that_is_too_high_or_too_low_is_told_with_its_distance(walker, height, told):
    with pytest.warns(ControlWarning, match=f"a sole is {told} the ground that is given"):
        outcome = walker.walk(0.3, steps=3, ground=Ground(Plane(point=(0.0, 0.0, height))), progress=False)
    if height < 0.0:
        assert not outcome.passed
    assert outcome.passed or f"a sole is {told} the ground" in outcome.reason


def test_ground_at_z_0_is_not_told_of(walker):
    plan, _ = walker.plan(0.3, steps=1)
    field = HeightField(np.zeros((41, 41)), spacing=0.1, origin=(-2.0, -2.0))
    for ground in (ts.contact.flat(), kerbs(0.03), kerbs(-0.03), ramp(0.1), Ground(field)):
        assert ground_gap(plan, ground) == ""
    assert "100 mm above" in ground_gap(plan, kerbs(-0.1, start=-1.0))


def test_walks_on_level_ground_are_quiet(walker):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert walker.walk(0.2, steps=1, ground=ts.contact.flat(), progress=False).passed
