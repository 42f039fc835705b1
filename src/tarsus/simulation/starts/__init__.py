"""Where runs start, and starts that cannot be meant."""
