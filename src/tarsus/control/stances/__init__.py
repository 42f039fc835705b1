"""Stances: contacts at given places, whether a robot can rest on them, and postures in which it does."""
