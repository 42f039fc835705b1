"""Plans of the centre of mass: one planner a file, pressure paths in, motions of the mass and its pressure out."""
