"""Draws docs/pictures/notation.svg: world, body and frame, their vectors, a pose product and a twist.

python docs/pictures/make_notation.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Arc, FancyArrowPatch, Polygon

STYLE = {"svg.hashsalt": "notation", "svg.fonttype": "path", "mathtext.fontset": "cm"}
GROUND = -0.55
INK, GREY = "#222222", "#777777"
RED, GREEN, BLUE = "#c62828", "#2e7d32", "#1f4fd8"
BODY_FILL, BODY_EDGE = "#e8edf5", "#8a9bb5"
ORANGE, PURPLE = "#d9730d", "#7b1fa2"

W = np.array([0.0, 0.0])
B = np.array([4.6, 1.35])
F = np.array([7.6, 3.55])
TILT_B, TILT_F = np.deg2rad(-12.0), np.deg2rad(62.0)


def arrow(ax: Axes, start: np.ndarray, end: np.ndarray, color: str, width: float = 1.8, style: str = "-|>") -> None:
    """Draw an arrow that ends exactly at its points."""
    ax.add_patch(
        FancyArrowPatch(
            start, end, arrowstyle=style, mutation_scale=15, color=color, lw=width, shrinkA=0, shrinkB=0, zorder=5
        )
    )


def triad(ax: Axes, origin: np.ndarray, angle: float, name: str, at: tuple[float, float], size: float = 1.05) -> None:
    """Draw x and z of a frame in the plane of the picture; y points into the picture."""
    x = size * np.array([np.cos(angle), np.sin(angle)])
    z = size * np.array([-np.sin(angle), np.cos(angle)])
    for direction, color, axis in ((x, RED, "x"), (z, BLUE, "z")):
        arrow(ax, origin, origin + direction, color, 2.2)
        label = origin + 1.2 * direction
        ax.text(*label, f"${axis}_{name}$", color=color, fontsize=13, ha="center", va="center")
    ax.plot(*origin, "o", ms=9, mfc="white", mec=GREEN, mew=1.8, zorder=6)
    ax.plot(*origin, "x", ms=5, color=GREEN, mew=1.6, zorder=7)
    ax.text(*(origin + at), f"${name}$", color=INK, fontsize=18, ha="center", va="center", weight="bold")


def vector(
    ax: Axes, start: np.ndarray, end: np.ndarray, text: str, side: float, color: str = INK, where: float = 0.5
) -> None:
    """Draw a position vector with its name beside it."""
    arrow(ax, start, end, color)
    along = (end - start) / np.linalg.norm(end - start)
    place = start + where * (end - start) + side * np.array([-along[1], along[0]])
    ax.text(*place, text, color=color, fontsize=15, ha="center", va="center", zorder=8)


def body(ax: Axes) -> None:
    """Draw a link with a joint at each end, around B and F."""
    along = (F - B) / np.linalg.norm(F - B)
    across = np.array([-along[1], along[0]])
    half = []
    for center, radius, start in ((B, 0.95, np.pi / 2), (F, 0.75, -np.pi / 2)):
        angles = start + np.linspace(0.0, np.pi, 30)
        half.append(center + radius * (np.cos(angles)[:, None] * along + np.sin(angles)[:, None] * across))
    ax.add_patch(Polygon(np.concatenate(half), closed=True, fc=BODY_FILL, ec=BODY_EDGE, lw=1.5, zorder=1))
    ax.text(*(B + np.array([2.1, 0.9])), "body", color=BODY_EDGE, fontsize=12, rotation=36, ha="center", va="center")


def ground(ax: Axes) -> None:
    """Draw the ground."""
    ax.plot([-0.9, 11.3], [GROUND, GROUND], color=GREY, lw=1.2, zorder=0)
    for x in np.arange(-0.8, 11.3, 0.4):
        ax.plot([x, x - 0.18], [GROUND, GROUND - 0.18], color=GREY, lw=0.8, zorder=0)


def twist(ax: Axes) -> None:
    """Draw the velocity of the origin of F and the angular velocity, the two halves of V_WF."""
    arrow(ax, F, F + np.array([-0.15, 1.75]), ORANGE, 2.6)
    ax.text(*(F + np.array([-0.15, 2.05])), r"$v_{WF}$  (linear)", color=ORANGE, fontsize=14, ha="center")
    ax.add_patch(Arc(F, 2.5, 2.5, theta1=-62, theta2=28, color=PURPLE, lw=2.4, zorder=5))
    tip = np.deg2rad(-62)
    end = F + 1.25 * np.array([np.cos(tip), np.sin(tip)])
    arrow(
        ax,
        end + 0.2 * np.array([-np.sin(tip), np.cos(tip)]),
        end + 0.02 * np.array([np.sin(tip), -np.cos(tip)]),
        PURPLE,
        2.4,
    )
    ax.text(*(F + np.array([1.45, -0.6])), r"$\omega_{WF}$  (angular)", color=PURPLE, fontsize=14, ha="left")


def formulas(ax: Axes) -> None:
    """Write the rules below the ground."""
    lines = (
        (r"$X_{WF} \;=\; X_{WB}\; X_{BF}$", "poses: inner letters cancel"),
        (r"$p_{WF} \;=\; p_{WB} + R_{WB}\; p_{BF}$", "positions: change axes, then add"),
        (r"$V_{WF} \;=\; (v_{WF};\; \omega_{WF}) \;=\; J_{WF}\; v$", "twists: linear first, then angular"),
    )
    for row, (formula, words) in enumerate(lines):
        y = -1.35 - 0.62 * row
        ax.text(0.9, y, formula, fontsize=15, color=INK, va="center")
        ax.text(6.0, y, words, fontsize=12, color=GREY, va="center")


def main() -> None:
    """Write the picture next to this file."""
    figure = Figure(figsize=(9.6, 6.4))
    ax = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    ax.set_aspect("equal")
    ax.set_axis_off()
    ground(ax)
    body(ax)
    triad(ax, W, 0.0, "W", (-0.35, 0.25))
    triad(ax, B, TILT_B, "B", (-0.05, -0.42))
    triad(ax, F, TILT_F, "F", (0.42, -0.12), 0.95)
    vector(ax, W, B, r"$p_{WB}$", -0.33, where=0.45)
    vector(ax, B, F, r"$p_{BF}$", -0.32, where=0.42)
    vector(ax, W, F, r"$p_{WF}$", 0.3, GREY, 0.42)
    twist(ax)
    formulas(ax)
    ax.text(11.3, GROUND + 0.25, "y points into the picture", fontsize=10, color=GREEN, ha="right", va="center")
    ax.set_xlim(-1.2, 11.5)
    ax.set_ylim(-3.0, 6.0)
    path = Path(__file__).with_name("notation.svg")
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None})


if __name__ == "__main__":
    with rc_context(STYLE):
        main()
