"""What came of a walk: falls, ways, notes, outcomes."""
