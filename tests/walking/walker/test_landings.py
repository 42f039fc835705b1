"""Soft landings compared: lowered gains, control of the vertical force, neither; and forces in samples of walks."""

import numpy as np
import pytest
from walking.walker.landings import STEP, landing_forces, landing_in_every_step
from walking.walker.test_walker import robot

import tarsus as ts
from tarsus.errors import UnknownNameError
from tarsus.walking import WalkController, Walker

BRISK = {"control_dt": 2e-3, "clearance": 0.05}
"""Hints of a walker with a shorter cycle than by default."""
PAGE = {
    ("lola", "defaults"): {"gains": (0.9, 1.6), "force": (2.9, 4.0), "none": (2.0, 3.4)},
    ("hrp2", "defaults"): {"gains": (0.9, 1.4), "force": (2.2, 2.9), "none": (0.6, 1.2)},
    ("lola", "brisk"): {"gains": (0.5, 1.4), "force": (2.6, 2.6), "none": (1.4, 2.0)},
    ("hrp2", "brisk"): {"gains": (0.5, 1.3), "force": (0.5, 1.2), "none": (0.5, 1.2)},
}
"""Largest load of a foot that lands and largest sum of both, in weights of the robot, in docs/walking.md."""


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::tarsus.errors.ControlWarning")
@pytest.mark.parametrize(("name", "hints"), PAGE)
def test_largest_loads_of_landings_are_those_of_the_page(name, hints, monkeypatch):
    walker = Walker(getattr(ts.robots, name)(), **(BRISK if hints == "brisk" else {}))
    for softness, (load, both) in PAGE[name, hints].items():
        peaks, most, done = landing_in_every_step(walker, monkeypatch, speed=0.3, steps=6, landing=softness)
        assert done.passed and done.steps == 7, str(done)
        assert len(peaks) >= 7
        assert peaks.max() == pytest.approx(load, abs=0.1)
        assert most == pytest.approx(both, abs=0.1)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::tarsus.errors.ControlWarning")
@pytest.mark.filterwarnings("ignore::tarsus.errors.ModelWarning")
@pytest.mark.parametrize(("name", "load"), [("lola", 0.5), ("hrp2", 0.5), ("talos", 0.7)])
def test_loads_of_soft_gains_are_those_that_control_by_force_is_compared_with(name, load, monkeypatch):
    """As the controller is told them in its cycles, like those of `test_force_balance.py`."""
    forces, done = landing_forces(Walker(robot(name), **BRISK), monkeypatch, speed=0.3, steps=4, landing="gains")
    assert done.passed, str(done)
    assert len(forces) >= 5
    assert forces.max() == pytest.approx(load, abs=0.1)


@pytest.mark.filterwarnings("ignore::tarsus.errors.ModelWarning")
@pytest.mark.parametrize(("name", "mean"), [("icub", 0.975), pytest.param("hrp2", 0.994, marks=pytest.mark.long)])
def test_mean_force_in_samples_at_one_moment_of_the_cycle_is_off_and_in_all_steps_is_the_weight(name, mean):
    walker = Walker(robot(name))
    done, dt, weight = walker.walk(0.3, steps=6), walker.control_dt, walker.biped.weight
    assert done.passed, str(done)
    assert np.mean(done.trajectory.contact_force[..., 2].sum(axis=1)) / weight == pytest.approx(mean, abs=4e-3)
    plan, choice = walker.plan(0.3, steps=6)
    run = ts.simulate(
        walker.biped.model, plan.q[0], controller=WalkController(walker.biped, plan, dt, choice.clearance),
        control_dt=dt, sample_dt=STEP, duration=round(done.trajectory.time[-1], 9), contacts=walker.biped.soles,
        ground=ts.contact.flat(),
    )  # fmt: skip
    np.testing.assert_array_equal(run.q[::10], done.trajectory.q)
    assert np.mean(run.contact_force[..., 2].sum(axis=1)) / weight == pytest.approx(1.0, abs=5e-4)
    other = Walker(robot(name), control_dt=3e-3).walk(0.3, steps=6).trajectory  # 10 ms are no whole cycles
    assert np.mean(other.contact_force[10:, :, 2].sum(axis=1)) / weight == pytest.approx(1.0, abs=1e-3)


def test_unknown_landings_are_refused_with_the_nearest_name():
    with pytest.raises(UnknownNameError, match="gains"):
        Walker(ts.robots.hrp2()).walk(0.3, steps=1, landing="gain")
