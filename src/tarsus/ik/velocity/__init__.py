"""Velocity level: joint velocities that follow tasks."""
