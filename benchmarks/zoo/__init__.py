"""Robots that nobody here wrote, dropped with all defaults: energy, penetration and time, with MuJoCo beside them."""
