"""What elements mean: settings of the compiler, default classes, orientations."""
