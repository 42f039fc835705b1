"""Sequences of stances, done one after the other: references, limbs that swing, contacts that are released and made."""
