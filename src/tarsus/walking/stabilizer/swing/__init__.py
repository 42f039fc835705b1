"""Feet in the air, and how they come down."""
