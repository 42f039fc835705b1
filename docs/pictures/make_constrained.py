"""Draw docs/pictures/constrained-speed.png: a standing Talos by every method of multipliers, beside Pinocchio."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from benchmarks.constrained import KINDS, METHODS, measure_stance, standing
from benchmarks.timing import Effort

EFFORT = Effort(rounds=150, budget=10.0, fewest=60)
BATCHES = (1, 128)
"""Small enough that a shared machine does not interrupt every call."""
COLOURS = {1: "#30638e", 128: "#66a182"}
TITLES = {"weld": "two soles, 12 rows", "points": "eight corners, 24 rows of rank 12"}


def main() -> None:
    """Bars of time per state: ours alone and in a batch, theirs as lines."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), sharey=True)
    for axis, kind in zip(axes, KINDS, strict=True):
        stance = standing("talos", 2, kind, max(BATCHES))
        for shift, count in zip((-0.2, 0.2), BATCHES, strict=True):
            rows = measure_stance(stance, count, EFFORT)
            ours = [1e6 * next(row.ours for row in rows if row.quantity == method) for method in METHODS]
            label = "tarsus, one state" if count == 1 else f"tarsus, {count} states in one call"
            places = [i + shift for i in range(len(METHODS))]
            bars = axis.bar(places, ours, 0.4, color=COLOURS[count], label=label)
            axis.bar_label(bars, fmt="%.1f", fontsize=8)
        peers = {row.call: 1e6 * row.peer_time for row in rows}
        for (call, time), style in zip(peers.items(), ("-", "--")[-len(peers) :], strict=True):
            axis.axhline(time, color="#d1495b", ls=style, label=f"Pinocchio, {call}")
        axis.set_xticks(range(len(METHODS)), METHODS)
        axis.set(title=TITLES[kind], yscale="log")
        axis.spines[["top", "right"]].set_visible(False)
        axis.margins(y=0.25)
    axes[0].set_ylabel("time per state [µs]")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncols=2, fontsize=8, frameon=False)
    figure.tight_layout(rect=(0, 0.13, 1, 1))
    figure.savefig(Path(__file__).with_name("constrained-speed.png"), dpi=110)


if __name__ == "__main__":
    main()
