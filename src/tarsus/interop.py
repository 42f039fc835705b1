"""Layouts of other libraries under the name they are documented by; they live in `tarsus.io.interop`."""

from tarsus.io.interop import *  # noqa: F403
from tarsus.io.interop import __all__ as __all__
