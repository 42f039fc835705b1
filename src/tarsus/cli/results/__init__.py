"""Commands about what was recorded or measured."""
