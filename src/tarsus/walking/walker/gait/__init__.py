"""Which gait a robot walks with: step time, length, height, and how fast it can."""
