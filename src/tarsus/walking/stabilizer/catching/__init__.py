"""What catches a robot that ankles cannot: steps elsewhere and sooner, turning hips."""
