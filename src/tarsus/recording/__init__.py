"""What simulations leave: trajectories, their curves and energies, recordings and exports."""
