"""Control: laws that turn states into joint torques."""

from tarsus.control.joint_law import JointLaw, feed_forward, gravity_compensation
from tarsus.control.observation import Observation

__all__ = ["JointLaw", "Observation", "feed_forward", "gravity_compensation"]
