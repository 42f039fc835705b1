"""Models of a walking robot that are small enough to plan with: one to three masses above a centre of pressure."""
