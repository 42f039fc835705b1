"""Cylinders: pistons that gas or oil moves."""
