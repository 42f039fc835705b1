"""Soft landings compared: lowered gains, control of the vertical force, neither."""

import pytest
from walking.walker.landings import landing_forces

import tarsus as ts
from tarsus.errors import UnknownNameError
from tarsus.walking import Walker


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::tarsus.errors.ControlWarning")
def test_soft_gains_and_force_control_each_lower_the_largest_force_of_landings_of_hrp2(monkeypatch):
    walker = Walker(ts.robots.hrp2(), control_dt=2e-3, clearance=0.05)
    largest = {}
    for softness in ("gains", "force", "none"):
        forces, done = landing_forces(walker, monkeypatch, speed=0.3, steps=4, landing=softness)
        assert done.passed, str(done)
        assert len(forces) >= 5
        largest[softness] = forces.max()
    assert largest["gains"] < 0.6 and largest["force"] < 0.6  # 0.53 and 0.52 weights
    assert largest["none"] > 1.15 * max(largest["gains"], largest["force"])  # 0.68


@pytest.mark.long
def test_soft_gains_more_than_halve_the_largest_force_of_landings_of_lola(monkeypatch):
    walker = Walker(ts.robots.lola(), control_dt=2e-3, clearance=0.05)
    soft, stiff = (
        landing_forces(walker, monkeypatch, speed=0.3, steps=4, landing=softness)[0].max()
        for softness in ("gains", "none")
    )
    assert soft < 0.6 and stiff > 1.0  # 0.52 and 1.35 weights


def test_unknown_landings_are_refused_with_the_nearest_name():
    with pytest.raises(UnknownNameError, match="gains"):
        Walker(ts.robots.hrp2()).walk(0.3, steps=1, landing="gain")
