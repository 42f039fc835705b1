"""Motions to where tasks are met: goals, ways between them without collision, smooth paths, times along them."""
