"""URDF, the Unified Robot Description Format, and SRDF beside it."""

from tarsus.io.urdf.reader import read_urdf, read_urdf_text
from tarsus.io.urdf.writer import write_urdf

__all__ = ["read_urdf", "read_urdf_text", "write_urdf"]
