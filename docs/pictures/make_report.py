"""Takes docs/pictures/report.png: a report in a browser; and draws push-map.png. Needs Chromium.

PYTHONPATH=tests python docs/pictures/make_report.py
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from analysis.ankle_stand import recovers, run
from chromium import Chromium

import tarsus as ts
from tarsus.simulation.push import Push

FOLDER = Path(__file__).parent


def main() -> None:
    """Take the picture."""
    pushed = run(Push("CHEST_LINK1", [150.0, 0.0, 0.0], 0.5, 0.1))
    with tempfile.TemporaryDirectory() as directory:
        recording, page = Path(directory) / "run.h5", Path(directory) / "run.html"
        ts.save(pushed, recording)
        subprocess.run([sys.executable, "-m", "tarsus", "report", str(recording), "-o", str(page)], check=True)
        with Chromium((1000, 1700)) as browser:
            browser.open(f"file://{page}")
            browser.picture(FOLDER / "report.png")
    pushes = ts.analysis.push_map(recovers, "CHEST_LINK1", directions=24, precision=0.25)
    title = "HRP-2 on both feet: push at the chest [N s]"
    ts.plot_push_map(pushes, FOLDER / "push-map.png", floor=10.0, title=title)


if __name__ == "__main__":
    main()
