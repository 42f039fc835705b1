"""Kinematic loops: conditions, closures, the paths they follow, and their reduction to independent coordinates."""
