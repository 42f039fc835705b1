"""Eight planners on one walk: docs/pictures/walking-patterns.png.

python -m docs.pictures.make_walking_patterns
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Polygon

from tarsus.walking import (
    Analytic,
    Collocation,
    FiniteDifferences,
    Gait,
    LinearInvertedPendulum,
    PredictiveControl,
    PreviewControl,
    RelaxedBoundary,
    Shooting,
    SingularPreview,
    StepLimits,
    footsteps,
)

HERE = Path(__file__).parent
HALF = (0.1, 0.05)


def main() -> None:
    """Write the picture."""
    pendulum = LinearInvertedPendulum(0.8)
    feet = footsteps([0.35, 0.0, 0.12], 0.8, 6, 0.19, StepLimits(0.4, 0.25, 0.4))
    reference = Gait(0.8, 0.2, half_sole=HALF).pressure_path(feet)
    figure, (above, time) = plt.subplots(1, 2, figsize=(12, 4.6), width_ratios=[1.0, 1.35])
    for foot in feet:
        corners = np.array([[HALF[0] * a, HALF[1] * b] for a, b in ((1, 1), (-1, 1), (-1, -1), (1, -1))])
        turned = corners @ foot.X_WS[:2, :2].T + foot.position[:2]
        above.add_patch(Polygon(turned, closed=True, facecolor="0.9", edgecolor="0.6"))
    planners = [Analytic, FiniteDifferences, Shooting, RelaxedBoundary, PreviewControl, SingularPreview, Collocation,
                PredictiveControl]  # fmt: skip
    for number, planner in enumerate(planners):
        pattern = planner(pendulum).plan(reference)
        style = {"color": f"C{number}", "linewidth": 1.2, "linestyle": ["-", "--", ":", "-."][number % 4]}
        above.plot(*pattern.position.T, **style)
        time.plot(pattern.times, pattern.position[:, 1], **style, label=planner.__name__)
    above.plot(*np.asarray(reference.points).T, "k.", markersize=4)
    time.plot(pattern.times, reference.at(pattern.times)[:, 1], color="0.5", linewidth=0.8, label="pressure")
    above.set(xlabel="x [m]", ylabel="y [m]", title="from above", aspect="equal")
    time.set(xlabel="t [s]", ylabel="y [m]", title="centre of mass to the side")
    time.legend(fontsize=8, ncols=2)
    figure.tight_layout()
    figure.savefig(HERE / "walking-patterns.png", dpi=110)


if __name__ == "__main__":
    main()
