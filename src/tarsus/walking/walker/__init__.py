"""The walk of any biped: choices of the gait, the run, and what became of it."""
