"""Inverse kineto-dynamics: motions from given contact moments and given parts of a task space (Buschmann 2014, 5.5)."""
