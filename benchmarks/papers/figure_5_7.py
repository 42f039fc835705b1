"""Figure 5.7: the repulsive potential of distances and its slope."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchmarks.papers.figure import Claim, Outcome, PaperFigure, Run
from benchmarks.papers.plot import GREY, clean
from tarsus.ik.objectives import CubicPotential, PiecewisePotential, Potential, QuadraticPotential

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

POTENTIAL = PiecewisePotential(activation=0.1, gain=1.0, switch=0.5)
OTHERS = {
    "quadratic (5.50)": QuadraticPotential(0.1, 5.0),
    "cubic (5.51)": CubicPotential(0.1, 100.0 / 3),
}
"""With the same slope at zero distance."""
EXACT = 1e-14


def measure(run: Run) -> Outcome:
    """Evaluate the conditions and sample the potentials."""
    p = POTENTIAL
    meet, end = np.array(p.switch * p.activation), np.array(p.activation)
    jumps = [
        float(near(meet) - far(meet))
        for near, far in (
            (p.near_value, p.far_value),
            (p.near_slope, p.far_slope),
            (p.near_curvature, p.far_curvature),
        )
    ]
    ends = [float(p.far_value(end)), float(p.far_slope(end)), float(p.far_curvature(end))]
    slope = float(p.near_slope(np.array(0.0)))
    size = float(p.near_curvature(meet))
    d = np.linspace(-0.05, 0.15, 201)
    data = {
        "distance": d.tolist(),
        "value": p.value(d).tolist(),
        "slope": p.slope(d).tolist(),
        "jumps": jumps,
        "ends": ends,
    }
    claims = (
        Claim(
            "H' = s_0 at d = 0 (5.55)",
            f"H' = {slope:g}, s_0 = {p.gain:g}",
            abs(slope + p.gain) <= EXACT,
            "of that size, with the sign that repels",
        ),
        Claim(
            "value, slope and curvature are continuous at t d_a (5.56)",
            f"jumps of {max(map(abs, jumps)):.1e} at most, with a curvature of {size:g}",
            max(map(abs, jumps)) <= EXACT * size,
            f"continuous to {EXACT:g} of the curvature",
        ),
        Claim(
            "value, slope and curvature are zero at d_a (5.57)",
            f"{max(map(abs, ends)):.1e} at most",
            max(map(abs, ends)) <= EXACT,
            f"zero to {EXACT:g}",
        ),
    )
    note = (
        "d_a = 0.1 m, s_0 = 1/m, t = 0.5. The sign is the one that repels under (5.14). The other potentials have the "
        "same slope at d = 0."
    )
    return Outcome(data, claims, lambda figure: _draw(figure, d), note, (9.0, 3.8))


def _draw(figure: Figure, d: np.ndarray) -> None:
    left, right = figure.subplots(1, 2)
    _curves(left, d, "value")
    _curves(right, d, "slope")
    clean(left, "distance d [m]", "H", "Potential")
    clean(right, "distance d [m]", "dH/dd [1/m]", "Slope")
    left.legend(frameon=False, fontsize=8)


def _curves(axes: Axes, d: np.ndarray, what: str) -> None:
    p = POTENTIAL
    for x, label in ((0.0, "0"), (p.switch * p.activation, "$t d_a$"), (p.activation, "$d_a$")):
        axes.axvline(x, color=GREY, lw=0.8, ls=":")
        axes.annotate(label, (x, 0.02), (3, 2), xycoords=("data", "axes fraction"), textcoords="offset points")
    named: dict[str, Potential] = {"piecewise (5.58)": p, **OTHERS}
    for (name, potential), style, color in zip(
        named.items(), ("-", "--", "-."), ("#c0392b", "#2e6da4", "#1d8a5b"), strict=True
    ):
        axes.plot(d, getattr(potential, what)(d), style, color=color, label=name)


FIGURE = PaperFigure("5.7", "the potential that keeps segments apart, and its slope", measure)
