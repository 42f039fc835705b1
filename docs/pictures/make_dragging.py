"""Screenshot for the page Reaching: hrp2 in the browser while its hand follows a target.

Needs Chromium: `python -m docs.pictures.make_dragging`, from the root of the repository.
"""

import time
from pathlib import Path

from tests.chromium import Chromium

import tarsus as ts
from tarsus.viewer import show

HERE = Path(__file__).parent


def main() -> None:
    """Write dragging.png."""
    with (
        Chromium((1000, 640)) as browser,
        show(ts.robots.hrp2(), port=0, open_browser=False, block=False, drag="r_hand") as viewer,
    ):
        viewer.server.initial_camera.position = (2.0, 1.1, 1.3)
        viewer.server.initial_camera.look_at = (0.1, -0.35, 0.75)
        viewer.server.scene.configure_default_lights(cast_shadow=False)
        X = viewer.panel.follower.pose.copy()
        X[:3, 3] += [0.25, -0.1, 0.3]
        viewer.panel.move(X)
        browser.open(viewer.url)
        time.sleep(20.0)  # until everything is drawn, however slow the machine
        browser.run("document.querySelector('.mantine-Notification-closeButton')?.click()")
        time.sleep(3.0)
        browser.picture(HERE / "dragging.png")


if __name__ == "__main__":
    main()
