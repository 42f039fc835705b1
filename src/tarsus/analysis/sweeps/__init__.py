"""Sweeps: cases, what runs them, and the file of results."""
