"""Figure 5.21: the centre of mass by inverse kineto-dynamics that nothing stabilises."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.papers import kineto_walk
from benchmarks.papers.figure import Claim, Outcome, PaperFigure, Run
from benchmarks.papers.plot import clean

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tarsus.walking.kineto_dynamics.generated_motion import GeneratedMotion

RATIOS = (0.0, 0.02, 0.04, 0.05, 0.055, 0.06, 0.08, 0.1)
"""m_l / m of one leg."""


def measure(run: Run) -> Outcome:
    """Contact moments of three masses of several ratios, followed by the whole robot."""
    ratios = run.choose((0.0, 0.055, 0.1), RATIOS)
    walks = {ratio: kineto_walk.STEADY._replace(ratio=ratio) for ratio in ratios}
    motions = {ratio: kineto_walk.motion(run, "none", walk=walk) for ratio, walk in walks.items()}
    begin = kineto_walk.known(run).phases[0].end
    ends = {ratio: _followed(found) for ratio, found in motions.items()}
    best = max(ends, key=lambda ratio: ends[ratio])
    inside = min(ratios) < best < max(ratios)
    exact = max(float(abs(m.wrench.pressure - m.pressure).max()) for m in motions.values())
    claims = (
        Claim(
            "for a good choice of m_l / m the solution is close to the reference, for poor choices it quickly diverges",
            f"followed for {ends[best] - begin:.2f} s of walking with m_l / m = {best:g}, for "
            f"{min(ends.values()) - begin:.2f} s with the worst",
            inside,
            "longest with a ratio in between",
        ),
        Claim(
            "even for an optimal choice the CoM will eventually diverge",
            f"{sum(found.diverged is not None for found in motions.values())} of {len(motions)} did",
            all(found.diverged is not None for found in motions.values()),
            "all of them",
        ),
        Claim(
            "contact moments are exactly tracked by the generated joint trajectories",
            f"pressure of inverse dynamics off by {exact:.1g} m at most",
            exact < 1e-6,
            "by less than a micrometre, though legs come to their ends",
        ),
    )
    data = {
        "ratio": list(ratios),
        "followed": [ends[ratio] for ratio in ratios],
        "time": [found.times[::4].tolist() for found in motions.values()],
        "lateral": [found.com[::4, 1].tolist() for found in motions.values()],
    }
    note = "Given up when the centre of mass is a quarter of the leg from the plan, or feet miss theirs by 2 cm."
    return Outcome(data, claims, lambda figure: _draw(figure, motions, best), note, (7.0, 3.6))


def _followed(motion: GeneratedMotion) -> float:
    """Until when it was near [s]."""
    return float(motion.times[-1]) if motion.diverged is None else motion.diverged


def _draw(figure: Figure, motions: dict[float, GeneratedMotion], best: float) -> None:
    axes = figure.subplots()
    longest = max(motions.values(), key=lambda motion: len(motion.times))
    axes.plot(longest.times, longest.reference[:, 1], color="black", lw=2.2, label="three masses (reference)")
    for ratio, found in motions.items():
        axes.plot(found.times, found.com[:, 1], lw=1.6 if ratio == best else 1.0, label=f"$m_l/m$ = {ratio:g}")
    axes.set_xlim(1.5, float(longest.times[-1]) + 0.1)
    clean(axes, "time [s]", "lateral CoM [m]", "Inverse kineto-dynamics without stabilisation")
    axes.legend(frameon=False, fontsize=7, ncol=2)


FIGURE = PaperFigure("5.21", "inverse kineto-dynamics that nothing stabilises", measure)
