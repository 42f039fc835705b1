"""The linear inverted pendulum: closed forms, published numbers, components, conserved quantities."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from tarsus.errors import ArgumentError
from tarsus.walking.pendulum.linear_inverted_pendulum import LinearInvertedPendulum, MassState

EXACT = 1e-13
PENDULUM = LinearInvertedPendulum(0.814)
START = MassState(np.array(-0.1), np.array(0.5))


def test_numbers_of_a_pendulum_of_0_814_m():
    """Computed with 50 digits."""
    assert 1 / PENDULUM.omega == pytest.approx(0.288056512747390531, rel=EXACT)
    x, v = PENDULUM.moved(START, [0.2, 0.5], 0.0)
    assert x == pytest.approx([-0.0168568706726298944, 0.103385958236086283], rel=EXACT)
    assert v == pytest.approx([0.364566235495965609, 0.508231648918566661], rel=EXACT)
    assert PENDULUM.divergent(*START) == pytest.approx(0.0440282563736952657, rel=EXACT)
    assert PENDULUM.orbital_energy(*START) == pytest.approx(0.064742014742014742, rel=EXACT)


def test_motion_above_a_moving_pressure_is_that_of_the_differential_equation():
    def rate(t, y):
        return [y[1], PENDULUM.acceleration(y[0], 0.05 + 0.2 * t)]

    numeric = solve_ivp(rate, (0.0, 0.8), [-0.1, 0.5], rtol=1e-12, atol=1e-13).y[:, -1]
    exact = PENDULUM.moved(START, 0.8, 0.05, 0.2)
    assert np.allclose(numeric, exact, rtol=0, atol=1e-10)


def test_components_grow_and_decay_and_make_the_state():
    p, t, w = 0.03, 0.4, PENDULUM.omega
    later = PENDULUM.moved(START, t, p)
    assert PENDULUM.divergent(*later) - p == pytest.approx((PENDULUM.divergent(*START) - p) * np.exp(w * t), rel=EXACT)
    eta = PENDULUM.convergent(*START)
    assert PENDULUM.convergent(*later) - p == pytest.approx((eta - p) * np.exp(-w * t), rel=1e-12)
    assert np.allclose(PENDULUM.state_of(PENDULUM.divergent(*START), eta), START, rtol=EXACT)


def test_the_divergent_component_is_found_backwards():
    p, rate, t = 0.03, -0.4, 0.6
    later = PENDULUM.moved(START, t, p, rate)
    before = PENDULUM.divergent_before(PENDULUM.divergent(*later), t, p, rate)
    assert before == pytest.approx(PENDULUM.divergent(*START), rel=1e-12)


def test_orbital_energy_stays():
    states = PENDULUM.moved(START, np.linspace(0, 1, 11), 0.0)
    assert np.ptp(PENDULUM.orbital_energy(*states)) < 1e-14


def test_a_mass_comes_to_rest_above_its_capture_point():
    capture = PENDULUM.divergent(*START)
    end = PENDULUM.moved(START, 4.0, capture)
    assert end.position == pytest.approx(capture, abs=1e-6)
    assert abs(end.velocity) < 1e-5


@pytest.mark.parametrize("options", [{"height": 0.0}, {"height": np.nan}, {"height": 1.0, "gravity": -1.0}])
def test_numbers_that_make_no_pendulum_are_refused(options):
    with pytest.raises(ArgumentError, match="of LinearInvertedPendulum"):
        LinearInvertedPendulum(**options)
