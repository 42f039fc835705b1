"""Walks past what stands in the way (Buschmann 2014, 5.4): by footsteps, by swings, and by reflex."""
