"""Bodies, joints and inertias, and the poses that they start from."""
