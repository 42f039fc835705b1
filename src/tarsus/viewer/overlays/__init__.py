"""What the browser viewer draws over a motion: friction cones, regions of the centre of mass, planned stances."""
