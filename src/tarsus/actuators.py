"""Actuators under the name they are documented by; they live in `tarsus.devices.actuators`."""

from tarsus.devices.actuators import *  # noqa: F403
from tarsus.devices.actuators import __all__ as __all__
