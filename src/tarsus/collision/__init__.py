"""Volumes of a robot, pairs of them that may collide, distances with their Jacobians, fitting."""
