"""What a walk is told: state and loads, sensors that are dead."""
