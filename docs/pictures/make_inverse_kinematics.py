"""HRP-2 stands and reaches with its right hand: docs/pictures/inverse-kinematics.png.

python docs/pictures/make_inverse_kinematics.py
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt

import tarsus as ts

TARGETS = ([0.3, -0.25, 0.9], [0.45, -0.3, 0.45], [0.1, -0.3, 1.55])


def main() -> None:
    """Three places for the hand, with both feet on the ground and the centre of mass above them."""
    model = ts.robots.hrp2()
    feet = [ts.tasks.FramePose(name, ts.frame_pose(model, model.reference, name)) for name in ("l_sole", "r_sole")]
    balance = ts.tasks.CenterOfMass([0.0, 0.0, 0.0], axes=[True, True, False])
    figure, axes = plt.subplots(1, 3, figsize=(12, 5))
    for ax, target in zip(axes, TARGETS, strict=True):
        answer = ts.ik.solve(model, [ts.tasks.Position("r_hand", target), *feet, balance])
        assert answer.success, answer.reason
        ts.draw(model, answer.q, ax=ax, view=(35.0, 10.0), size=(500, 600), frames=["r_hand"], com=True)
        ax.set_title(f"right hand at {target} m")
        ax.set_axis_off()
    figure.tight_layout()
    figure.savefig(Path(__file__).with_name("inverse-kinematics.png"), dpi=80)


if __name__ == "__main__":
    main()
