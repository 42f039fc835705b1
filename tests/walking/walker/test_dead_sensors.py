"""Walks on sensors that are dead, or read no numbers: the outcome names them."""

import dataclasses
import warnings

import numpy as np
import pytest

import tarsus as ts
from tarsus.errors import ArgumentError, ControlWarning
from tarsus.plots.report.walk import walk_sections
from tarsus.simulation.push import Push
from tarsus.walking import Walker
from tarsus.walking.stabilizer.sensing.perception import SensedState


@pytest.fixture(name="walker", scope="module")
def _walker():
    return Walker(ts.robots.hrp2())


def sensors(walker, **options):
    """What a walk has by default."""
    soles = [leg.sole for leg in walker.biped.legs]
    return ts.sensors.proprioception(walker.biped.model, soles, rate=1 / walker.control_dt, integrating=True, **options)


def stuck(sensor, value):
    """The sensor, all of whose channels read one value."""

    class Stuck(type(sensor)):
        def begin(self, shape, rng):
            read = super().begin(shape, rng)
            return lambda truth: np.full_like(read(truth), value)

    return Stuck(**{field.name: getattr(sensor, field.name) for field in dataclasses.fields(sensor)})


def failing(sensor, broken, begins=1.0):
    """The sensor, whose readings become what `broken` makes of the present and the first wrong one [s]."""

    class Failing(type(sensor)):
        def begin(self, shape, rng):
            read, count, first = super().begin(shape, rng), [0], []

            def told(truth):
                value = np.array(read(truth))
                count[0] += 1
                if (count[0] - 1) / self.rate < begins - 1e-9:
                    return value
                first[:] = first or [value.copy()]
                return broken(value, first[0])

            return told

    return Failing(**{field.name: getattr(sensor, field.name) for field in dataclasses.fields(sensor)})


def one_joint(joint):
    """Of an encoder: position and rate of one joint stay."""

    def broken(value, first):
        own = [joint, joint + len(value) // 2]
        value[own] = first[own]
        return value

    return broken


def test_sensors_of_ones_own_are_those_of_a_walk_by_default(walker):
    own, usual = (walker.walk(0.3, steps=1, sensed=sensed, seed=2) for sensed in (sensors(walker), True))
    assert own.passed and own.sensors == "" and own.notes == usual.notes
    np.testing.assert_array_equal(own.trajectory.q, usual.trajectory.q)


def test_perfect_sensors_of_feet_that_swing_are_not_dead(walker):
    outcome = walker.walk(0.3, steps=3, sensed=sensors(walker, errors=0.0))
    assert outcome.passed and outcome.sensors == ""


@pytest.mark.parametrize(
    ("names", "value", "told"),
    [
        (("encoder",), 0.0, "sensor 'encoder' from 0.00 s on: reads nothing"),
        (("encoder",), np.nan, " and 27 more from 0.00 s on: no number, or a jump"),
        (("walk/left",), 0.0, "sensor 'walk/left' from 0.00 s on: reads nothing"),
        (("walk/left", "walk/right"), 0.0, "sensors 'walk/left', 'walk/right' from 0.00 s on: reads nothing"),
        (("walk/right",), np.nan, "sensor 'walk/right' from 0.00 s on: reads no number"),
    ],
)
def test_fall_on_dead_sensors_names_them(walker, names, value, told):
    own = [stuck(sensor, value) if sensor.name in names else sensor for sensor in sensors(walker)]
    outcome = walker.walk(0.3, steps=3, sensed=own)
    assert not outcome.passed
    assert told in outcome.reason and told in str(outcome)


@pytest.mark.parametrize(
    ("name", "broken", "told"),
    [
        ("walk/left", lambda value, first: 0.0 * value, "sensor 'walk/left' from 2.00 s on: reads nothing"),
        ("walk/left", lambda value, first: -value, "sensor 'walk/left' from 1.00 s on: reads that the ground pulls"),
        ("walk/right", lambda value, first: first, "sensor 'walk/right' from 1.00 s on: reads the same all the time"),
        ("imu", lambda value, first: first, "sensor 'imu' from 1.00 s on: reads the same all the time"),
        ("encoder", lambda value, first: first, "sensor 'encoder' from 1.00 s on: reads the same all the time"),
    ],
)
def test_fall_on_sensors_that_die_in_the_middle_names_them(walker, name, broken, told):
    begins = float(told.split()[3])
    own = [failing(sensor, broken, begins) if sensor.name == name else sensor for sensor in sensors(walker)]
    outcome = walker.walk(0.3, steps=8, sensed=own)
    assert not outcome.passed
    assert outcome.reason.endswith(f"; {told}"), outcome.reason


def test_joint_whose_encoder_stays_while_its_rate_tells_that_it_moves_is_named(walker):
    encoder = next(sensor for sensor in sensors(walker) if sensor.name == "encoder")
    knee = encoder.joints.index("LLEG_JOINT3")
    own = [failing(x, one_joint(knee)) if x.name == "encoder" else x for x in sensors(walker)]
    outcome = walker.walk(0.3, steps=4, sensed=own)
    assert outcome.sensors == "sensor 'LLEG_JOINT3' from 1.00 s on: reads the same all the time"


def test_errors_that_could_be_motions_are_not_named(walker):
    """As the documentation tells."""
    turning = np.array([0.1, 0.0, 0.0, 0.0, 0.0, 0.0])
    own = [failing(x, lambda value, first: value + turning) if x.name == "imu" else x for x in sensors(walker)]
    outcome = walker.walk(0.3, steps=4, sensed=own)
    assert not outcome.passed and outcome.sensors == ""


def test_perfect_sensors_of_a_robot_that_is_pushed_over_are_not_dead(walker):
    push = Push("pelvis", (-900.0, 0.0, 0.0), 1.0, 0.3)
    outcome = walker.walk(0.3, steps=2, sensed=sensors(walker, errors=0.0), pushes=[push])
    assert not outcome.passed and outcome.sensors == ""


def test_walk_on_an_inertial_unit_that_tells_single_moments_falls_and_was_warned_of_it(walker):
    soles = [leg.sole for leg in walker.biped.legs]
    with pytest.warns(ControlWarning, match="the inertial unit 'imu' tells values at single moments"):
        outcome = walker.walk(0.3, steps=8, sensed=ts.sensors.proprioception(walker.biped.model, soles))
    assert not outcome.passed


def test_warning_of_inertial_units_that_tell_single_moments_tells_what_to_give(walker):
    soles = [leg.sole for leg in walker.biped.legs]
    model = walker.biped.model
    with pytest.warns(ControlWarning, match=r"single moments, which are read every 5 ms: .* rate=200, integrating"):
        SensedState(walker.biped, walker.biped.q, 5e-3, ts.sensors.proprioception(model, soles))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SensedState(walker.biped, walker.biped.q, 1e-3, ts.sensors.proprioception(model, soles))
        SensedState(walker.biped, walker.biped.q, 5e-3, sensors(walker))


@pytest.mark.parametrize(("value", "told"), [(0.0, "reads nothing"), (np.nan, "gyroscope reads no number")])
def test_walk_that_does_without_its_inertial_unit_says_so(walker, tmp_path, value, told):
    own = [stuck(sensor, value) if sensor.name == "imu" else sensor for sensor in sensors(walker)]
    outcome = walker.walk(0.3, steps=1, sensed=own, record=tmp_path / "walk.h5")
    assert outcome.passed, str(outcome)
    assert f"sensor 'imu' from 0.00 s on: {told}" in "".join(outcome.notes)
    section = next(walk_sections(ts.open_recording(tmp_path / "walk.h5")))
    assert told in section.note and section.warning


def test_sensors_without_those_of_the_feet_or_with_delays_are_refused(walker):
    with pytest.raises(ArgumentError, match="no ForceTorqueSensor named 'walk/left', 'walk/right'"):
        walker.walk(0.3, steps=1, sensed=sensors(walker)[:2])
    with pytest.raises(ArgumentError, match="delay of the sensor 'encoder' is 0.01 s; expected 0"):
        walker.walk(0.3, steps=1, sensed=sensors(walker, delay=0.01))
