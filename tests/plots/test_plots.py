"""Pictures of energies and signals show what is in a trajectory."""

import numpy as np
import pytest
from matplotlib.image import imread
from recording.runs import random_run
from sample_models import double_pendulum

import tarsus as ts
from tarsus.errors import ArgumentError, UnknownNameError
from tarsus.plots.energy import exchanged_energy
from tarsus.plots.signals import MOST_NAMED

ROUNDING = 1e-12
SAMPLING = 1e-4
"""Energy that a swing of 1 J hides between the samples around its turning points."""


def swing(samples=2001):
    """A pendulum's energies over one period: 1 J goes from potential to kinetic and back, twice."""
    model = double_pendulum().build()
    time = np.linspace(0.0, 1.0, samples)
    kinetic = np.sin(2.0 * np.pi * time) ** 2
    energy = {"kinetic": kinetic, "potential": 5.0 - kinetic, "impact": np.zeros(samples)}
    return ts.Trajectory(model, time, np.zeros((samples, 2)), np.zeros((samples, 2)), energy=energy)


def lines(axes):
    return {line.get_label(): line for line in axes.get_lines()}


def test_energy_plot_draws_every_part_that_is_not_zero_and_the_total():
    run = swing()
    upper, lower = ts.plot_energy(run).axes
    drawn = lines(upper)
    assert set(drawn) == {"kinetic", "potential", "total"}
    np.testing.assert_array_equal(drawn["kinetic"].get_ydata(), run.energy["kinetic"])
    np.testing.assert_allclose(drawn["potential"].get_ydata(), 1.0 - run.energy["kinetic"], atol=ROUNDING)
    np.testing.assert_allclose(drawn["total"].get_ydata(), 1.0, atol=ROUNDING)
    assert "largest deviation" in lower.get_title(loc="left")
    np.testing.assert_array_equal(lower.get_lines()[0].get_ydata(), run.total_energy - run.total_energy[0])


def test_parts_that_are_subtracted_say_so():
    assert "actuator (subtracted)" in lines(ts.plot_energy(random_run()).axes[0])


def test_exchanged_energy_counts_every_way_once():
    assert exchanged_energy(swing()) == pytest.approx(4.0, abs=SAMPLING)


def test_overview_has_a_panel_for_every_kind():
    figure = ts.plot_signals(random_run())
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles == [
        "positions [rad]",
        "velocities [rad/s]",
        "joint forces [N m]",
        "contact forces [N]",
        "energy since the start [J]",
    ]
    assert set(lines(figure.axes[3])) == {"left sole.z", "right sole.z"}
    assert "total" in lines(figure.axes[4])


def test_chosen_signals_are_drawn_as_they_are():
    run = random_run()
    figure = ts.plot_signals(run, ["q.elbow", "stance"])
    np.testing.assert_array_equal(lines(figure.axes[0])["elbow"].get_ydata(), run.q[:, 1])
    np.testing.assert_array_equal(lines(figure.axes[1])["stance"].get_ydata(), run.signals["stance"])


def test_legend_names_the_curves_that_move_most():
    run = random_run(ts.robots.hrp2(), samples=5)
    axes = ts.plot_signals(run, ["v"]).axes[1]  # after the velocities of the base in m/s
    legend = axes.get_legend()
    assert len(legend.get_texts()) == MOST_NAMED
    assert f"and {run.model.nv - 3 - MOST_NAMED} more" in legend.get_title().get_text()
    named = {text.get_text() for text in legend.get_texts()}
    ranges = {f"{j.name}": np.ptp(run.v[:, j.v_index.start]) for j in run.model.joints.values() if j.nv == 1}
    assert max(ranges, key=ranges.get) in named


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_pictures_are_written(tmp_path, suffix):
    path = tmp_path / f"picture{suffix}"
    ts.plot_energy(random_run(), path)
    assert path.stat().st_size > 1000
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_picture_shows_something(tmp_path):
    ts.plot_signals(random_run(), None, tmp_path / "a.png")
    assert imread(tmp_path / "a.png")[..., :3].std() > 0.01


def test_stopped_run_says_so():
    figure = ts.plot_signals(random_run(finished=False, reason="fell"))
    assert "stopped: fell" in figure.get_suptitle()


def test_what_cannot_be_drawn_is_told(tmp_path):
    run = random_run()
    with pytest.raises(ArgumentError, match="no energies"):
        ts.plot_energy(ts.Trajectory(run.model, run.time, run.q, run.v))
    with pytest.raises(ArgumentError, match="no samples"):
        ts.plot_energy(run[:0])
    with pytest.raises(ArgumentError, match="empty"):
        ts.plot_signals(run[:0])
    with pytest.raises(ArgumentError, match="must end in one of"):
        ts.plot_energy(run, tmp_path / "a.bmp")
    with pytest.raises(UnknownNameError):
        ts.plot_signals(run, ["nose"])
    with pytest.raises(ArgumentError, match="choose one"):
        ts.plot_energy(random_run(batch=(2,)))


def test_the_overview_shows_energies_since_the_start():
    run = random_run()
    figure = ts.plot_signals(run)
    (axes,) = [axes for axes in figure.axes if axes.get_title(loc="left") == "energy since the start [J]"]
    assert axes.lines
    assert all(line.get_ydata()[0] == 0.0 for line in axes.lines)
    (chosen,) = ts.plot_signals(run, ["energy.potential"]).axes
    assert chosen.lines[0].get_ydata()[0] == run.energy["potential"][0]
