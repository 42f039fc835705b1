"""What keeps a walk up: pressure under the feet, places and times of steps, phases by contact, joint set-points."""
