"""Figures of inverse kineto-dynamics: docs/pictures/papers-figure-5.21.png, 5.24, 5.27 and 5.28.

python -m docs.pictures.make_inverse_kineto_dynamics
"""

from __future__ import annotations

from pathlib import Path

from benchmarks.papers.figure import Run
from benchmarks.papers.files import render
from benchmarks.papers.registry import FIGURES

HERE = Path(__file__).parent

if __name__ == "__main__":
    run = Run(say=print)
    for name in ("5.21", "5.24", "5.27", "5.28"):
        (HERE / f"papers-figure-{name}.png").write_bytes(render(FIGURES[name], FIGURES[name].measure(run)))
