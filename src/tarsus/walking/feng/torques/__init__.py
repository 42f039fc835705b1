"""Torques of the walk: visual lifting with what a camera sees, periodic torques, springs, and their sum."""
