"""Figure 5.27: contact moments of three ways to a motion, by inverse dynamics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.papers import kineto_walk
from benchmarks.papers.figure import Claim, Outcome, PaperFigure, Run
from benchmarks.papers.plot import clean

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tarsus.walking.kineto_dynamics.generated_motion import GeneratedMotion

GAIN = 1e-4
IKD, COMPENSATED, PLAIN = "IKD, hybrid", "error compensation", "three masses"
COLORS = {IKD: kineto_walk.BLUE, COMPENSATED: kineto_walk.GREEN, PLAIN: kineto_walk.ORANGE}


def measure(run: Run) -> Outcome:
    """The same walk by three masses, with error compensation, and by inverse kineto-dynamics."""
    motions = {
        **kineto_walk.others(run, kineto_walk.GROWING),
        IKD: kineto_walk.motion(run, "hybrid", GAIN, kineto_walk.GROWING),
    }
    start, end = kineto_walk.walking(kineto_walk.known(run, kineto_walk.GROWING))
    errors = {name: m.moment_error[(m.times > start) & (m.times < end)] for name, m in motions.items()}
    sizes = {name: kineto_walk.sizes(error) for name, error in errors.items()}
    claims = tuple(
        Claim(
            f"the overall deviation is the smallest for the proposed IKD method: {axis}, {what}",
            f"{sizes[IKD][i][j]:.2f} N m, {sizes[COMPENSATED][i][j]:.2f} with error compensation, "
            f"{sizes[PLAIN][i][j]:.2f} with three masses",
            run.judge(bool(sizes[IKD][i][j] < sizes[COMPENSATED][i][j] < sizes[PLAIN][i][j])),
            "in this order",
        )
        for j, axis in enumerate(("T_x", "T_y"))
        for i, what in enumerate(("largest", "root mean square"))
    )
    data = {name: {"largest": most.tolist(), "rms": rms.tolist()} for name, (most, rms) in sizes.items()}
    ratio = kineto_walk.ratio(run, kineto_walk.GROWING)
    note = (
        f"While walking, from the third step on; m_l / m = {ratio:.3g}, fitted, k = {GAIN:g}. A second pass "
        f"of preview control leaves {sizes['preview'][1][0]:.2f} and {sizes['preview'][1][1]:.2f} N m (rms)."
    )
    drawn = {name: motions[name] for name in COLORS}
    return Outcome(data, claims, lambda figure: _draw(figure, drawn, start, end), note, (7.0, 4.6))


def _draw(figure: Figure, motions: dict[str, GeneratedMotion], start: float, end: float) -> None:
    for row, axes in enumerate(figure.subplots(2, 1, sharex=True)):
        for name, found in motions.items():
            own = (found.times > start) & (found.times < end)
            if name == IKD:
                ideal = found.ideal_moment[own, row]
                axes.plot(found.times[own], ideal, color="black", lw=1.8, label="ideal")
            axes.plot(found.times[own], found.moment[own, row], color=COLORS[name], lw=1.0, label=name)
        clean(axes, "time [s]" if row else "", f"$T_{'xy'[row]}$ [N m]", "" if row else "About the foot that stands")
        for first, last in kineto_walk.double_supports(found.known):
            if start < first < end:
                axes.axvspan(first, last, color="#f5e6a8", alpha=0.5, lw=0)
    axes.set_xlim(start, end)
    figure.axes[0].legend(frameon=False, fontsize=7, ncol=4, loc="upper left")
    low, high = figure.axes[0].get_ylim()
    figure.axes[0].set_ylim(low, high + 0.25 * (high - low))


FIGURE = PaperFigure("5.27", "contact moments: IKD, error compensation, three masses", measure)
