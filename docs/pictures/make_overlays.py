"""Takes docs/pictures/overlays.png: cones, a region and planned stances in the browser viewer; needs Chromium.

PYTHONPATH=tests python docs/pictures/make_overlays.py
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from chromium import Chromium
from sample_trajectories import waving

import tarsus as ts

SETTLE = 15.0
"""Time until a browser without a graphics processor has drawn the scene [s]."""


def main() -> None:
    """Take the picture."""
    model = ts.robots.hrp2()
    stances = np.tile(model.reference, (4, 1))
    for k, side in enumerate("RLRL"):
        hip, knee, ankle = (model.joints[f"{side}LEG_JOINT{j}"].q_index.start for j in (2, 3, 4))
        stances[k, [hip, knee, ankle]] += [-0.5, 0.9, -0.4]
    shown = ["cones", "region", "strip"]
    options = {"ground": ts.contact.flat(), "stances": stances, "overlays": shown, "port": 0}
    with ts.viewer.show(waving(), open_browser=False, block=False, **options) as viewer:
        viewer.server.scene.configure_default_lights(cast_shadow=False)
        with Chromium((1300, 800)) as browser:
            browser.open(viewer.url)
            time.sleep(SETTLE)
            browser.run("document.querySelector('.mantine-Notification-closeButton')?.click()")
            time.sleep(2.0)
            browser.picture(Path(__file__).with_name("overlays.png"))


if __name__ == "__main__":
    main()
