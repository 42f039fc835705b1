"""Rigid contact by events: smooth motion between them, impacts and changes of modes at them."""
