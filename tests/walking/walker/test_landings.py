"""Soft landings compared: lowered gains, control of the vertical force, neither."""

import pytest
from walking.walker.landings import landing_forces

import tarsus as ts
from tarsus.errors import UnknownNameError
from tarsus.walking import Walker


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::tarsus.errors.ControlWarning")
@pytest.mark.parametrize(("name", "stiff"), [("hrp2", 0.6), ("lola", 1.0)])
def test_soft_gains_land_most_softly(name, stiff, monkeypatch):
    walker, largest = Walker(getattr(ts.robots, name)(), control_dt=2e-3, clearance=0.05), {}
    for softness in ("gains", "force", "none"):
        forces, done = landing_forces(walker, monkeypatch, speed=0.3, steps=4, landing=softness)
        assert done.passed, str(done)
        assert len(forces) >= 5
        largest[softness] = forces.max()  # in weights of the robot
    assert largest["gains"] < 0.6
    assert largest["none"] > stiff
    assert largest["force"] > 1.0


def test_unknown_landings_are_refused_with_the_nearest_name():
    with pytest.raises(UnknownNameError, match="gains"):
        Walker(ts.robots.hrp2()).walk(0.3, steps=1, landing="gain")
