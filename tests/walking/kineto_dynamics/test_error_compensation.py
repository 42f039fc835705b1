"""The loop of error compensation has the transfer function that its parts have."""

import numpy as np
import pytest
from scipy import signal

from tarsus.errors import ArgumentError
from tarsus.walking.kineto_dynamics.error_compensation import ErrorCompensation, LeadController

DT = 1.5e-3
SAMPLED = 0.01
"""Of amplitudes: steps of 1.5 ms beside continuous time, at rates up to 30 rad/s."""
LOLA = ErrorCompensation(60.0, 0.9, 9.81, LeadController(3200.0))


def test_lead_controller_is_its_transfer_function():
    controller = LeadController(3200.0, 0.2, 0.02)
    times = DT * np.arange(800)
    x = np.sin(7.0 * times) * np.minimum(times, 1.0)
    _, expected, _ = signal.lsim(([3200.0 * 0.2, 3200.0], [0.02, 1.0]), x, times)
    state, found = controller.start(np.zeros(1)), [0.0]
    for a, b in zip(x[:-1, None], x[1:, None], strict=True):
        state, u = controller.step(state, a, b, DT)
        found.append(u.item())
    assert np.abs(np.array(found) - expected).max() < 1e-9 * np.abs(expected).max()


def left_over(compensation, rate):
    """Amplitude of what is left of T_y = sin(rate t)."""
    times = DT * np.arange(int((5.0 + 6 * np.pi / rate) / DT))
    error = np.column_stack([np.zeros(len(times)), np.sin(rate * times)])
    way, angle = compensation.motion(error, DT)
    moment = compensation.mass * (compensation.height * way[:, 2, 0] - compensation.gravity * way[:, 0, 0])
    rest = error[:, 1] + moment + compensation.inertia * angle[:, 2, 1]
    own = times > times[-1] - 2 * np.pi / rate
    basis = np.column_stack([np.sin(rate * times[own]), np.cos(rate * times[own])])
    return np.linalg.norm(np.linalg.lstsq(basis, rest[own], rcond=None)[0])


@pytest.mark.parametrize("rate", [2.0, 8.0, 30.0])
def test_what_is_left_of_a_sine_is_what_the_closed_loop_leaves(rate):
    s = 1j * rate
    C, D = 3200.0 * (0.2 * s + 1) / (0.02 * s + 1), 60.0 * (0.9 * s * s - 9.81)
    assert left_over(LOLA, rate) == pytest.approx(abs(C / (C + D)), rel=SAMPLED)


def test_a_reaction_wheel_takes_a_part_of_fast_errors_and_comes_back():
    turning = ErrorCompensation(60.0, 0.9, 9.81, LeadController(3200.0), wheel=0.3, inertia=2.0)
    assert left_over(turning, 30.0) < 0.8 * left_over(LOLA, 30.0)
    error = np.zeros((4000, 2))
    error[:20] = 5.0
    way, angle = turning.motion(error, DT)
    assert np.abs(angle[:, 0]).max() > 1e-3 and np.abs(angle[-1, 0]).max() < 1e-6
    assert np.abs(way[-1, 0]).max() < 1e-6


def test_moments_about_both_axes_are_answered_alike():
    way, _ = LOLA.motion(np.tile([0.0, 3.0], (400, 1)), DT)
    across, _ = LOLA.motion(np.tile([-3.0, 0.0], (400, 1)), DT)
    assert across[..., 1] == pytest.approx(way[..., 0])


def test_controllers_that_cannot_hold_the_pendulum_are_refused():
    with pytest.raises(ArgumentError, match="more than the weight"):
        ErrorCompensation(60.0, 0.9, 9.81, LeadController(500.0))
    with pytest.raises(ArgumentError, match="inertia"):
        ErrorCompensation(60.0, 0.9, 9.81, LeadController(3200.0), wheel=0.5)
    with pytest.raises(ArgumentError, match="wheel"):
        ErrorCompensation(60.0, 0.9, 9.81, LeadController(3200.0), wheel=1.5)
    with pytest.raises(ArgumentError, match="lag"):
        LeadController(3200.0, 0.2, 0.0)
