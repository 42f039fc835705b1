"""Arguments of planners that cannot be meant are refused by name, with what was given and what was expected."""

import re

import numpy as np
import pytest
from walking.planning.walks import PENDULUM, path

import tarsus as ts
from tarsus.control import Contact
from tarsus.errors import ArgumentError, DtypeError, NonFiniteError, PlanningError, ShapeError
from tarsus.walking import (
    Analytic,
    Collocation,
    FiniteDifferences,
    FreeFootsteps,
    MassState,
    PredictiveControl,
    PressurePath,
    PreviewControl,
    RelaxedBoundary,
    Shooting,
    SingularPreview,
    StepTiming,
    ThreeMassModel,
    VariableHeightPendulum,
    adapted_steps,
    contact_wrench,
)

NAN = float("nan")
PATH = PressurePath([0.0, 1.0, 1.0, 2.0], [[0.0, 0.0], [0.0, 0.0], [0.1, 0.1], [0.1, 0.1]])
REST = MassState(np.zeros(2), np.zeros(2))
PLANNERS = [
    Analytic,
    Collocation,
    FiniteDifferences,
    PredictiveControl,
    PreviewControl,
    RelaxedBoundary,
    Shooting,
    SingularPreview,
]


def table(*rows):
    """Rows of a call, an error and its words, named by the words."""
    return pytest.mark.parametrize(("call", "error", "words"), rows, ids=[row[2] for row in rows])


def assert_refused(call, error, words):
    with pytest.raises(error, match=re.escape(words)):
        call()


@pytest.mark.parametrize("planner", PLANNERS)
@pytest.mark.parametrize("reference", [None, [[0, 0]], "path"])
def test_planners_refuse_references_that_are_no_paths(planner, reference):
    assert_refused(
        lambda: planner(PENDULUM).plan(reference), DtypeError, f"reference is {reference!r}; expected a PressurePath"
    )


@pytest.mark.parametrize("planner", PLANNERS)
@pytest.mark.parametrize("start", [([0, 0], [0, 0]), [[0, 0]], np.zeros((4, 2))])
def test_planners_refuse_starts_of_several_places(planner, start):
    assert_refused(
        lambda: planner(PENDULUM).plan(PATH, start), ShapeError, "expected a MassState, or two finite numbers"
    )


@pytest.mark.parametrize("planner", [p for p in PLANNERS if p is not FiniteDifferences])
def test_planners_refuse_states_that_are_none_of_both_directions(planner):
    for state, words in (
        (MassState([0, 0], 0.0), "velocity of start is 0.0; expected two finite numbers [m/s]"),
        (MassState([0, 0], [NAN, 0]), "velocity of start is [nan, 0]; expected two finite numbers [m/s]"),
        (MassState([0, 0, 0], [0, 0]), "position of start is [0, 0, 0]; expected two finite numbers [m]"),
    ):
        assert_refused(lambda state=state: planner(PENDULUM).plan(PATH, state), ArgumentError, words)


@pytest.mark.parametrize("planner", [Analytic, Collocation, FiniteDifferences, RelaxedBoundary, Shooting])
def test_planners_refuse_ends_of_several_places(planner):
    words = "divergent_end is [[0, 0], [0, 0]]; expected two finite numbers [m]"
    assert_refused(lambda: planner(PENDULUM).plan(PATH, None, [[0, 0], [0, 0]]), ShapeError, words)


@pytest.mark.parametrize("planner", PLANNERS)
def test_steps_of_time_may_be_numbers_of_numpy_and_no_flags(planner):
    plain = planner(PENDULUM, 0.25).plan(PATH)
    np.testing.assert_array_equal(planner(PENDULUM, np.float32(0.25)).plan(PATH).position, plain.position)
    assert_refused(lambda: planner(PENDULUM, True), DtypeError, f"dt of {planner.__name__} is True; expected a number")


def legs(t):
    return np.zeros((len(t), 2, 3)), np.zeros((len(t), 2, 3))


@table(
    (lambda: Analytic(PENDULUM, adapted="a").plan(PATH, REST), DtypeError, "adapted of Analytic is 'a'; expected"),
    (lambda: RelaxedBoundary(PENDULUM, divergent_weight="a").plan(PATH), DtypeError,
     "divergent_weight of RelaxedBoundary is 'a'; expected a number above 0"),
    (lambda: RelaxedBoundary(PENDULUM, convergent_weight=0.0).plan(PATH), ArgumentError,
     "convergent_weight of RelaxedBoundary is 0.0; expected a number above 0"),
    (lambda: Shooting(PENDULUM, shifted=(0.5,)), ShapeError, "shifted of Shooting is (0.5,); expected two times"),
    (lambda: Shooting(PENDULUM, shifted="ab"), DtypeError, "shifted of Shooting is str; expected two times"),
    (lambda: Shooting(PENDULUM, shifted=(0, NAN)), NonFiniteError, "shifted of Shooting is (0, nan); expected two"),
    (lambda: Collocation(PENDULUM, shaped=(0.5,)), ShapeError, "shaped of Collocation is (0.5,); expected two times"),
    (lambda: Shooting(PENDULUM, masses=3.0, legs=legs).plan(PATH), DtypeError,
     "masses of Shooting is 3.0; expected a ThreeMassModel"),
    (lambda: Collocation(PENDULUM, masses=ThreeMassModel(60.0, 0.1, 0.8), legs=3.0).plan(PATH), DtypeError,
     "legs of Collocation is 3.0; expected a function of times"),
    (lambda: FiniteDifferences(PENDULUM, height=lambda t: (t, t)), DtypeError, "expected a VariableHeightPendulum"),
    (lambda: FiniteDifferences(PENDULUM, height=VariableHeightPendulum(lambda t: (0.8, 0.0))).plan(PATH), ShapeError,
     "height of VariableHeightPendulum returned shapes (), (); expected those of the times, (401,)"),
)  # fmt: skip
def test_planners_refuse_options_by_name(call, error, words):
    assert_refused(call, error, words)


@table(
    (lambda: PressurePath([0, 1], np.zeros((2, 2)), lower="a"), DtypeError, "lower of PressurePath: cannot be read"),
    (lambda: PressurePath([0, 1], np.zeros((2, 2)), lower=[[0, 0], [1]]), DtypeError,
     "lower of PressurePath: cannot be read"),
    (lambda: PressurePath([0, 1], np.zeros((2, 2)), upper=[[0, 0], [1, NAN]]), NonFiniteError,
     "upper of PressurePath: found nan at index (1, 1), expected numbers or inf"),
    (lambda: PATH.moved(np.zeros(3)), ShapeError,
     "change of PressurePath.moved: found shape (3,), expected (4, 2)"),
    (lambda: PATH.moved("a"), DtypeError, "change: cannot be read"),
    (lambda: PATH.at("a"), DtypeError, "t: cannot be read"),
    (lambda: PATH.bounds("a"), DtypeError, "t: cannot be read"),
)  # fmt: skip
def test_paths_refuse_what_is_none_by_name(call, error, words):
    assert_refused(call, error, words)


def test_a_shape_that_comes_too_late_for_a_fall_is_told():
    """As a shift of shooting is: the end was missed by 15 m."""
    start = MassState(np.array([0.02, 0.01]), np.array([0.05, -0.1]))
    words = "shaped between 15 and 16 s does not lead from the start to the end: collocation missed"
    assert_refused(lambda: Collocation(PENDULUM, shaped=(15.0, 16.0)).plan(path(steps=20), start), PlanningError, words)


TIMING = StepTiming(PENDULUM, 0.5, 1.0, [-0.3, 0.1], [0.3, 0.4])
WANTED = TIMING.periodic([0.2, 0.0], 0.8, 0.2, True)


def adapted_to(**wanted):
    return TIMING.adapted([0, 0], [0, 0], 0.0, WANTED._replace(**wanted), True)


@table(
    (lambda: StepTiming(None, 0.5, 1.0, [0, 0], [1, 1]), DtypeError,
     "pendulum of StepTiming is None; expected a LinearInvertedPendulum"),
    (lambda: StepTiming(PENDULUM, "a", 1.0, [0, 0], [1, 1]), DtypeError, "shortest of StepTiming is 'a'; expected"),
    (lambda: StepTiming(PENDULUM, 0.5, np.inf, [0, 0], [1, 1]), ArgumentError,
     "longest of StepTiming is inf; expected a finite number"),
    (lambda: StepTiming(PENDULUM, 0.5, 1e6, [0, 0], [1, 1]), ArgumentError,
     "longest of StepTiming is 1000000.0; expected at most 202 s"),
    (lambda: StepTiming(PENDULUM, 0.5, 1.0, [0, 0], [1, 1], step_weight=NAN), ArgumentError,
     "step_weight of StepTiming is nan; expected a number of at least 0"),
    (lambda: StepTiming(PENDULUM, 0.5, 1.0, [[0, 0]], [1, 1]), ShapeError,
     "reach_min of StepTiming is [[0, 0]]; expected two finite numbers"),
    (lambda: TIMING.periodic([0.2, 0], NAN, 0.2, True), ArgumentError, "time is nan; expected a finite number above 0"),
    (lambda: TIMING.periodic([0.2, 0], 1e6, 0.2, True), ArgumentError, "time is 1000000.0; expected at most 202 s"),
    (lambda: TIMING.periodic([0.2], 0.8, 0.2, True), ShapeError, "step is [0.2]; expected two finite numbers"),
    (lambda: TIMING.periodic([0.2, 0], 0.8, "a", True), DtypeError, "width is 'a'; expected a finite number"),
    (lambda: TIMING.periodic([0.2, 0], 0.8, 0.2, "left"), DtypeError, "left is 'left'; expected True or False"),
    (lambda: TIMING.adapted([0, 0], [0, 0], "a", WANTED, True), DtypeError, "since is 'a'; expected a finite number"),
    (lambda: TIMING.adapted([0, 0], [0, 0], 0.0, None, True), DtypeError, "wanted is None; expected a NextStep"),
    (lambda: StepTiming(PENDULUM, 1e-20, 1.0, [0, 0], [1, 1]), ArgumentError,
     "shortest of StepTiming is 1e-20; expected at least 2.88e-07 s"),
    (lambda: TIMING.periodic([0.2, 0], 1e-20, 0.2, True), ArgumentError, "time is 1e-20; expected at least 2.88e-07 s"),
    (lambda: TIMING.adapted([0, 0], [0, 0], -1e6, WANTED, True), ArgumentError,
     "since is -1000000.0; expected a finite number of at least 0 [s]"),
    (lambda: TIMING.adapted([0, 0], [0, 0], 0.0, WANTED, 5), DtypeError, "left is 5; expected True or False"),
    (lambda: TIMING.viable(None), DtypeError, "left is None; expected True or False"),
    (lambda: adapted_to(time=1e6), ArgumentError, "time of wanted is 1000000.0; expected at most 202 s"),
    (lambda: adapted_to(time="a"), DtypeError, "time of wanted is 'a'; expected a finite number above 0 [s]"),
    (lambda: adapted_to(foothold=[0.2]), ShapeError, "foothold of wanted is [0.2]; expected two finite numbers [m]"),
    (lambda: adapted_to(foothold=[NAN, 0]), NonFiniteError, "foothold of wanted is [nan, 0]; expected two finite"),
    (lambda: adapted_to(offset=[0.2, 0, 0]), ShapeError, "offset of wanted is [0.2, 0, 0]; expected two finite"),
)  # fmt: skip
def test_timing_of_steps_refuses_what_is_none_by_name(call, error, words):
    assert_refused(call, error, words)


def free(half_sole=(0.1, 0.05), width=0.2, reach=(0.4, 0.1), pendulum=PENDULUM, **options):
    return FreeFootsteps(pendulum, half_sole, width, reach, **options)


def chosen(state=((0, 0), (0, 0), (0, 0)), foot=(0, 0.1), left=True, done=0, velocity=(0.2, 0)):
    return free().choose(state, foot, left, done, velocity)


@table(
    (lambda: free(pendulum=None), DtypeError, "pendulum of FreeFootsteps is None; expected a LinearInvertedPendulum"),
    (lambda: free(step=0), ArgumentError, "step of FreeFootsteps is 0; expected a finite number above 0"),
    (lambda: free(step="a"), DtypeError, "step of FreeFootsteps is 'a'; expected a finite number above 0"),
    (lambda: free(step_time="a"), DtypeError, "step_time of FreeFootsteps is 'a'; expected"),
    (lambda: free(step_time=1e300, step=1e-300), ArgumentError, "step_time of FreeFootsteps is 1e+300; expected"),
    (lambda: free(width=NAN), ArgumentError, "width of FreeFootsteps is nan; expected a finite number above 0"),
    (lambda: free(horizon_steps=1.5), ArgumentError, "horizon_steps of FreeFootsteps is 1.5; expected a whole number"),
    (lambda: free("a"), DtypeError, "half_sole of FreeFootsteps is str; expected two finite numbers"),
    (lambda: free(("1", "2")), DtypeError, "half_sole of FreeFootsteps is tuple; expected two finite numbers"),
    (lambda: free((-0.1, 0.05)), ArgumentError, "half_sole of FreeFootsteps is (-0.1, 0.05); expected two finite"),
    (lambda: free(reach=(0.4,)), ShapeError, "reach of FreeFootsteps is (0.4,); expected two finite numbers"),
    (lambda: free(jerk_weight=-1), ArgumentError, "jerk_weight of FreeFootsteps is -1; expected a number of at least"),
    (lambda: chosen(done=0.5), ArgumentError, "done is 0.5; expected a whole number"),
    (lambda: chosen(left="a"), DtypeError, "left is 'a'; expected True or False"),
    (lambda: chosen(velocity="ab"), DtypeError, "velocity: cannot be read"),
    (lambda: chosen(state=np.full((3, 2), NAN)), NonFiniteError, "state: found nan at index (0, 0), expected finite"),
)  # fmt: skip
def test_free_footsteps_refuse_what_is_none_by_name(call, error, words):
    assert_refused(call, error, words)


def adapted(pendulum=PENDULUM, support=(0, 0), steps=((0.3, 0.2),), remaining=0.4, step_time=0.8, start=REST, *,
            error=(0.1, 0.05), reach=(0.1, 0.1), **weights):  # fmt: skip
    return adapted_steps(pendulum, support, steps, remaining, step_time, start, error=error, reach=reach, **weights)


@table(
    (lambda: adapted(pendulum=None), DtypeError, "pendulum is None; expected a LinearInvertedPendulum"),
    (lambda: adapted(support=[0, NAN]), NonFiniteError, "support is [0, nan]; expected two finite numbers"),
    (lambda: adapted(steps=[0.3, 0.2, 0.1]), ShapeError, "steps: found shape (3,), expected (..., 2)"),
    (lambda: adapted(steps=np.zeros((0, 2))), ArgumentError, "steps is empty; expected at least one footstep"),
    (lambda: adapted(remaining="a"), DtypeError, "remaining is 'a'; expected a finite number above 0"),
    (lambda: adapted(step_time=NAN), ArgumentError, "step_time is nan; expected a finite number above 0"),
    (lambda: adapted(start=[0, 0]), DtypeError, "start is [0, 0]; expected a MassState"),
    (lambda: adapted(error=0.1), ShapeError, "error is 0.1; expected two finite numbers of at least 0"),
    (lambda: adapted(error=[-0.1, 0.05]), ArgumentError, "error is [-0.1, 0.05]; expected two finite numbers of at"),
    (lambda: adapted(reach=0.1), ShapeError, "reach is 0.1; expected two finite numbers of at least 0"),
    (lambda: adapted(error_weight="a"), DtypeError, "error_weight is 'a'; expected a number of at least 0"),
)  # fmt: skip
def test_adapted_steps_refuse_what_is_none_by_name(call, error, words):
    assert_refused(call, error, words)


SOLE = [[x, y, 0.0] for x in (-0.1, 0.1) for y in (-0.05, 0.05)]
FOOT = Contact("foot", SOLE, friction=0.5, pose=ts.pose([0.0, 0.1, 0.0]))


def wrench(mass=60.0, contacts=(FOOT,), com=(0, 0, 0.8), acceleration=(0, 0, 0), **options):
    return contact_wrench(mass, contacts, com, acceleration, **options)


@table(
    (lambda: wrench("a"), DtypeError, "mass is 'a'; expected a number above 0 [kg]"),
    (lambda: wrench(contacts=None), DtypeError, "contacts is None; expected a list of Contact"),
    (lambda: wrench(contacts=["foot"]), DtypeError, "contacts[0] is 'foot'; expected a Contact with a pose"),
    (lambda: wrench(gravity=0), ArgumentError, "gravity is 0; expected a number above 0 [m/s^2]"),
    (lambda: wrench(gravity=NAN), ArgumentError, "gravity is nan; expected a number above 0 [m/s^2]"),
    (lambda: wrench(com=np.zeros((2, 3))), ShapeError, "expected three finite numbers"),
    (lambda: wrench(acceleration=np.zeros((2, 3))), ShapeError, "expected three finite numbers"),
)  # fmt: skip
def test_contact_wrenches_refuse_what_is_none_by_name(call, error, words):
    assert_refused(call, error, words)
