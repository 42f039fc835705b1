"""Pushes: their impulse is force times duration, whatever the step is."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.contact import ContactPoint, LeastConstraint, Rigid, flat
from tarsus.simulation import Push

MASS, FORCE = 2.0, 100.0
ROUNDED = 1e-9
"""[m/s]; velocities of a body that a constant force moves are exact in every integrator."""
METHODS = {
    "semi-implicit-euler": {},
    "runge-kutta-4": {"integrator": "runge-kutta-4"},
    "implicit-midpoint": {"integrator": "implicit-midpoint"},
    "dormand-prince": {"integrator": "dormand-prince"},
    "radau": {"integrator": "radau"},
    "least-constraint": {"ground": flat(LeastConstraint(), height=-9.0), "contacts": [ContactPoint("p", "body")]},
    "event-driven": {"ground": flat(Rigid(0.5), height=-9.0), "contacts": [ContactPoint("p", "body")]},
}


def body() -> ts.Model:
    """A free body without weight."""
    builder = ts.ModelBuilder("body", base="free", gravity=(0.0, 0.0, 0.0))
    return builder.add_link("body", ts.Inertia.of_sphere(MASS, 0.1)).build()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("start", "duration"),
    [(0.01, 0.0005), (0.0103, 0.0107), (0.0102, 0.0003), (0.0098, 0.0004), (0.01, 0.01), (-0.0005, 0.002), (0.01, 0.3)],
)
def test_a_push_gives_the_impulse_of_its_force_and_the_time_that_it_acts(method, start, duration):
    push = Push("body", (FORCE, 0.0, 0.0), start=start, duration=duration)
    run = ts.simulate(body(), duration=0.03, pushes=[push], **METHODS[method])
    acts = min(start + duration, 0.03) - max(start, 0.0)
    assert run.v[-1, 0] == pytest.approx(FORCE * acts / MASS, abs=ROUNDED)


def test_a_push_shorter_than_a_long_step_pushes_hrp2():
    """4 ms in steps of 10 ms were lost."""
    robot = ts.robots.hrp2()
    push = Push("BODY", (0.0, 80.0, 0.0), start=0.012, duration=0.004)
    run = ts.simulate(robot, duration=0.02, dt=0.01, pushes=[push])
    free = ts.simulate(robot, duration=0.02, dt=0.01)
    gained = ts.momentum(robot, run.q[-1], run.v[-1])[1] - ts.momentum(robot, free.q[-1], free.v[-1])[1]
    assert gained == pytest.approx(80.0 * 0.004, rel=1e-3)


def test_pushes_that_follow_each_other_within_a_step_add_up():
    first = Push("body", (FORCE, 0.0, 0.0), start=0.0101, duration=0.0004)
    second = Push("body", (0.0, FORCE, 0.0), start=0.0105, duration=0.0004)
    run = ts.simulate(body(), duration=0.02, pushes=[first, second])
    np.testing.assert_allclose(run.v[-1, :2], FORCE * 0.0004 / MASS, atol=ROUNDED)
