"""Looking at robots: in a browser, as animations in one file, as videos and as pictures."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tarsus.viewer.animation import write_animation
    from tarsus.viewer.browser import Viewer, show
    from tarsus.viewer.picture import draw
    from tarsus.viewer.still import draw_moment
    from tarsus.viewer.video import write_video

_HOMES = {
    "Viewer": "browser",
    "draw": "picture",
    "draw_moment": "still",
    "show": "browser",
    "write_animation": "animation",
    "write_video": "video",
}

__all__ = ["Viewer", "draw", "draw_moment", "show", "write_animation", "write_video"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"tarsus.viewer.{_HOMES[name]}"), name)
