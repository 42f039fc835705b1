"""Screenshots for the page Viewer: hrp2 pushed on stairs, in the browser and in the animation file.

Needs Chromium: `python -m docs.pictures.make_viewer`, from the root of the repository.
"""

import tempfile
import time
from pathlib import Path

import numpy as np
from tests.chromium import Chromium

import tarsus as ts
from tarsus.contact import stairs
from tarsus.simulation import JointLaw, Push
from tarsus.viewer import show, write_animation

HERE = Path(__file__).parent


def pushed_on_stairs() -> ts.Trajectory:
    """hrp2 lands on the last of three steps and is pushed to its left."""
    robot = ts.robots.hrp2()
    q = np.array(robot.reference)
    q[2] += 3 * 0.12 + 5e-3
    ground = stairs(3, 0.12, 0.4, width=1.2, start=-1.0)
    push = Push("BODY", (0.0, 150.0, 0.0), start=1.0, duration=0.1)
    return ts.simulate(
        robot, q, duration=2.0, controller=JointLaw(kp=3000.0, kd=60.0, q=q), ground=ground, pushes=[push]
    )


def main() -> None:
    """Write viewer.png and animation.png."""
    trajectory = pushed_on_stairs()
    with Chromium((1100, 720)) as browser:
        with show(trajectory, port=0, open_browser=False, block=False) as viewer:
            viewer.panel.clock.jump(1.2, 0.0)
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
            browser.run("player.scene.azimuth = 2.2; player.seek(1.2)")
            browser.picture(HERE / "animation.png")


if __name__ == "__main__":
    main()
