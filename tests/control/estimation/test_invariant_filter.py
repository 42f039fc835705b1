"""The filter alone: error dynamics, what can be observed, and consistency."""

import numpy as np
import pytest
from scipy.stats import chi2
from tests.control.estimation.book_filter import BookFilter, left_jacobian

import tarsus as ts
from tarsus import _native, spatial
from tarsus.control.estimation.invariant_filter import InvariantFilter
from tarsus.control.estimation.noise import EstimatorNoise
from tarsus.control.estimation.single_rotation import exponential

GRAVITY = np.array([0.0, 0.0, -9.81])
PATCHES = [1]
SAME = 1e-12
"""Relative difference of two ways to compute the same, of numbers of size 1."""
PLACES = np.array([[0.3, 0.2, 0.0], [-0.3, 0.1, 0.05], [0.1, -0.3, 0.0]])
TURNS = [spatial.rotation_matrix_from_rotation_vector(x) for x in ([0, 0, 0], [0.1, 0.0, 0.4], [0, 0, 0])]
NOISE = EstimatorNoise(gyroscope=1e-3, accelerometer=1e-2, gyroscope_walk=1e-3, accelerometer_walk=1e-2, creep=5e-3,
                       creep_turn=5e-3, creep_tilt=2e-2, contact=2e-3, contact_turn=4e-3)  # fmt: skip


def new_filter(noise=NOISE):
    return InvariantFilter(3, PATCHES, noise, GRAVITY)


def correct(state, p_IC, R_IC, used=(0, 1, 2), gate=np.inf):
    """Encoders are exact."""
    return state.correct(p_IC, np.array(R_IC), np.eye(4), np.zeros((3, 6, 1)), used, gate)


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
        true, off = (BookFilter.of(x, PATCHES) for x in [begun(rng)] * 2)
        gyroscope, accelerometer, dt = rng.normal(size=3), 9.0 + rng.normal(size=3), 1e-4
        xi = 1e-5 * rng.normal(size=27)
        off.retract(xi)
        np.testing.assert_allclose(error(off, truth_of(true)), xi, atol=1e-9)
        F = true.transition(dt)[0]
        true.propagate(dt, gyroscope, accelerometer)
        off.propagate(dt, gyroscope, accelerometer)
        change = error(off, truth_of(true)) - xi
        # F is of the first order in dt: off by about |w| dt of the change
        np.testing.assert_allclose(change, F @ xi - xi, atol=2e-3 * np.abs(change).max())


def test_rows_of_contacts_are_derivatives_of_what_joints_tell():
    rng = np.random.default_rng(1)
    state = BookFilter.of(begun(rng), PATCHES)
    truth = truth_of(state)
    p_IC = (state._x[2:] - state._x[1]) @ state.R
    R_IC = [state.R.T @ R for R in TURNS]
    R_IC[1] = state.R.T @ state.C[0]
    xi = 1e-6 * rng.normal(size=27)
    state.retract(xi)
    used = (0, 1, 2)
    np.testing.assert_allclose(state.seen(p_IC, R_IC, used), state.rows(used)[0] @ error(state, truth), atol=1e-11)


def agrees(state, book):
    """Whether two filters estimate the same."""
    for name in ("R", "_x", "C", "P", "gyroscope_bias", "accelerometer_bias"):
        found, expected = getattr(state, name), getattr(book, name)
        largest = max(1.0, float(np.abs(expected).max()))
        np.testing.assert_allclose(found, expected, rtol=0.0, atol=SAME * largest, err_msg=name)


def test_steps_and_corrections_are_those_of_whole_matrices():
    rng = np.random.default_rng(5)
    for _ in range(200):
        state = begun(rng)
        for k in rng.permutation(3)[: rng.integers(3)]:
            state.drop_contact(int(k))
        standing = np.flatnonzero(state._on[5:8])
        A = 0.1 * rng.normal(size=(27, 27)) * np.repeat(state._on, 3)[:, None]
        state.P[:] = A @ A.T
        state.gyroscope_bias[:], state.accelerometer_bias[:] = 0.1 * rng.normal(size=(2, 3))
        book = BookFilter.of(state, PATCHES)
        for filter in (state, book):
            readings = np.random.default_rng(6)
            filter.propagate(2e-3, readings.normal(size=3), 10.0 * readings.normal(size=3), scale=(3.0, 20.0))
        agrees(state, book)
        used = tuple(int(k) for k in standing if rng.random() < 0.8)
        if not used:
            continue
        R_IC = spatial.rotation_matrix_from_quaternion(spatial.random_quaternion(rng, 3))
        R_IC[1] = state.R.T @ exponential(*(0.1 * rng.normal(size=3))) @ state.C[0]
        p_IC = (state.d - state.p) @ state.R + 0.05 * rng.normal(size=(3, 3))
        X_BI = ts.pose(rng.normal(size=3), spatial.rotation_matrix_from_quaternion(spatial.random_quaternion(rng)))
        J, gate = 300.0 * rng.normal(size=(3, 6, 9))[:, :, 2:], rng.choice([0.5, 2.0, np.inf])
        missed = state.correct(p_IC, R_IC, X_BI, J, used, gate)
        assert missed == book.correct(p_IC, R_IC, X_BI, J, used, gate)
        agrees(state, book)


def test_along_a_walk_steps_and_corrections_are_those_of_whole_matrices(monkeypatch):
    compared = {"propagate": 0, "correct": 0}

    def watched(name):
        native = getattr(InvariantFilter, name)

        def both(self, *args, **options):
            compared[name] += 1
            if compared[name] % 7:  # the book takes its time
                return native(self, *args, **options)
            book = BookFilter.of(self, list(self.turn_block))
            result = native(self, *args, **options)
            assert result == getattr(book, name)(*args, **options)
            agrees(self, book)
            return result

        return both

    for name in compared:
        monkeypatch.setattr(InvariantFilter, name, watched(name))
    outcome = ts.walking.Walker(ts.robots.hrp2()).walk(0.3, steps=1, sensed=True, progress=False)
    assert outcome.passed and min(compared.values()) > 300


def test_a_contact_that_is_seen_too_far_off_changes_nothing_and_is_told():
    state = begun(np.random.default_rng(7))
    p_IC, R_IC = (state.d - state.p) @ state.R, [state.R.T @ C for C in TURNS]
    before = [x.copy() for x in (state.R, state._x, state.P)]
    p_IC[2] += 1.0
    assert correct(state, p_IC, R_IC, gate=5.0) == (2,)
    p_IC[0] = np.nan  # no number is far off
    assert correct(state, p_IC, R_IC, gate=5.0) == (0, 2)
    R_IC[1] = R_IC[1] @ exponential(0.0, 0.3, 0.0)
    assert correct(state, p_IC, R_IC, used=(1,), gate=5.0) == (1,)
    state.P[:] = -np.eye(27)
    assert correct(state, *((state.d - state.p) @ state.R, R_IC), used=(0, 2), gate=np.inf) == (0, 2)
    state.P[:] = before[2]
    for found, expected in zip((state.R, state._x, state.P), before, strict=True):
        np.testing.assert_array_equal(found, expected)


def test_rounding_is_taken_out_of_rotations():
    state = begun(np.random.default_rng(8))
    state.R += 1e-9 * np.random.default_rng(9).normal(size=(3, 3))
    U, _, Vt = np.linalg.svd(state.R)
    state._core.straighten()
    np.testing.assert_allclose(state.R, U @ Vt, atol=1e-15)


def test_relative_poses_are_products_with_the_inverse_of_the_first():
    rng = np.random.default_rng(10)
    R = spatial.rotation_matrix_from_quaternion(spatial.random_quaternion(rng, 4))
    X, p, R_IC = spatial.pose(rng.normal(size=(4, 3)), R), np.zeros((3, 3)), np.zeros((3, 3, 3))
    _native.relative_poses(X, p, R_IC)
    expected = spatial.inverse_pose(X[0]) @ X[1:]
    np.testing.assert_allclose(p, expected[:, :3, 3], atol=1e-15 * 8)
    np.testing.assert_allclose(R_IC, expected[:, :3, :3], atol=1e-15)
    with pytest.raises(ValueError, match="plain array of 9 entries"):
        _native.relative_poses(X, np.zeros((2, 3)), R_IC)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"used": (0, 3)}, "contact 3 is not among 3"),
        ({"used": (1, 0)}, "contact 0 is not among 3, or not in order"),
        ({"p_IC": np.zeros((2, 3))}, "plain array of 9 entries"),
        ({"J": np.zeros((3, 5, 4))}, "Jacobians"),
        ({"J": np.zeros((3, 6, 8))[:, :, ::2]}, "Jacobians"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(changes, message):
    given = {"p_IC": np.zeros((3, 3)), "R_IC": np.zeros((3, 3, 3)), "X_BI": np.eye(4), "J": np.zeros((3, 6, 4))}
    with pytest.raises(ValueError, match=message):
        new_filter().correct(**(given | {"used": (0,), "gate": 5.0} | changes))


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
        tilts = np.array([noise.creep_tilt, noise.creep_tilt, noise.creep_turn])
        C = exponential(*(np.sqrt(dt) * tilts * rng.normal(size=3))) @ C
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
