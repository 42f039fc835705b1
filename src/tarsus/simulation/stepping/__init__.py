"""Robots that are stepped from outside, and what may differ between them."""
