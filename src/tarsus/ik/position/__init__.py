"""Position level: configurations that meet tasks."""
