"""One step of the walk as a map of states."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.contact import flat, points
from tarsus.errors import SimulationError
from tarsus.walking import (
    CONTACTS,
    FIRM_GROUND,
    SHAH_GROUND,
    PendulumGait,
    StepMap,
    drive_joints,
    feedforward_pd,
    periodic_drive,
)

GAIT = PendulumGait(period=0.1, step_length=0.01, foot_height=0.005)
"""Steps that are short to simulate."""
INTEGRATED = 1e-6
"""Agreement of two integrations with a relative tolerance of 1e-9 whose steps differ."""
LINEAR = 1e-3
"""Part of second order in the answer to a change, relative."""

ON_SOFT_GROUND = (1.2289166, 0.0068775, 0.2061495, -0.0141668, -0.0892447)
"""Base at the exchange of legs of the periodic step of the driven robot on the ground of the paper, z, pitch, v."""


@pytest.fixture(scope="module")
def short():
    model = ts.robots.shah7()
    driven = drive_joints(model, GAIT, FIRM_GROUND, duration=GAIT.period, sample=1e-3)
    return StepMap(model, GAIT, FIRM_GROUND, driven)


def test_map_is_one_step_of_the_simulation_with_the_legs_exchanged(short):
    x = short.start
    law = feedforward_pd(GAIT, short.driven.time, short.law.tau)
    run = ts.simulate(
        short.model, np.r_[0.7, x[:8]], x[8:], duration=GAIT.period, controller=law, ground=flat(FIRM_GROUND),
        contacts=points(short.model, CONTACTS), integrator="dormand-prince", relative=1e-9, absolute=1e-10,
    )  # fmt: skip
    q, v = run.q[-1], run.v[-1]
    later = np.r_[q[1:3], q[6:9], q[3:6], v[:3], v[6:9], v[3:6]]
    assert np.abs(short(x) - later).max() < INTEGRATED  # where it stands on level ground does not matter
    # The joints follow the plan, and the plan of the next step starts with the legs exchanged.
    assert np.abs(short(x)[2:8] - x[2:8]).max() < np.radians(0.5)


def test_torques_at_the_start_are_those_at_the_end_of_the_step_before(short):
    tau = np.asarray(short.law.tau)
    assert np.array_equal(tau[0, 3:6], tau[-1, 6:9])
    assert np.array_equal(tau[0, 6:9], tau[-1, 3:6])
    assert np.array_equal(tau[1:], short.driven.tau[1:])


def test_derivative_answers_to_a_change_in_any_direction(short):
    exact = StepMap(short.model, GAIT, FIRM_GROUND, short.driven, relative=1e-11)  # rounding, not steps, is left
    x = short.start - 0.004 * np.eye(17)[0]  # both feet well in the ground: a touch-down at the start would be a kink
    found, derivative = exact.linearised(x)
    change = 3e-6 * np.random.default_rng(1).standard_normal(17)
    answer = exact(x + change) - found
    assert np.abs(answer - derivative @ change).max() < LINEAR * np.abs(answer).max()


def test_a_search_without_end_is_given_up_with_what_is_missing(short):
    with pytest.raises(SimulationError, match="no fixed point was found in 1 iterations: the last step ends .* off"):
        short.fixed_point(iterations=1)


def test_a_driven_robot_that_falls_has_no_periodic_step():
    with pytest.raises(SimulationError, match="the driven robot falls within a step from the state"):
        periodic_drive(ts.robots.shah7(), PendulumGait(), FIRM_GROUND, start=(1.2, 0.9, 2.0, 0.0, 3.0))


def spectral_radius(matrix):
    return np.abs(np.linalg.eigvals(matrix)).max()


@pytest.mark.long
def test_periodic_step_on_the_ground_of_the_paper_repels():
    model, gait = ts.robots.shah7(), PendulumGait()
    driven, derivative = periodic_drive(model, gait, SHAH_GROUND, start=ON_SOFT_GROUND)
    assert np.abs(driven.q[-1, 1:3] - driven.q[0, 1:3]).max() < 1e-7
    assert 3.5 < spectral_radius(derivative) < 3.7  # -3.62: even exact joints do not make it attract
    steps = StepMap(model, gait, SHAH_GROUND, driven)
    x, derivative = steps.fixed_point()
    assert 1.9 < spectral_radius(derivative) < 2.0  # -1.96 under the law (25)
    # The eigenvalue is seen in the motion itself: what is a little off is twice as far off one step later.
    values, vectors = np.linalg.eig(derivative)
    worst = np.real(vectors[:, np.abs(values).argmax()])
    off = 1e-5 * worst
    assert abs(np.linalg.norm(steps(x + off) - steps(x)) / np.linalg.norm(off) - spectral_radius(derivative)) < 0.05


@pytest.mark.long
def test_periodic_step_on_firm_ground_attracts():
    model, gait = ts.robots.shah7(), PendulumGait()
    driven, derivative = periodic_drive(model, gait, FIRM_GROUND)
    assert 0.15 < spectral_radius(derivative) < 0.25  # 0.19
    steps = StepMap(model, gait, FIRM_GROUND, driven)
    x = steps.start
    for _ in range(15):
        x = steps(x)
    x, derivative = steps.fixed_point(x)
    assert 0.55 < spectral_radius(derivative) < 0.65  # 0.60
