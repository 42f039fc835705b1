"""Measurements: timing of short calls, and the figures of the literature measured again."""
