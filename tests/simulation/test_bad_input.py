"""Arguments of `simulate` that cannot be meant: errors tell what was given and what was expected, before a run."""

import re

import numpy as np
import pytest
from simulation.bodies import ball, box, point_pendulum

import tarsus as ts
from tarsus.contact import Compliant, ContactEdge, ContactPoint, Ground, LeastConstraint, Plane, Rigid, Sole, flat
from tarsus.errors import ArgumentError, DtypeError, NonFiniteError, QuaternionNormError, ShapeError, UnknownNameError
from tarsus.simulation import JointLaw, Push

NAN = float("nan")
REFERENCE = ball().reference


def twice(name):
    return [ContactPoint(name, "ball"), ContactPoint(name, "ball")]


TIMES = [
    ({"duration": NAN}, ArgumentError, "duration is nan; expected a time"),
    ({"duration": np.inf}, ArgumentError, "duration is inf; expected a time"),
    ({"duration": -1.0}, ArgumentError, "duration is -1.0; expected a time"),
    ({"duration": 0.0015}, ArgumentError, "duration is 0.0015; expected a multiple of dt = 0.001"),
    ({"duration": 1e300}, ArgumentError, "duration is 1e+300; expected at most 1e+15 steps of dt = 0.001"),
    ({"duration": "a"}, DtypeError, "duration is 'a'; expected a time [s]"),
    ({"duration": None}, DtypeError, "duration is None; expected a time [s]"),
    ({"duration": np.ones(2)}, DtypeError, "duration is array([1., 1.]); expected a time [s]"),
    ({"dt": 0.0}, ArgumentError, "dt is 0.0; expected a time above 0"),
    ({"dt": NAN}, ArgumentError, "dt is nan; expected a time above 0"),
    ({"dt": "x"}, DtypeError, "dt is 'x'; expected a time [s]"),
    ({"control_dt": 0.0015}, ArgumentError, "control_dt is 0.0015; expected a multiple of dt = 0.001, at least 0.001"),
    ({"control_dt": 0.0}, ArgumentError, "control_dt is 0.0; expected a multiple"),
    ({"control_dt": [1.0]}, DtypeError, "control_dt is [1.0]; expected a time"),
    ({"sample_dt": 3e-4}, ArgumentError, "sample_dt is 0.0003; expected a multiple of dt"),
    ({"sample_dt": NAN}, ArgumentError, "sample_dt is nan; expected a multiple of dt"),
    ({"relative": 0.0}, ArgumentError, "relative is 0.0; expected a tolerance above 0"),
    ({"relative": "a"}, DtypeError, "relative is 'a'; expected a tolerance above 0"),
    ({"absolute": NAN}, ArgumentError, "absolute is nan; expected a tolerance above 0"),
    ({"absolute": -1.0, "integrator": "radau"}, ArgumentError, "absolute is -1.0; expected a tolerance above 0"),
]
START = [
    ({"q0": np.zeros(3)}, ShapeError, "q0 has shape (3,); expected (..., 7)"),
    ({"q0": 1.0}, ShapeError, "q0 has shape (); expected (..., 7)"),
    ({"q0": NAN * REFERENCE}, NonFiniteError, "q0 is nan at entry [0]; expected finite numbers"),
    ({"q0": "abc"}, DtypeError, "q0 is 'abc'; expected real numbers of shape (..., 7)"),
    ({"q0": REFERENCE + 1j}, DtypeError, "expected real numbers of shape (..., 7)"),
    ({"q0": [[1, 2], [3]]}, DtypeError, "q0 is [[1, 2], [3]]; expected real numbers"),
    ({"q0": [None] * 7}, DtypeError, "expected real numbers"),
    ({"q0": np.zeros(7)}, QuaternionNormError, "quaternion of norm 0"),
    ({"q0": np.zeros((0, 7))}, ShapeError, "batch axes (0,): there is no robot to simulate"),
    ({"v0": np.zeros(5)}, ShapeError, "v0 has shape (5,); expected (..., 6)"),
    ({"v0": [0, 0, np.inf, 0, 0, 0]}, NonFiniteError, "v0 is inf at entry [2]; expected finite numbers"),
    ({"q0": np.tile(REFERENCE, (3, 1)), "v0": np.zeros((2, 6))}, ShapeError, "batch axes (3,) and (2,)"),
    ({"q0": np.tile(REFERENCE, (3, 1)), "integrator": "bdf"}, ArgumentError, "'bdf' takes one robot at a time"),
]
INTEGRATORS = [
    ({"integrator": "semi-implicit-eular"}, UnknownNameError, "'semi-implicit-eular' not found; close: 'semi-impli"),
    ({"integrator": 3}, UnknownNameError, "integrator 3 not found; there are semi-implicit-euler, runge-kutta-4"),
    ({"ground": flat(LeastConstraint()), "integrator": "runge-kutta-4"}, ArgumentError,
     "a ground with the law LeastConstraint is not for the integrator 'runge-kutta-4'"),
    ({"integrator": "least-constraint"}, ArgumentError,
     "integrator 'least-constraint' is not an integrator: give the ground the law LeastConstraint()"),
    ({"ground": flat(Rigid()), "integrator": "event-driven"}, ArgumentError,
     "integrator 'event-driven' is not an integrator: give the ground the law Rigid() and leave integrator out"),
    ({"ground": flat(Rigid()), "integrator": "semi-implicit-euler"}, ArgumentError,
     "a ground with the law Rigid is not for the integrator 'semi-implicit-euler'"),
    ({"events": [len]}, ArgumentError, "events need an adaptive integrator"),
    ({"events": [3], "integrator": "dormand-prince"}, ArgumentError, "events are callables event(t, q, v), not int"),
    ({"events": 3}, DtypeError, "events is 3; expected a list of callables event(t, q, v)"),
    ({"events": len, "integrator": "radau"}, DtypeError, "expected a list of callables event(t, q, v)"),
    ({"threads": 0}, ArgumentError, "threads must be a whole number from 1 to 1024, not 0"),
    ({"threads": -1}, ArgumentError, "threads must be a whole number from 1 to 1024, not -1"),
    ({"threads": "a"}, ArgumentError, "threads must be a whole number from 1 to 1024, not 'a'"),
    ({"threads": 1.5}, ArgumentError, "threads must be a whole number from 1 to 1024, not 1.5"),
    ({"threads": 10**12}, ArgumentError, "threads must be a whole number from 1 to 1024"),
    ({"stops": "yes"}, DtypeError, "stops is 'yes'; expected True or False"),
    ({"resumable": 2}, DtypeError, "resumable is 2; expected True or False"),
    ({"progress": "x"}, DtypeError, "progress is 'x'; expected True or False"),
    ({"record": 3}, DtypeError, "record is 3; expected a path"),
    ({"record": ""}, ArgumentError, "record is empty; expected a path"),
]  # fmt: skip
CONTROL = [
    (
        {"controller": 3},
        DtypeError,
        "controller is 3; expected a callable controller(observation) or controller(t, q, v), or a JointLaw",
    ),
    (
        {"controller": np.zeros(6)},
        DtypeError,
        "expected a callable controller(observation) or controller(t, q, v), or a JointLaw",
    ),
    ({"controller": JointLaw}, DtypeError, "controller is the class JointLaw; expected an instance of it"),
    ({"controller": JointLaw(kp="a")}, DtypeError, "kp of JointLaw is 'a'; expected numbers"),
    ({"controller": JointLaw(kp=NAN)}, ArgumentError, "kp of JointLaw must be finite and not negative"),
    ({"controller": JointLaw(q="a")}, DtypeError, "q of JointLaw is 'a'; expected numbers"),
    ({"controller": JointLaw(times="a")}, DtypeError, "times of JointLaw is 'a'; expected numbers"),
    ({"controller": JointLaw(kp=np.ones(6))}, ArgumentError, "kp of joint 'base' must be 0"),
    ({"pushes": [Push("ballx", (1, 0, 0))]}, UnknownNameError, "frame 'ballx' not found; close: 'ball'"),
    ({"pushes": [3]}, DtypeError, "pushes holds 3; expected Push"),
    ({"pushes": Push("ball", (1, 0, 0))}, DtypeError, "expected a list of Push"),
    ({"pushes": None}, DtypeError, "pushes is None; expected a list of Push"),
]
GROUND = [
    ({"ground": Compliant()}, DtypeError, "expected a Ground, such as ts.contact.flat()"),
    ({"ground": "flat"}, DtypeError, "ground is 'flat'; expected a Ground"),
    ({"ground": [Plane()]}, DtypeError, "expected a Ground"),
    ({"contacts": [ContactPoint("a", "ballx")]}, UnknownNameError, "frame 'ballx' not found; close: 'ball'"),
    ({"ground": flat(), "contacts": ["ball"]}, ArgumentError, "contacts are ContactPoint, ContactEdge or Sole, not"),
    ({"ground": flat(), "contacts": "ball"}, DtypeError, "contacts is 'ball'; expected a list of ContactPoint"),
    ({"ground": flat(), "contacts": 3}, DtypeError, "contacts is 3; expected a list of ContactPoint"),
    ({"ground": flat(), "contacts": ContactPoint("a", "ball")}, DtypeError, "expected a list of ContactPoint"),
    ({"ground": flat(), "contacts": [ContactPoint("a", "ball", position="x")]}, ShapeError,
     "a position of contact 'a' is 'x'; expected three finite numbers"),
    ({"ground": flat(), "contacts": [Sole("a", "ball", np.zeros((2, 3)))]}, ArgumentError,
     "sole 'a' has 2 corners; expected three or more"),
    ({"ground": flat(), "contacts": twice("a")}, ArgumentError, "contact names must differ; given twice: a"),
]  # fmt: skip


@pytest.mark.parametrize(("given", "kind", "words"), [*TIMES, *START, *INTEGRATORS, *CONTROL, *GROUND])
def test_the_error_tells_what_was_given_and_what_was_expected(given, kind, words):
    def never(t, q, v):
        pytest.fail("the simulation has begun")

    with pytest.raises(kind, match=re.escape(words)):
        ts.simulate(ball(), **{"duration": 0.01, "controller": never} | given)


@pytest.mark.parametrize("radius", [-1.0, np.nan, np.inf, "thick", None])
def test_a_radius_below_nothing_is_refused_where_it_is_given(radius):
    words = re.escape(f"radius of contact 'a' is {radius!r}; expected 0 or more [m]")
    with pytest.raises(ArgumentError, match=words):
        ContactPoint("a", "ball", radius=radius)
    with pytest.raises(ArgumentError, match=words):
        ContactEdge("a", "ball", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), radius=radius)


def test_what_is_no_model_is_refused():
    with pytest.raises(DtypeError, match="model is 'robot.urdf'; expected a Model, as ts.load"):
        ts.simulate("robot.urdf", duration=0.1)


def test_resuming_needs_a_trajectory_of_this_model_with_its_contact_states():
    run = ts.simulate(ball(), [0, 0, 0.1, 1, 0, 0, 0], ground=flat(), duration=0.01, resumable=True)
    with pytest.raises(ArgumentError, match="no signal 'contact_state': simulate it with resumable=True"):
        ts.simulate(ball(), resume=ts.simulate(ball(), duration=0.01), duration=0.01)
    with pytest.raises(ArgumentError, match="leave q0 and v0 out"):
        ts.simulate(ball(), REFERENCE, resume=run, ground=flat(), duration=0.01)
    with pytest.raises(ArgumentError, match="other contacts than this simulation"):
        ts.simulate(ball(), resume=run, duration=0.01)
    with pytest.raises(ArgumentError, match=r"ends at 0.01 s, which is no multiple of dt = 0.004"):
        ts.simulate(ball(), resume=run, ground=flat(), duration=0.04, dt=0.004)
    with pytest.raises(ArgumentError, match="resume is a trajectory of 'ball' with nq = 7; expected one of 'pendulum'"):
        ts.simulate(point_pendulum(), resume=run, duration=0.01)
    with pytest.raises(DtypeError, match=r"resume is 'run.h5'; expected a Trajectory; .* ts.open_recording"):
        ts.simulate(box(), resume="run.h5", duration=0.01)


def test_a_ground_is_made_of_surfaces_with_laws():
    with pytest.raises(ArgumentError, match="at least one surface"):
        Ground()
    with pytest.raises(ArgumentError, match="law of 'plane' is 'soft'; expected Compliant, PseudoCoulomb"):
        Ground(Plane("soft"))


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (np.zeros(5), r"torques of shape \(5,\) at 0 s; expected \(6,\)"),
        ("torque", "returned str at 0 s, not torques"),
        ([0, 0, NAN, 0, 0, 0], r"returned nan at 0 s, entry \[2\]"),
        (None, "returned NoneType at 0 s|returned torques of shape"),
    ],
)
def test_controllers_that_return_no_torques_are_told(answer, words):
    with pytest.raises(ts.errors.SimulationError, match=words):
        ts.simulate(ball(), controller=lambda t, q, v: answer, duration=0.01)


def test_robots_of_a_batch_are_named_by_plain_numbers():
    v = np.zeros((2, 3, 6))
    v[1, 2] = 1e200
    with pytest.raises(ts.errors.SimulationError, match=r"simulation of robot \(1, 2\) failed at 0 s"):
        ts.simulate(ball(), None, v, duration=0.01)
