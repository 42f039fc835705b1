"""Robots on their way through a simulation: their state, and how it is integrated."""
