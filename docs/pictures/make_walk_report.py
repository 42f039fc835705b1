"""Takes docs/pictures/walking-report.png and walking-viewer.png: a walk in report and viewer; needs Chromium.

PYTHONPATH=tests python docs/pictures/make_walk_report.py
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from chromium import Chromium
from PIL import Image

import tarsus as ts

HERE = Path(__file__).parent
SETTLE = 15.0
"""Time until a browser without a graphics processor has drawn the scene [s]."""
PUSHED = 3.6
"""When the push begins [s]."""


def main() -> None:
    """Walk and take the pictures."""
    walker = ts.walking.Walker(ts.robots.hrp2())
    force = (0.0, -0.35 * walker.biped.model.total_mass / 0.1, 0.0)
    push = ts.simulation.Push("pelvis", force, start=PUSHED, duration=0.1)
    outcome = walker.walk(command=[(0.0, 0.3, 0.0, 0.0), (5.0, 0.15, 0.0, 0.3), (8.0, 0.0, 0.0, 0.0)], pushes=[push])
    print(outcome)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "walk.html"
        ts.write_report(outcome.trajectory, page)
        with Chromium((1000, 2200)) as browser:
            browser.open(f"file://{page}")
            top = browser.run("document.querySelector('h2').getBoundingClientRect().top")
            bottom = browser.run("document.querySelectorAll('h2')[2].getBoundingClientRect().top")
            picture = Image.fromarray(browser.picture())
    picture.crop((0, int(top) - 10, 1000, min(int(bottom) - 10, picture.height))).save(HERE / "walking-report.png")
    with ts.viewer.show(outcome.trajectory, port=0, open_browser=False, block=False) as viewer:
        viewer.server.scene.configure_default_lights(cast_shadow=False)
        viewer.panel.clock.jump(PUSHED + 0.05, 0.0)
        viewer.panel.refresh()
        with Chromium((1200, 760)) as browser:
            browser.open(viewer.url)
            time.sleep(SETTLE)
            browser.run("document.querySelector('.mantine-Notification-closeButton')?.click()")
            time.sleep(2.0)
            browser.picture(HERE / "walking-viewer.png")


if __name__ == "__main__":
    main()
