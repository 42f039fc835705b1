"""Acceleration level: joint accelerations and torques that follow tasks."""
