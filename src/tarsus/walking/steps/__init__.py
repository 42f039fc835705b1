"""Footsteps, their timing, and the paths of feet between them."""
