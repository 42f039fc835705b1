"""Soft landings compared: lowered gains, control of the vertical force, neither."""

import pytest
from walking.walker.landings import landing_forces

import tarsus as ts
from tarsus.errors import UnknownNameError
from tarsus.walking import Walker

LARGEST = {
    "hrp2": {"gains": 0.58, "force": 0.50, "none": 0.55},
    "lola": {"gains": 0.52, "force": 2.5, "none": 1.35},
}
"""Loads that docs/walking.md tells, in weights of the robot."""
TOLD = 0.1
"""Relative, of these: a load of one sample of one landing."""


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::tarsus.errors.ControlWarning")
@pytest.mark.parametrize("softness", ["gains", "force", "none"])
@pytest.mark.parametrize("name", ["hrp2", "lola"])
def test_largest_loads_of_landings_are_those_of_the_page(name, softness, monkeypatch):
    walker = Walker(getattr(ts.robots, name)(), control_dt=2e-3, clearance=0.05)
    forces, done = landing_forces(walker, monkeypatch, speed=0.3, steps=4, landing=softness)
    assert done.passed, str(done)
    assert len(forces) >= 5
    assert forces.max() == pytest.approx(LARGEST[name][softness], rel=TOLD)


def test_unknown_landings_are_refused_with_the_nearest_name():
    with pytest.raises(UnknownNameError, match="gains"):
        Walker(ts.robots.hrp2()).walk(0.3, steps=1, landing="gain")
