"""Sensors under the name they are documented by; they live in `tarsus.devices.sensors`."""

from tarsus.devices.sensors import *  # noqa: F403
from tarsus.devices.sensors import __all__ as __all__
