"""Sequences of stances of demonstrations: handstand, rising from kneeling, a stair with a rail."""
