"""Balance by position-controlled joints alone: hybrid control of positions and forces of the feet."""
