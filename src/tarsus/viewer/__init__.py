"""Looking at robots: static pictures."""

from tarsus.viewer.picture import draw

__all__ = ["draw"]
