"""Optimisation problems that know no robots."""
