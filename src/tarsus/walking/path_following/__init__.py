"""Planar bipeds that follow a path instead of a motion: the pressure under the foot decides how fast they go."""
