"""Trajectories: what is accepted, how they are cut and interpolated."""

import dataclasses
import pickle

import numpy as np
import pytest
from recording.runs import DT, arrays, assert_same, random_run
from sample_models import double_pendulum, zoo

import tarsus as ts
from tarsus.errors import ArgumentError, DtypeError, NonFiniteError, ShapeError, UnknownNameError
from tarsus.recording.energies import ENERGY_SIGNS

ROUNDING = 1e-12
"""Of a few operations on numbers of order one."""
CURVATURE = 2.5
"""Bound of |c|/2 for the second derivative of the motion below, whose chord errs by that times (h/2)^2."""


def constant_twist_run(model, samples=11, h=0.1):
    """Motion with constant velocity in every joint, for which interpolation along geodesics is exact."""
    rng = np.random.default_rng(3)
    q0, v = model.neutral(), rng.normal(size=model.nv)
    time = h * np.arange(samples)
    q = np.stack([model.integrate(q0, v, t) for t in time])
    return ts.Trajectory(model, time, q, np.tile(v, (samples, 1))), q0, v


def test_interpolation_is_exact_for_constant_velocities_of_every_kind_of_joint():
    model = zoo().build()
    run, q0, v = constant_twist_run(model)
    for t in (0.0, 0.033, 0.5, 0.777, 1.0):
        expected = model.integrate(q0, v, t)
        assert np.abs(model.difference(run.at(t).q, expected)).max() < ROUNDING
        np.testing.assert_allclose(run.at(t).v, v, rtol=0.0, atol=ROUNDING)


def test_interpolated_quaternions_have_unit_norm():
    model = zoo().build()
    run, _, _ = constant_twist_run(model)
    place = model.joints["base"].q_index.start
    q = run.resampled(np.linspace(0.0, 1.0, 57)).q
    np.testing.assert_allclose(np.linalg.norm(q[:, place + 3 : place + 7], axis=-1), 1.0, atol=ROUNDING)


def test_error_of_interpolation_falls_with_the_square_of_the_sampling_interval():
    model = double_pendulum().build()
    errors = []
    for h in (0.1, 0.05, 0.025):
        time = np.arange(0.0, 1.0 + h / 2, h)
        q = np.stack([np.sin(2.0 * time), 0.5 * np.cos(time)], axis=-1)
        run = ts.Trajectory(model, time, q, np.zeros_like(q))
        middle = time[:-1] + h / 2
        exact = np.stack([np.sin(2.0 * middle), 0.5 * np.cos(middle)], axis=-1)
        errors.append(np.abs(run.resampled(middle).q - exact).max())
        assert errors[-1] < CURVATURE * (h / 2) ** 2
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.05)
    assert errors[1] / errors[2] == pytest.approx(4.0, rel=0.05)


def test_samples_themselves_are_returned_bit_by_bit():
    run = random_run(zoo().build(), batch=(2,))
    assert_same(run.resampled(run.time), run)


def test_joint_forces_and_flags_hold_the_value_of_the_sample_before():
    run = random_run()
    moment = run.at(3.7 * DT)
    np.testing.assert_array_equal(moment.tau, run.tau[3])
    assert moment.signals["stance"] == run.signals["stance"][3]
    assert moment.signals["step"] == run.signals["step"][3]


def test_forces_and_energies_are_linear_between_samples():
    run = random_run()
    moment = run.at(4.25 * DT)
    for name in ("contact_force", "v"):
        expected = 0.75 * getattr(run, name)[4] + 0.25 * getattr(run, name)[5]
        np.testing.assert_allclose(getattr(moment, name), expected, atol=ROUNDING)
    expected = 0.75 * run.energy["kinetic"][4] + 0.25 * run.energy["kinetic"][5]
    assert moment.energy["kinetic"] == pytest.approx(expected, abs=ROUNDING)


def test_force_acts_where_the_contact_is_when_only_one_neighbour_touches():
    run = random_run()  # no contact at samples 0, 3, 6, ...
    np.testing.assert_array_equal(run.at(2.5 * DT).contact_position, run.contact_position[2])
    np.testing.assert_array_equal(run.at(3.5 * DT).contact_position, run.contact_position[4])


def test_at_a_moment_that_occurs_twice_the_later_sample_counts():
    model = double_pendulum().build()
    q = np.zeros((4, 2))
    v = np.array([[1.0, 0.0], [1.0, 0.0], [-0.5, 0.0], [-0.5, 0.0]])
    run = ts.Trajectory(model, [0.0, 1.0, 1.0, 2.0], q, v)
    assert run.at(1.0).v[0] == -0.5
    assert run.at(1.0 - 1e-9).v[0] == pytest.approx(1.0)


def test_slices_by_samples_and_by_time():
    run = random_run()
    assert_same(run[3:20:2], run[3:20][::2])
    np.testing.assert_array_equal(run[0.0035:0.0101].time, run.time[4:11])
    np.testing.assert_array_equal(run[0.003:0.01].time, run.time[3:10])
    np.testing.assert_array_equal(run[0.03:].q, run.q[30:])
    np.testing.assert_array_equal(run[: np.float64(0.03)].q, run.q[:30])
    assert len(run[5.0:6.0]) == 0


def test_one_simulation_of_a_batch():
    run = random_run(batch=(3, 2))
    one = run.simulation(2, 1)
    assert one.batch_shape == ()
    for name, array in arrays(one).items():
        expected = arrays(run)[name]
        np.testing.assert_array_equal(array, expected if name == "time" else expected[:, 2, 1])
    for wrong in ((3, 0), (0,), (0, 0, 0)):
        with pytest.raises(ArgumentError, match="simulation"):
            run.simulation(*wrong)


def test_total_energy_is_the_sum_with_inputs_subtracted():
    model = double_pendulum().build()
    energy = {name: np.full(2, 10.0**k) for k, name in enumerate(ENERGY_SIGNS)}
    run = ts.Trajectory(model, [0.0, 1.0], np.zeros((2, 2)), np.zeros((2, 2)), energy=energy)
    np.testing.assert_array_equal(run.total_energy, 1111111.0 - 1110000000.0)
    inputs = set(ENERGY_SIGNS) - {n for n, s in ENERGY_SIGNS.items() if s > 0}
    assert inputs == {"actuator", "external", "constraint", "integration"}


def test_total_energy_of_nothing_is_refused():
    run = ts.Trajectory(double_pendulum().build(), [0.0], np.zeros((1, 2)), np.zeros((1, 2)))
    with pytest.raises(ArgumentError, match="no energies"):
        _ = run.total_energy


def test_total_energy_does_not_depend_on_the_order_of_the_parts():
    run = random_run()
    turned = dataclasses.replace(run, energy=dict(reversed(run.energy.items())))
    assert turned.total_energy.tobytes() == run.total_energy.tobytes()


def test_repr_says_what_is_in_it():
    text = repr(random_run(batch=(4,), finished=False, reason="controller returned NaN"))
    for part in ("double pendulum", "40 samples", "0.039 s", "batch 4", "2 contacts", "controller returned NaN"):
        assert part in text
    assert "finished" in repr(random_run()[:1])


def test_arrays_are_read_only_and_the_object_is_frozen():
    run = random_run()
    for array in arrays(run).values():
        with pytest.raises(ValueError):
            array[...] = 0
    with pytest.raises(dataclasses.FrozenInstanceError):
        run.finished = False


def test_pickle_keeps_everything():
    run = random_run()
    assert_same(pickle.loads(pickle.dumps(run)), run)


def test_metadata_is_a_copy():
    metadata = {"gains": [1, 2]}
    run = random_run(metadata=metadata)
    metadata["gains"].append(3)
    assert run.metadata == {"gains": [1, 2]}


GOOD = {"time": np.arange(3.0), "q": np.zeros((3, 2)), "v": np.zeros((3, 2))}
BAD = [
    ({"q": np.zeros((3, 3))}, ShapeError, r"q has shape \(3, 3\), expected \(samples, \*batch, 2\)"),
    ({"q": np.zeros(2)}, ShapeError, "q has shape"),
    ({"v": np.zeros((2, 2))}, ShapeError, r"v has shape \(2, 2\), expected \(3, 2\)"),
    ({"tau": np.zeros((3, 1))}, ShapeError, "tau has shape"),
    ({"time": np.zeros((3, 1))}, ShapeError, "time has shape"),
    ({"time": [0.0, 2.0, 1.0]}, ArgumentError, "falls from 2 s to 1 s at sample 2"),
    ({"time": [0.0, np.nan, 1.0]}, NonFiniteError, "time holds nan at sample 1"),
    ({"q": np.full((3, 2), np.inf)}, NonFiniteError, "q holds inf at sample 0"),
    ({"v": np.zeros((3, 2), complex)}, DtypeError, "v has dtype complex128"),
    ({"contacts": ("a", "a")}, ArgumentError, "'a' is named twice"),
    ({"contacts": "sole"}, ArgumentError, "expected a sequence"),
    ({"contacts": ("a",), "contact_force": np.zeros((3, 2, 3))}, ShapeError, "contact_force has shape"),
    ({"energy": {"kinetik": np.zeros(3)}}, UnknownNameError, "close: 'kinetic'"),
    ({"energy": {"kinetic": np.zeros(2)}}, ShapeError, "energy 'kinetic' has shape"),
    ({"signals": {"x": np.zeros(2)}}, ShapeError, "signal 'x' has shape"),
    ({"signals": {"x": ["a", "b", "c"]}}, DtypeError, "signal 'x' has dtype"),
    ({"signals": {"a\nb": np.zeros(3)}}, ArgumentError, "printable"),
    ({"metadata": {"x": np.zeros(3)}}, ArgumentError, "plain JSON"),
    ({"metadata": {"x": float("nan")}}, ArgumentError, "plain JSON"),
    ({"model": "robot"}, ArgumentError, "expected a tarsus.Model"),
]


@pytest.mark.parametrize(("change", "error", "message"), BAD)
def test_bad_input_is_told(change, error, message):
    with pytest.raises(error, match=message):
        ts.Trajectory(**{"model": double_pendulum().build(), **GOOD, **change})


def test_moments_outside_are_refused():
    run = random_run()
    for t in (-1e-9, 1.0):
        with pytest.raises(ArgumentError, match="outside the trajectory, which lasts from 0 to 0.039 s"):
            run.at(t)
    with pytest.raises(NonFiniteError):
        run.at(np.nan)
    with pytest.raises(ArgumentError, match="no samples"):
        run[:0].at(0.0)


@pytest.mark.parametrize("key", [3, slice(None, None, -1), slice(0.0, 1.0, 2)])
def test_other_keys_are_refused(key):
    with pytest.raises(ArgumentError):
        random_run()[key]
