"""Commands that move a robot."""
