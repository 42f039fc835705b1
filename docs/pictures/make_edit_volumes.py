"""Screenshot for the page Fitting volumes: lola in the browser while its volumes are edited.

Needs Chromium: `python -m docs.pictures.make_edit_volumes`, from the root of the repository.
"""

import tempfile
import time
from pathlib import Path

from tests.chromium import Chromium

import tarsus as ts
from tarsus.viewer import show

HERE = Path(__file__).parent


def main() -> None:
    """Write edit_volumes.png."""
    with Chromium((1100, 760)) as browser, tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "lola.volumes.toml"
        with show(ts.robots.lola(), port=0, open_browser=False, block=False, edit_volumes=path) as viewer:
            viewer.server.initial_camera.position = (1.5, 1.1, 1.5)
            viewer.server.initial_camera.look_at = (0.0, -0.15, 1.05)
            viewer.server.scene.configure_default_lights(cast_shadow=False)
            viewer.editor.select("torso")
            browser.open(viewer.url)
            time.sleep(20.0)  # until everything is drawn, however slow the machine
            browser.run("document.querySelector('.mantine-Notification-closeButton')?.click()")
            scroll = "[...document.querySelectorAll('button')].filter(e => e.textContent.trim() === 'Add').pop()"
            browser.run(f"({scroll}).scrollIntoView({{block: 'center'}})")
            time.sleep(3.0)
            browser.picture(HERE / "edit_volumes.png")


if __name__ == "__main__":
    main()
