"""Readings of sensors that an estimator can use: found, in time, believed."""
