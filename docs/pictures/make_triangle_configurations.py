"""Draws docs/pictures/triangle-configurations.png: the fifteen plus six ways in which two triangles are nearest.

python docs/pictures/make_triangle_configurations.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure
from mpl_toolkits.mplot3d.art3d import Poly3DCollection

from tarsus.geometry.volume_distances import PARTS, volume_distances

STYLE = {"font.size": 7.5}
FIRST, SECOND, WAY = "#1f4fd8", "#d9730d", "#111111"
FACE = PARTS.index("face")
EDGES = range(3, 6)
CONFIGURATIONS = (
    *((a, b) for a in EDGES for b in EDGES),
    *((v, FACE) for v in range(3)),
    *((FACE, v) for v in range(3)),
    *((e, FACE) for e in EDGES),
    *((FACE, e) for e in EDGES),
)
COLUMNS = 7


def examples() -> dict[tuple[int, int], tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """Triangles and nearest points of every configuration: of random pairs, those that show it best."""
    rng = np.random.default_rng(0)
    corner = np.array([[1.0, 0, 0], [-0.5, 0.87, 0], [-0.5, -0.87, 0]])
    R = np.linalg.qr(rng.standard_normal((60000, 2, 3, 3)))[0]
    a, b = (np.einsum("rij,vj->rvi", R[:, side], corner) for side in range(2))
    b = b + rng.uniform(-1.0, 1.0, (len(b), 1, 3))
    found = volume_distances(a, 0.0, b, 0.0, features=True)
    assert found.features is not None and found.point_a is not None and found.point_b is not None
    shown = {}
    for pair in CONFIGURATIONS:
        rows = np.flatnonzero((found.features == pair).all(1))
        pierced = FACE in pair and max(set(pair) - {FACE}) >= 3
        near = np.stack([np.abs(found.point_a[rows] - x[rows]).max(1) for x in (a.mean(1), b.mean(1))]).max(0)
        score = near if pierced else near + 2 * np.abs(found.distance[rows] - 0.5)
        row = rows[np.argmin(score)]
        shown[pair] = (a[row], b[row], found.point_a[row], found.point_b[row])
    return shown


def draw(path: Path) -> None:
    """The picture."""
    with rc_context(STYLE):
        figure = Figure(figsize=(11.0, 5.2))
        for place, (pair, (a, b, p, q)) in enumerate(examples().items()):
            axes = figure.add_subplot(3, COLUMNS, place + 1, projection="3d")
            for triangle, colour in ((a, FIRST), (b, SECOND)):
                axes.add_collection3d(Poly3DCollection([triangle], facecolor=colour, edgecolor=colour, alpha=0.35))
            for k in range(3):
                axes.text(*(1.12 * a[k] - 0.12 * a.mean(0)), str(k), color=FIRST, fontsize=6)
                axes.text(*(1.12 * b[k] - 0.12 * b.mean(0)), str(k), color=SECOND, fontsize=6)
            axes.plot(*np.stack([p, q]).T, color=WAY, linewidth=1.5)
            axes.scatter(*np.stack([p, q]).T, color=WAY, s=9, depthshade=False)
            both = np.concatenate([a, b])
            middle, half = (both.max(0) + both.min(0)) / 2, 0.42 * float((both.max(0) - both.min(0)).max())
            axes.set(xlim=middle[0] + half * np.array([-1, 1]), ylim=middle[1] + half * np.array([-1, 1]))
            axes.set(zlim=middle[2] + half * np.array([-1, 1]))
            axes.set_axis_off()
            pierces = FACE in pair and max(set(pair) - {FACE}) >= 3
            first, second = (PARTS[k] for k in pair)
            title = f"{first} pierces face" if pair[1] == FACE else f"pierced by {second}"
            axes.set_title(title if pierces else f"{first}, {second}", pad=-6)
        figure.subplots_adjust(0.0, 0.0, 1.0, 0.96, 0.0, 0.06)
        figure.savefig(path, dpi=130)


if __name__ == "__main__":
    draw(Path(__file__).with_name("triangle-configurations.png"))
