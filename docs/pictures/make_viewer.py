"""Screenshots for the page Viewer: hrp2 bending an arm in the browser and in the animation file.

Needs Chromium: `python docs/pictures/make_viewer.py`, from the root of the repository.
"""

import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "tests"))

from chromium import Chromium  # noqa: E402
from sample_trajectories import waving  # noqa: E402

from tarsus.viewer import show, write_animation  # noqa: E402


def main() -> None:
    """Write viewer.png and animation.png."""
    trajectory = waving()
    with Chromium((1100, 720)) as browser:
        with show(trajectory, port=0, open_browser=False, block=False) as viewer:
            viewer.panel.clock.jump(0.6, 0.0)
            viewer.panel.refresh()
            viewer.stage.show_frames("named")
            browser.open(viewer.url)
            browser.wait("document.querySelector('.uplot canvas') !== null")
            time.sleep(20.0)  # until everything is drawn, however slow the machine
            browser.run("document.querySelector('.mantine-Notification-closeButton')?.click()")
            time.sleep(3.0)
            browser.picture(HERE / "viewer.png")
        with tempfile.TemporaryDirectory() as directory:
            page = Path(directory) / "run.html"
            write_animation(trajectory, page)
            browser.open(page.as_uri())
            browser.wait("'player' in window")
            browser.run("player.seek(1.0)")
            browser.picture(HERE / "animation.png")


if __name__ == "__main__":
    main()
