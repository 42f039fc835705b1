"""Programs that are measured in an environment of their own, because their wheels do not agree with others."""
