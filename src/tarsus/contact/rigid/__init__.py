"""Rigid contact at one instant: touching points, their modes, accelerations, impacts."""
