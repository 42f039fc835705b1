"""Looking at robots: in a browser, as animations in one file, as videos and as pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tarsus.lazy_names import lazy_names

if TYPE_CHECKING:
    from tarsus.viewer.animation import write_animation
    from tarsus.viewer.drawing.picture import draw
    from tarsus.viewer.drawing.stance_strip import draw_stances
    from tarsus.viewer.drawing.still import draw_moment
    from tarsus.viewer.live.browser import Viewer, show
    from tarsus.viewer.video import write_video

_HOMES = {
    "Viewer": "live.browser",
    "draw": "drawing.picture",
    "draw_moment": "drawing.still",
    "draw_stances": "drawing.stance_strip",
    "show": "live.browser",
    "write_animation": "animation",
    "write_video": "video",
}

__getattr__ = lazy_names(__name__, _HOMES)

__all__ = ["Viewer", "draw", "draw_moment", "draw_stances", "show", "write_animation", "write_video"]
