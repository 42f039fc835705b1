"""Constraints under the name they are documented by; they live in `tarsus.dynamics.constraints`."""

from tarsus.dynamics.constraints import *  # noqa: F403
from tarsus.dynamics.constraints import __all__ as __all__
