"""Measured speed of tarsus beside its peers: ``python -m benchmarks.run``."""
