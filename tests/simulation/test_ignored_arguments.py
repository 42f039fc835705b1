"""Arguments that do nothing where they are given are told or refused, by name."""

import warnings

import numpy as np
import pytest

import tarsus as ts
from tarsus.contact import ContactPoint, LeastConstraint, flat
from tarsus.errors import DtypeError, SimulationError, SimulationWarning

BALL = ts.ModelBuilder("ball", base="free").add_link("ball", ts.Inertia.of_sphere(1.0, 0.1)).build()
SKIN = [ContactPoint("skin", "ball", radius=0.1)]
HIGH = [0, 0, 1.0, 1, 0, 0, 0]


def run(**options):
    return ts.simulate(BALL, HIGH, duration=0.01, **options)


def step(**options):
    return ts.Simulation(BALL, HIGH, **options)


IGNORED = {
    "contacts of a run": (run, {"contacts": SKIN}, "contacts= is given without ground="),
    "contacts of a simulation": (step, {"contacts": SKIN}, "contacts= is given without ground="),
    "friction": (step, {"friction": 0.3}, "friction= is given without ground="),
    "pairs of a run": (run, {"pairs": "all"}, "pairs= is given, but the model has no two bodies"),
    "pairs of a simulation": (step, {"pairs": "all"}, "pairs= is given, but the model has no two bodies"),
    "tolerances": (run, {"relative": 1e-4}, "relative= and absolute= are .*'semi-implicit-euler' takes steps of dt"),
    "other tolerances": (run, {"absolute": 1e-4, "integrator": "runge-kutta-4"}, "'runge-kutta-4' takes steps of dt"),
    "tolerances of solved impulses": (
        run, {"relative": 1e-4, "ground": flat(LeastConstraint()), "contacts": SKIN}, "'least-constraint' takes steps"
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", IGNORED)
def test_what_does_nothing_is_told(case):
    call, options, words = IGNORED[case]
    with pytest.warns(SimulationWarning, match=words):
        call(**options)


def test_what_does_something_is_not_told():
    with warnings.catch_warnings():
        warnings.simplefilter("error", SimulationWarning)
        run(contacts=SKIN, ground=flat())
        run(contacts=[])
        run(relative=1e-4, integrator="dormand-prince")
        step(contacts=SKIN, ground=flat(), friction=0.3)


def test_complex_torques_are_refused_instead_of_losing_their_imaginary_parts():
    torques = np.zeros(6) + 1j
    with pytest.raises(SimulationError, match="the controller returned complex128 numbers at 0 s, not torques"):
        run(controller=lambda o: torques)
    with pytest.raises(DtypeError, match="command is complex128 numbers; expected torques"):
        step().step(torques)
    with pytest.raises(DtypeError, match="external is complex128 numbers; expected wrenches"):
        step().step(external=np.zeros((1, 6)) + 1j)


def test_rows_of_robots_that_are_not_reset_may_hold_anything():
    sim = ts.Simulation(BALL, HIGH, batch=3, ground=flat(), contacts=SKIN)
    q, v = np.full((3, 7), np.nan), np.full((3, 6), np.nan)
    q[1], v[1] = [0, 0, 0.5, 1, 0, 0, 0], 0.0
    sim.reset(q, v, where=np.array([False, True, False]))
    np.testing.assert_array_equal(sim.q[:, 2], [1.0, 0.5, 1.0])
    with pytest.raises(ts.errors.NonFiniteError, match="q is nan"):
        sim.reset(q, v, where=np.array([True, True, False]))
