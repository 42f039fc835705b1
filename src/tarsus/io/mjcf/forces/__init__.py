"""What acts on the tree: gravity, springs, tendons, drives and constraints."""
