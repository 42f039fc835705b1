"""Simulations and what they leave: trajectories, recordings, plots."""

from tarsus.control.joint_law import JointLaw, feed_forward, gravity_compensation
from tarsus.devices import actuators, sensors
from tarsus.recording.signal_log import SignalLog, with_signals
from tarsus.simulation.push import Push
from tarsus.simulation.spring import Spring
from tarsus.simulation.stepping.body_inertias import body_inertias

__all__ = [
    "JointLaw",
    "Push",
    "SignalLog",
    "Spring",
    "actuators",
    "body_inertias",
    "feed_forward",
    "gravity_compensation",
    "sensors",
    "with_signals",
]
