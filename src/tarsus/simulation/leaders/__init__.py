"""Runs in which the joints that lead kinematic loops change on the way."""
