"""Joints that tendons pull from both sides."""
