"""Pictures of trajectories over time."""
