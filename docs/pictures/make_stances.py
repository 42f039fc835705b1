"""Picture of stances: HRP-2 on two feet, on one, and with a hand on a wall; regions of its centre of mass."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.image
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import tarsus as ts
from tarsus.control import Contact, com_region, static_posture

SOLE = [[x, y, 0.0] for x in (-0.09, 0.11) for y in (-0.055, 0.055)]


def main() -> None:
    """Draw the three stances beside each other."""
    model = ts.robots.hrp2()
    q = np.array(model.reference)
    left, right = (Contact(f"{s}_sole", SOLE, pose=ts.frame_pose(model, q, f"{s}_sole")) for s in "lr")
    wall = np.eye(4)
    wall[:3, :3] = ts.spatial.rotation_matrix_from_rotation_vector([0.0, -np.pi / 2, 0.0])
    wall[:3, 3] = [0.45, -0.3, 1.0]
    stances = {
        "two feet": [left, right],
        "one foot": [left],
        "feet and a hand": [left, right, Contact("r_hand", pose=wall)],
    }
    figure = Figure(figsize=(9.0, 6.0), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(2, 3, height_ratios=[3, 2])
    with TemporaryDirectory() as directory:
        for (name, contacts), above, below in zip(stances.items(), axes[0], axes[1], strict=True):
            posture = static_posture(model, contacts)
            path = Path(directory) / "posture.png"
            ts.draw(model, posture.q, path=path, com=True)
            above.imshow(matplotlib.image.imread(path))
            above.set_title(f"{name}: {posture.equilibrium.load:.0%} of torques", loc="left", fontsize=10)
            above.axis("off")
            corners = com_region(model, contacts)
            below.fill(corners[:, 0], corners[:, 1], color="#1f6f8b", alpha=0.25)
            for contact in contacts:
                X = np.asarray(contact.pose)
                hull = np.array([X[:3, :3] @ p + X[:3, 3] for p in np.asarray(contact.points)])
                order = [0, 1, 3, 2, 0] if len(hull) == 4 else [0]
                below.plot(hull[order, 0], hull[order, 1], "o-", color="#d1603d", markersize=3)
            com = ts.center_of_mass(model, posture.q)
            below.plot(com[0], com[1], "k+", markersize=12)
            below.set_aspect("equal")
            below.set_xlabel("x [m]")
            below.set_ylabel("y [m]")
    figure.savefig(Path(__file__).parent / "stances.png", dpi=110)


if __name__ == "__main__":
    main()
