"""Control: laws that turn states into joint torques."""

from tarsus.control.joint_law import JointLaw, feed_forward, gravity_compensation

__all__ = ["JointLaw", "feed_forward", "gravity_compensation"]
