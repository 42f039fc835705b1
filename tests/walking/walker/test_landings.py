"""Soft landings compared: lowered gains, control of the vertical force, neither."""

import pytest
from walking.walker.landings import landing_forces

import tarsus as ts
from tarsus.errors import UnknownNameError
from tarsus.walking import Walker


def largest_loads(name, monkeypatch):
    """Largest load of landings by each way, in weights of the robot."""
    walker, largest = Walker(getattr(ts.robots, name)(), control_dt=2e-3, clearance=0.05), {}
    for softness in ("gains", "force", "none"):
        forces, done = landing_forces(walker, monkeypatch, speed=0.3, steps=4, landing=softness)
        assert done.passed, str(done)
        assert len(forces) >= 5
        largest[softness] = forces.max()
    return largest


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::tarsus.errors.ControlWarning")
def test_lola_lands_softly_by_soft_gains_alone(monkeypatch):
    largest = largest_loads("lola", monkeypatch)
    assert largest["gains"] < 0.6 and largest["none"] > 1.0 and largest["force"] > 1.0


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::tarsus.errors.ControlWarning")
def test_hrp2_lands_softly_by_any_way(monkeypatch):
    assert max(largest_loads("hrp2", monkeypatch).values()) < 0.7


def test_unknown_landings_are_refused_with_the_nearest_name():
    with pytest.raises(UnknownNameError, match="gains"):
        Walker(ts.robots.hrp2()).walk(0.3, steps=1, landing="gain")
