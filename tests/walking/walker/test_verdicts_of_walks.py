"""What walks are told to be: turns beyond half a turn, ends in the middle of a fall, pushes that nobody feels."""

from types import SimpleNamespace

import numpy as np
import pytest
from walking.biped.altered import altered

import tarsus as ts
from tarsus.errors import ArgumentError, RecordingWarning
from tarsus.scenarios.model_errors import heavier
from tarsus.simulation import Push
from tarsus.walking.walker.verdict.fall_watch import FallWatch
from tarsus.walking.walker.walk_record import recorded_walk

BOX = ts.Inertia.of_box(1.0, (1.0, 1.0, 1.0))


@pytest.fixture(scope="module")
def walker():
    return ts.walking.Walker(ts.robots.hrp2())


def test_turns_beyond_half_a_turn_are_walked(walker):
    done = walker.walk(0.0, turn=0.5, steps=14)
    assert done.passed, str(done)
    assert done.turned > np.pi + 0.2


def test_a_robot_that_falls_when_the_plan_ends_has_not_passed(walker):
    push = Push("pelvis", (0.0, 800.0, 0.0), start=4.9, duration=0.1)
    done = walker.walk(0.3, steps=2, pushes=[push])
    assert not done.passed
    assert "did not stand when the plan ended" in done.reason


@pytest.mark.parametrize("start", [-5.0, 100.0])
def test_pushes_outside_of_the_walk_are_refused(walker, start):
    with pytest.raises(ArgumentError, match="not within the walk"):
        walker.walk(0.3, steps=1, pushes=[Push("pelvis", (0.0, 10.0, 0.0), start=start, duration=0.1)])


def test_speed_is_that_of_what_was_walked_and_no_number_where_there_is_none(walker):
    done = walker.walk(0.3, steps=1)
    assert done.passed and np.isnan(done.speed) and "nan" not in str(done)
    pushed = walker.walk(0.3, steps=8, pushes=[Push("pelvis", (0.0, 3000.0, 0.0), start=4.5, duration=0.1)])
    assert not pushed.passed and 0.1 < pushed.speed < 1.0


@pytest.mark.parametrize(("arguments", "told"), [({"speed": "a"}, "speed"), ({"speed": [0.1, 0.2]}, "speed")])
def test_commands_that_are_no_numbers_are_refused_by_name(walker, arguments, told):
    with pytest.raises(ArgumentError, match=told):
        walker.walk(**arguments, steps=2)


def test_step_times_below_a_tenth_of_a_second_are_refused():
    with pytest.raises(ArgumentError, match="step_time"):
        ts.walking.Walker(ts.robots.hrp2(), step_time=0.002)


def test_walks_tell_how_often_inverse_kineto_dynamics_could_not_go_on(walker):
    done = walker.walk(0.3, steps=0)
    assert done.restarts == 0 and "planned base" not in str(done)
    signals = done.trajectory.signals
    for count, words in ((1, "once"), (3, "3 times")):
        signals["reference_restarts"] = np.full(len(done.trajectory.time), float(count))
        assert done.restarts == count
        assert f"could not be followed {words}: the planned base was taken" in str(done)


@pytest.mark.parametrize(
    ("time", "landed", "error", "told"),
    [
        (0.0, [True, True], 0.0, ""),
        (-0.3, [True, True], 0.0, "its time was over 0.30 s before its last foot was to stand"),
        (0.0, [True, False], 0.0, "it stood on one foot"),
        (0.0, [True, True], 0.2, "its divergent component was 0.20 m off"),
    ],
)
def test_robot_has_passed_where_the_plan_is_over_and_it_stands_on_both_feet(walker, time, landed, error, told):
    """On slopes the clock of a plan waits; a robot on one foot, 2.5 m before its end, was told to have passed."""
    plan, _ = walker.plan(0.2, steps=1)
    phases = SimpleNamespace(time=plan.phases[-1].start + time, landed=landed)
    control = SimpleNamespace(plan=plan, phases=phases, error=np.array([error, 0.0]))
    found = FallWatch(walker.biped, plan).stands(control)
    assert told in found and bool(found) == bool(told)


def test_first_violated_condition_is_that_since_which_it_was_never_within_them_again(walker):
    """A push that it had recovered from was told to be what went wrong first in a fall five seconds later."""
    biped = walker.biped
    watch = FallWatch(biped, walker.plan(0.2, steps=1)[0])
    lying = biped.q.copy()
    lying[3:7] = [np.cos(0.5), 0.0, np.sin(0.5), 0.0]  # 57 degrees forward
    for t, q, error in ((2.0, biped.q, 0.3), (2.1, biped.q, 0.4), (2.5, biped.q, 0.01), (6.5, biped.q, 0.2)):
        watch.look(t, q, np.array([error, 0.0]))
        assert not watch.fallen and (watch.first is None) == (t == 2.5)
    watch.look(7.0, lying, np.array([0.5, 0.0]))
    assert "tilts by 57 degrees" in watch.fallen
    assert watch.first[0] == 6.5 and "divergent component is 0.20 m off" in watch.first[1]
    again = FallWatch(biped, walker.plan(0.2, steps=1)[0])
    again.look(1.0, lying, np.zeros(2))
    assert again.first == (1.0, again.fallen)


@pytest.mark.long
def test_fall_on_sensors_is_judged_by_where_the_robot_is_not_by_where_it_believes_its_feet(walker):
    """On soft ground the estimated height drifts: HRP-2 was told to have fallen after 36 s, upright."""
    done = walker.walk(0.3, duration=45.0, sensed=True, ground=ts.contact.flat(law=ts.contact.Compliant(stiffness=4e4)))
    assert done.passed, str(done)
    assert done.tilt < np.radians(2.0)


def test_watch_looks_at_feet_of_the_state_that_it_is_given(walker):
    biped = walker.biped
    seen = []
    watch = FallWatch(biped, walker.plan(0.2, steps=1)[0], goal=lambda soles: seen.extend(soles) or "")
    lower = np.array(biped.q)
    lower[2] -= 0.5  # wherever the ground is: feet go with it
    watch.look(0.0, lower, np.zeros(2))
    assert not watch.fallen
    plan = walker.plan(0.2, steps=1)[0]
    phases = SimpleNamespace(time=plan.phases[-1].start, landed=[True, True])
    wrong = [np.full((4, 4), 9.0)] * 2
    assert not watch.stands(SimpleNamespace(plan=plan, phases=phases, error=np.zeros(2), soles=wrong))
    for leg, X in zip(biped.legs, seen, strict=True):
        np.testing.assert_array_equal(X, ts.frame_pose(biped.model, lower, leg.sole))


def test_pressure_of_a_lighter_robot_is_that_of_its_own_weight(walker):
    """By the weight that the walker knows it never stood on one foot alone."""
    done = walker.walk(0.3, steps=2, simulated=heavier(walker.biped.model, -0.15))
    assert done.passed and 0.03 < done.pressure_margin < 0.06
    assert "never on one foot alone" not in str(done)


def _fails(observation):
    raise ZeroDivisionError("no command")


def test_walk_that_fails_at_once_tells_that_nothing_was_sampled(walker):
    done = walker.walk(command=_fails, duration=1.0)
    assert not done.passed and len(done.trajectory.time) == 1
    assert "nothing was sampled: it ended at its start" in str(done)
    assert "limit" not in str(done) and "pressure" not in str(done)


def test_walk_that_fails_leaves_older_recordings_and_says_where_its_own_is(walker, tmp_path):
    path = tmp_path / "walk.h5"
    path.write_bytes(b"older")
    with pytest.warns(RecordingWarning, match=r"it is recorded in .*walk.h5.part; .*walk.h5, an older file, was not"):
        done = walker.walk(command=_fails, duration=1.0, record=path)
    assert path.read_bytes() == b"older" and done.recording == f"{path}.part"
    assert done.notes == (f"recorded in {path}.part: the file without '.part' is of an older run",)
    assert not recorded_walk(ts.open_recording(done.recording)).passed
    path.unlink()
    done = walker.walk(command=_fails, duration=1.0, record=tmp_path / "new.h5")  # nothing is in its way
    assert done.recording == str(tmp_path / "new.h5") and done.notes == ()


def test_steps_on_the_spot_are_taken_however_many_there_are(walker):
    plan, _ = walker.plan(0.0, steps=101)
    assert len(plan.footsteps) == 2 + 101 + 1
    with pytest.raises(ts.errors.ArgumentError, match="steps on the spot"):
        walker.walk(0.0, steps=2000)


def test_cycles_that_are_too_long_and_seeds_that_are_none_are_refused(walker):
    with pytest.raises(ts.errors.ArgumentError, match="control_dt of Walker is 10.0; expected at most 0.02 s"):
        ts.walking.Walker(ts.robots.hrp2(), control_dt=10.0)
    for seed in (-1, "a", 1.5):
        with pytest.raises(ts.errors.ArgumentError, match="seed is"):
            walker.walk(0.2, steps=1, seed=seed)


def test_other_robots_to_simulate_must_have_the_soles(walker):
    with pytest.raises(ts.errors.ArgumentError, match="made of walker.biped.model"):
        walker.walk(0.2, steps=1, simulated=ts.robots.hrp2())


def test_robots_without_gravity_do_not_walk():
    with pytest.raises(ts.errors.ArgumentError, match="no gravity"):
        ts.walking.Walker(ts.ModelBuilder("box", base="free", gravity=(0, 0, 0)).add_link("box", BOX).build())


def test_controllers_that_are_called_at_another_pace_say_so(walker):
    plan, choice = walker.plan(0.3, steps=1)
    control = ts.walking.WalkController(walker.biped, plan, 5e-3, choice.clearance)
    with pytest.raises(ts.errors.TarsusError, match="made for a cycle of 0.005 s, and is called 0.002 s after"):
        ts.simulate(walker.biped.model, plan.q[0], duration=0.1, controller=control, control_dt=2e-3, dt=1e-3,
                    ground=ts.contact.flat(), contacts=walker.biped.soles, progress=False)  # fmt: skip


def controlled(walker, plan, control, q0=None, **options):
    """A walk in a simulation of one's own."""
    q0 = plan.q[0] if q0 is None else q0
    options = {"contacts": walker.biped.soles, "duration": 0.1, **options}
    return ts.simulate(walker.biped.model, q0, controller=control, control_dt=5e-3, dt=1e-3, ground=ts.contact.flat(),
                       progress=False, **options)  # fmt: skip


def test_controllers_in_simulations_without_the_soles_say_so(walker):
    plan, choice = walker.plan(0.3, steps=1)
    control = ts.walking.WalkController(walker.biped, plan, 5e-3, choice.clearance)
    with pytest.raises(ts.errors.TarsusError, match=r"contacts of the simulation are .* more; expected those of both"):
        controlled(walker, plan, control, contacts=None)


def test_controllers_walk_once(walker):
    plan, choice = walker.plan(0.3, steps=1)
    control = ts.walking.WalkController(walker.biped, plan, 5e-3, choice.clearance)
    assert controlled(walker, plan, control).finished
    with pytest.raises(ts.errors.TarsusError, match=r"called at 0 s after 0\.09\d* s, .*; make a new one for"):
        controlled(walker, plan, control)


@pytest.mark.parametrize(
    ("moved", "told"),
    [
        (
            (5.0, -3.0, 0.0),
            r"the base is at \(4\.99, -3, 0\.666\) m .* 5\.8 m and 0 degrees from where the plan begins, \(-0\.0",
        ),
        ((0.1, 0.0, 0.0), r"0\.1 m and 0 degrees from where the plan begins"),
    ],
)
def test_controllers_begin_where_their_plan_does(walker, moved, told):
    plan, choice = walker.plan(0.3, steps=1)
    q0 = plan.q[0].copy()
    q0[:3] += moved
    control = ts.walking.WalkController(walker.biped, plan, 5e-3, choice.clearance)
    with pytest.raises(ts.errors.TarsusError, match=told):
        controlled(walker, plan, control, q0)


@pytest.mark.parametrize("name", ["hrp2", "lola"])
def test_plans_are_carried_to_where_the_feet_stand_at_first(name):
    walker = ts.walking.Walker(getattr(ts.robots, name)())
    plan, choice = walker.plan(0.3, steps=2)
    q0 = plan.q[0].copy()
    q0[:2] += 0.04, -0.03
    control = ts.walking.WalkController(walker.biped, plan, 5e-3, choice.clearance)
    run = controlled(walker, plan, control, q0, duration=plan.duration)
    np.testing.assert_allclose(run.q[-1, :2] - q0[:2], plan.q[-1, :2] - plan.q[0, :2], atol=5e-3)
    assert np.abs(run.q[:, 4:6]).max() < 2e-3


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({2: 0.01}, r"higher or lower by 3 mm: this one is by 0 degrees and 10 mm"),
        ({4: 0.03}, r"it may be tilted by 1.1 degrees from there, .* this one is by 3.4 degrees and 0 mm"),
    ],
)
def test_controllers_refuse_starts_from_which_robots_fall(walker, change, told):
    plan, choice = walker.plan(0.3, steps=1)
    q0 = plan.q[0].copy()
    for k, by in change.items():
        q0[k] += by
    q0[3:7] /= np.linalg.norm(q0[3:7])
    control = ts.walking.WalkController(walker.biped, plan, 5e-3, choice.clearance)
    with pytest.raises(ts.errors.TarsusError, match=told):
        controlled(walker, plan, control, q0)


def test_arguments_of_controllers_that_are_none_are_refused(walker):
    plan, choice = walker.plan(0.3, steps=1)
    good = {"biped": walker.biped, "plan": plan, "dt": 5e-3, "clearance": choice.clearance}
    lola = ts.walking.Walker(ts.robots.lola()).plan(0.3, steps=1)[0]
    for name, value, told in [
        ("biped", walker.biped.model, "biped of WalkController is .*; expected a Biped"),
        ("plan", None, "plan of WalkController is None; expected a WalkPlan"),
        ("plan", lola, "plan of WalkController is one of 'lola', with .* coordinates; biped is 'hrp2'"),
        ("dt", 0.0, "dt of WalkController is 0.0; expected a number above 0"),
        ("dt", -1, "dt of WalkController is -1"),
        ("clearance", float("nan"), "clearance of WalkController is nan"),
        ("clearance", "a", "clearance of WalkController is 'a'"),
        ("clearance", 10, "clearance of WalkController is 10 m; expected less than its legs, 0.60 m"),
    ]:
        with pytest.raises(ts.errors.TarsusError, match=told):
            ts.walking.WalkController(**(good | {name: value}))


def test_controllers_refuse_batches_of_robots(walker):
    plan, choice = walker.plan(0.3, steps=1)
    control = ts.walking.WalkController(walker.biped, plan, 5e-3, choice.clearance)
    with pytest.raises(ts.errors.TarsusError, match=r"WalkController walks one robot; q has shape \(2, 37\)"):
        controlled(walker, plan, control, np.tile(plan.q[0], (2, 1)))


def test_controllers_begin_turned_as_their_plan_is(walker):
    plan, choice = walker.plan(0.3, steps=1)
    q0 = plan.q[0].copy()
    q0[3:7] = [np.cos(0.1), 0.0, 0.0, np.sin(0.1)]  # by 0.2 rad about the vertical
    control = ts.walking.WalkController(walker.biped, plan, 5e-3, choice.clearance)
    with pytest.raises(ts.errors.TarsusError, match=r"11 degrees from where the plan begins"):
        controlled(walker, plan, control, q0)


@pytest.mark.filterwarnings("ignore::tarsus.errors.ControlWarning")
def test_on_the_moon_hrp2_falls_at_some_speeds_below_its_top_speed_as_the_page_tells():
    walker = ts.walking.Walker(altered(ts.robots.hrp2(), gravity=(0.0, 0.0, -1.62)))
    assert walker.top_speed > 0.2
    assert not walker.walk(0.2, steps=5).passed and walker.walk(0.15, steps=5).passed
