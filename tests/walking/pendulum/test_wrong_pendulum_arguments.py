"""Numbers that make no model of a walking robot are refused by name; numbers of NumPy are numbers."""

import re

import numpy as np
import pytest

from tarsus.errors import ArgumentError, DtypeError, NonFiniteError, ShapeError
from tarsus.walking import (
    FlywheelPendulum,
    LinearInvertedPendulum,
    MassState,
    ThreeMassModel,
    VariableHeightPendulum,
)

NAN = float("nan")
PENDULUM = LinearInvertedPendulum(0.8)
WHEEL = FlywheelPendulum(PENDULUM, 60, 5, 100, 1)
MASSES = ThreeMassModel(60.0, 0.1, 0.8)
LEGS = np.zeros((3, 2, 3))


@pytest.mark.parametrize("number", [np.float32(0.8), np.float64(0.8), np.int64(1), np.array(0.8)])
def test_numbers_of_numpy_make_the_pendulum_of_the_plain_number(number):
    found, plain = LinearInvertedPendulum(number, np.float32(9.75)), LinearInvertedPendulum(float(number), 9.75)
    assert found == plain and found.omega == plain.omega
    assert type(found.height) is float and type(found.omega) is float
    assert FlywheelPendulum(PENDULUM, number, 5.0, 100.0, 1.0).reach == pytest.approx(
        FlywheelPendulum(PENDULUM, float(number), 5.0, 100.0, 1.0).reach
    )


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: LinearInvertedPendulum(None), DtypeError, "height of LinearInvertedPendulum is None; expected a num"),
        (lambda: LinearInvertedPendulum(True), DtypeError, "height of LinearInvertedPendulum is True; expected a num"),
        (lambda: LinearInvertedPendulum(10**400), ArgumentError, "expected a number above 0"),
        (lambda: FlywheelPendulum(None, 60, 5, 100, 1), DtypeError,
         "pendulum of FlywheelPendulum is None; expected a LinearInvertedPendulum"),
        (lambda: FlywheelPendulum(PENDULUM, "a", 5, 100, 1), DtypeError, "mass of FlywheelPendulum is 'a'; expected"),
        (lambda: WHEEL.capture_region(MassState([0.0, 0], [0.3, 0.1]), 0.0, 1.0), DtypeError,
         "position of state is [0.0, 0]; expected a finite number, that of one direction"),
        (lambda: WHEEL.capture_region(MassState(0.0, NAN), 0.0, 1.0), ArgumentError, "velocity of state is nan; expec"),
        (lambda: WHEEL.capture_region((0.0, 0.3), 0.0, 1.0), DtypeError, "state is (0.0, 0.3); expected a MassState"),
        (lambda: WHEEL.capture_region(MassState(0.0, 0.3), [0.0], 1.0), DtypeError, "p is [0.0]; expected a finite"),
        (lambda: WHEEL.capture_region(MassState(0.0, 0.3), 0.0, np.inf), ArgumentError, "step_time is inf; expected"),
        (lambda: ThreeMassModel("a", 0.1, 0.8), DtypeError, "mass of ThreeMassModel is 'a'; expected a number above 0"),
        (lambda: ThreeMassModel(60, "a", 0.8), DtypeError, "leg_ratio of ThreeMassModel is 'a'; expected 0 <= m_l / m"),
        (lambda: MASSES.leg_push(0.0, LEGS, LEGS), ShapeError, "p: found shape (), expected (..., 2)"),
        (lambda: MASSES.leg_push(np.zeros((3, 2)), "a", LEGS), DtypeError, "legs: cannot be read"),
        (lambda: MASSES.leg_push(np.zeros((3, 2)), LEGS, NAN * LEGS), NonFiniteError, "leg_acceleration: found nan at"),
        (lambda: VariableHeightPendulum(0.8), DtypeError, "height of VariableHeightPendulum is 0.8; expected a functi"),
        (lambda: VariableHeightPendulum(np.cos, gravity="a"), DtypeError, "gravity of VariableHeightPendulum is 'a'"),
        (lambda: VariableHeightPendulum(lambda t: 0.8).square_rate([0.0]), DtypeError, "returned 0.8; expected z and"),
        (lambda: VariableHeightPendulum(lambda t: (NAN * t, t)).square_rate([0.0]), NonFiniteError,
         "z of height: found nan"),
        (lambda: VariableHeightPendulum(lambda t: (0.8, 0.0)).square_rate([0.0, 1.0]), ShapeError,
         "returned shapes (), (); expected those of the times, (2,)"),
    ],
)  # fmt: skip
def test_what_makes_no_model_is_refused_by_name(call, error, words):
    with pytest.raises(error, match=re.escape(words)):
        call()
