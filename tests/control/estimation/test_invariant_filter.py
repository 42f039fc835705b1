"""The filter alone: error dynamics, what can be observed, and consistency."""

import numpy as np
import pytest
from scipy.stats import chi2

from tarsus import spatial
from tarsus.control.estimation.contact_rows import contact_rows
from tarsus.control.estimation.invariant_filter import InvariantFilter
from tarsus.control.estimation.noise import EstimatorNoise
from tarsus.control.estimation.single_rotation import exponential, left_jacobian
from tarsus.control.estimation.support import Support

GRAVITY = np.array([0.0, 0.0, -9.81])
SUPPORTS = (Support("a", patch=False), Support("b"), Support("c", patch=False))
PLACES = np.array([[0.3, 0.2, 0.0], [-0.3, 0.1, 0.05], [0.1, -0.3, 0.0]])
TURNS = [spatial.rotation_matrix_from_rotation_vector(x) for x in ([0, 0, 0], [0.1, 0.0, 0.4], [0, 0, 0])]
NOISE = EstimatorNoise(gyroscope=1e-3, accelerometer=1e-2, gyroscope_walk=1e-3, accelerometer_walk=1e-2, creep=5e-3,
                       creep_turn=5e-3, contact=2e-3, contact_turn=4e-3)  # fmt: skip


def new_filter(noise=NOISE):
    return InvariantFilter(3, [1], noise, GRAVITY)


def rows(state, used=(0, 1, 2)):
    return contact_rows(used, SUPPORTS, state, state.noise)


def seen(state, p_IC, R_IC):
    """What joints tell, (n + patches, 3), in the coordinates of the error."""
    z = p_IC @ state.R.T + state.p - state.d
    turn = spatial.rotation_vector_from_rotation_matrix(state.R @ R_IC[1] @ state.C[0].T)
    return np.concatenate([z, turn[None]]).ravel()


def correct(state, p_IC, R_IC, used=(0, 1, 2)):
    found = rows(state, used)
    N = np.diag(found.variance)
    z = seen(state, p_IC, R_IC)[found.z]
    state.correct(z, *state.innovation(found.H, N))


def error(state, truth):
    """xi of an estimate, (15 + 9 + 3,)."""
    R, x, biases, C = truth
    turn = spatial.rotation_vector_from_rotation_matrix(state.R @ R.T)
    J = np.linalg.inv(left_jacobian(*turn))
    E = exponential(*turn)
    moved = np.stack([J @ (a - E @ b) for a, b in zip(state._x, x, strict=True)])
    own = np.concatenate([state.gyroscope_bias, state.accelerometer_bias]) - biases
    return np.concatenate([turn, own, moved.ravel(), spatial.rotation_vector_from_rotation_matrix(state.C[0] @ C.T)])


def truth_of(state):
    biases = np.concatenate([state.gyroscope_bias, state.accelerometer_bias])
    return state.R.copy(), state._x.copy(), biases, state.C[0].copy()


def begun(rng, noise=NOISE):
    state = new_filter(noise)
    R = spatial.rotation_matrix_from_rotation_vector(rng.normal(size=3))
    state.reset(R, rng.normal(size=3), rng.normal(size=3))
    for k in range(3):
        state.add_contact(k, R.T @ (PLACES[k] - state.p), R.T @ TURNS[k], np.zeros((6, 6)))
    return state


def test_matrix_of_the_errors_is_their_derivative():
    rng = np.random.default_rng(0)
    for _ in range(5):
        true, off = begun(rng), new_filter()
        gyroscope, accelerometer, dt = rng.normal(size=3), 9.0 + rng.normal(size=3), 1e-4
        xi = 1e-5 * rng.normal(size=27)
        for name in ("R", "C"):
            setattr(off, name, getattr(true, name).copy())
        off._x[:] = true._x
        off._on[:] = True
        off._retract(xi.reshape(-1, 3))
        np.testing.assert_allclose(error(off, truth_of(true)), xi, atol=1e-9)
        true.propagate(dt, gyroscope, accelerometer)
        off.propagate(dt, gyroscope, accelerometer)
        change = error(off, truth_of(true)) - xi
        # F is of the first order in dt: off by about |w| dt of the change
        np.testing.assert_allclose(change, true._F @ xi - xi, atol=2e-3 * np.abs(change).max())


def test_rows_of_contacts_are_derivatives_of_what_joints_tell():
    rng = np.random.default_rng(1)
    state = begun(rng)
    truth = truth_of(state)
    p_IC = (state.d - state.p) @ state.R
    R_IC = [state.R.T @ R for R in TURNS]
    R_IC[1] = state.R.T @ state.C[0]
    xi = 1e-6 * rng.normal(size=27)
    state._retract(xi.reshape(-1, 3))
    np.testing.assert_allclose(seen(state, p_IC, R_IC), rows(state).H @ error(state, truth), atol=1e-11)


def test_position_and_heading_are_never_learned():
    """Variances of a common shift of all positions, and of a common turn about the vertical, do not fall."""
    rng = np.random.default_rng(2)
    state = new_filter()
    R = spatial.rotation_matrix_from_rotation_vector([0.1, -0.2, 0.3])
    state.reset(R, np.zeros(3), np.array([0.0, 0.0, 0.5]), 0.05, 0.1, 0.3, 0.2)
    for k in range(3):
        state.add_contact(k, R.T @ (PLACES[k] - state.p), R.T @ TURNS[k], 1e-6 * np.eye(6))
    up = np.array([0.0, 0.0, 1.0])
    shift = np.zeros((3, 27))
    shift[:, 12:15] = np.eye(3)
    before = shift @ state.P @ shift.T, up @ state.P[:3, :3] @ up
    for _ in range(300):
        state.propagate(5e-3, 0.05 * rng.normal(size=3), -R.T @ GRAVITY)
        p_IC = (PLACES - state.p) @ state.R + 1e-3 * rng.normal(size=(3, 3))
        correct(state, p_IC, [state.R.T @ C for C in TURNS])
    after = shift @ state.P @ shift.T, up @ state.P[:3, :3] @ up
    assert np.linalg.eigvalsh(after[0]).min() >= np.linalg.eigvalsh(before[0]).min() * (1.0 - 1e-6)
    assert after[1] >= before[1] * (1.0 - 1e-6)
    assert state.P[0, 0] < 0.05**2 / 4.0  # while the tilt is learned


def simulated(seed, steps=150, dt=0.01):
    """A unit on a smooth motion over three contacts, with noise as the filter believes; the filter and its truth."""
    rng = np.random.default_rng(seed)
    noise, state = NOISE, new_filter()
    R = spatial.rotation_matrix_from_rotation_vector(0.1 * rng.normal(size=3))
    p, v = np.array([0.0, 0.0, 0.5]), np.zeros(3)
    tilt, speed, place, heading = 0.05, 0.1, 0.02, 0.03
    turn = np.array([tilt, tilt, heading]) * rng.normal(size=3)
    state.reset(exponential(*turn) @ R, v + speed * rng.normal(size=3), p + place * rng.normal(size=3), tilt, speed,
                place, heading)  # fmt: skip
    bias = np.concatenate([noise.gyroscope_bias * rng.normal(size=3), noise.accelerometer_bias * rng.normal(size=3)])
    walk = np.sqrt(dt) * np.repeat([noise.gyroscope_walk, noise.accelerometer_walk], 3)
    d, C = PLACES.copy(), TURNS[1].copy()
    wave = rng.uniform(0.5, 1.5, 6)
    for step in range(steps):
        t = step * dt
        w, a = np.cos(wave[:3] * t), 2.0 * np.cos(wave[3:] * t + 1.0) - 0.5 * v - (p - [0.0, 0.0, 0.5])
        R = R @ exponential(*(dt * w))
        p, v = p + dt * v + 0.5 * dt * dt * a, v + dt * a
        f = R.T @ (a - GRAVITY)
        bias = bias + walk * rng.normal(size=6)
        gyroscope = w + bias[:3] + noise.gyroscope / np.sqrt(dt) * rng.normal(size=3)
        accelerometer = f + bias[3:] + noise.accelerometer / np.sqrt(dt) * rng.normal(size=3)
        d = d + noise.creep * np.sqrt(dt) * rng.normal(size=(3, 3))
        C = exponential(*(noise.creep_turn * np.sqrt(dt) * rng.normal(size=3))) @ C
        state.propagate(dt, gyroscope, accelerometer)
        p_IC = (d - p) @ R + noise.contact * rng.normal(size=(3, 3))
        R_IC = [R.T @ TURNS[0], R.T @ exponential(*(noise.contact_turn * rng.normal(size=3))) @ C, R.T @ TURNS[2]]
        used = (0, 1, 2) if (step // 50) % 2 == 0 else (0, 1)  # the third one is lifted, and put down again
        N = np.diag(np.repeat([noise.contact**2, noise.contact_turn**2], 3))
        if step == 0:
            for k in range(3):
                state.add_contact(k, p_IC[k], R_IC[k], N)
        elif step % 50 == 0:
            state.add_contact(2, p_IC[2], R_IC[2], N) if 2 in used else state.drop_contact(2)
        else:
            correct(state, p_IC, R_IC, used)
    return state, (R, np.concatenate([[v, p], d]), bias, C)


SEEDS = 20


def test_errors_are_as_large_as_the_covariance_says():
    """Mean normalised squared error of the 15 errors over seeds within its 99.8 % bounds."""
    found = []
    for seed in range(SEEDS):
        state, truth = simulated(seed)
        xi = error(state, truth)[:15]
        found.append(xi @ np.linalg.solve(state.P[:15, :15], xi))
    low, high = chi2.ppf([0.001, 0.999], 15 * SEEDS) / SEEDS
    assert low < np.mean(found) < high


def test_biases_are_recovered():
    state, truth = simulated(3, steps=600)
    start = np.repeat([NOISE.gyroscope_bias, NOISE.accelerometer_bias], 3)
    found = np.concatenate([state.gyroscope_bias, state.accelerometer_bias])
    deviations = np.sqrt(np.diagonal(state.P)[3:9])
    assert (deviations < 0.6 * start).all()
    assert (np.abs(found - truth[2]) < 4.0 * deviations).all()


@pytest.mark.parametrize("name", ["gyroscope", "creep", "contact"])
def test_noise_that_is_no_number_is_refused_by_name(name):
    with pytest.raises(ValueError, match=f"{name} of EstimatorNoise is nan"):
        EstimatorNoise(**{name: float("nan")})
