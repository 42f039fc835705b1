"""Few swept spheres around each link of a robot: what is to be enclosed, how it is cut, and what proves it."""
