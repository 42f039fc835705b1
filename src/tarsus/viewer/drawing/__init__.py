"""Pictures by the software renderer."""
