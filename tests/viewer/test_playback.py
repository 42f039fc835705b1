"""One simulation of a trajectory."""

from dataclasses import replace

import numpy as np
import pytest
from sample_trajectories import ARM, waving

from tarsus.errors import ArgumentError, NonFiniteError, ShapeError
from tarsus.recording.recorded import Recorded
from tarsus.viewer.playback import playback_of, simulation_count


@pytest.fixture(name="trajectory", scope="module")
def _trajectory():
    return waving(batch=(2, 3))


def test_trajectory_has_what_the_viewer_reads(trajectory):
    assert isinstance(trajectory, Recorded)
    assert not isinstance(trajectory.model, Recorded)


def test_simulations_are_counted_with_the_last_axis_fastest(trajectory):
    assert simulation_count(trajectory) == 6
    playback = playback_of(trajectory, 4)
    np.testing.assert_array_equal(playback.q, trajectory.q[:, 1, 1])
    np.testing.assert_array_equal(playback.contact_force, trajectory.contact_force[:, 1, 1])
    np.testing.assert_array_equal(playback.curves["battery"].values[:, 0], trajectory.signals["battery"][:, 1, 1])


def test_total_energy_counts_what_came_from_outside_with_a_minus():
    trajectory = waving()
    curves = playback_of(trajectory).curves["energy since the start"]
    total = curves.values[:, curves.labels.index("total")]
    e = trajectory.energy
    expected = e["kinetic"] + e["potential"] - e["actuator"]
    np.testing.assert_allclose(total, expected - expected[0], atol=1e-9)  # J of several hundred


def test_contact_forces_are_plotted_by_magnitude():
    trajectory = waving()
    curves = playback_of(trajectory).curves["contact forces"]
    np.testing.assert_allclose(curves.values, np.linalg.norm(trajectory.contact_force, axis=-1))
    assert curves.labels == list(trajectory.contacts)


def test_labels_name_every_coordinate():
    trajectory = waving()
    curves = playback_of(trajectory).curves
    positions, rates = curves["joint positions"], curves["joint velocities"]
    assert positions.labels[trajectory.model.joints[ARM].q_index] == [ARM]
    assert (len(positions.labels), len(rates.labels)) == (trajectory.model.nq, trajectory.model.nv)


@pytest.mark.parametrize(("t", "index"), [(-1.0, 0), (0.0, 0), (0.0049, 0), (0.0051, 1), (1.0, 100), (99.0, 200)])
def test_nearest_sample_is_shown(t, index):
    assert playback_of(waving()).index_at(t) == index


def test_time_counts_from_the_first_sample():
    trajectory = waving()
    assert playback_of(replace(trajectory, time=trajectory.time + 7.0)).index_at(1.0) == 100


def test_samples_are_equally_spaced_with_the_last_among_them():
    samples = playback_of(waving()).samples(10.0)
    np.testing.assert_array_equal(samples, np.arange(0, 201, 10))
    assert playback_of(waving()).samples(1e6)[-1] == 200
    assert len(playback_of(waving()).samples(1e6)) == 201


def test_longest_arrow_is_half_the_robot():
    playback = playback_of(waving())
    assert playback.largest_force * playback.force_scale(1.5) == pytest.approx(0.75)


def test_defective_trajectories_are_told():
    trajectory = waving()
    with pytest.raises(ArgumentError, match="simulation = 1"):
        playback_of(trajectory, 1)
    with pytest.raises(ShapeError, match="q of the trajectory"):
        playback_of(replace(trajectory, q=trajectory.q[:-1]))
    with pytest.raises(ArgumentError, match="no samples"):
        playback_of(replace(trajectory, time=trajectory.time[:0]))
    broken = np.array(trajectory.q)
    broken[17, 9] = np.nan
    with pytest.raises(NonFiniteError, match="sample 17"):
        playback_of(replace(trajectory, q=broken))
