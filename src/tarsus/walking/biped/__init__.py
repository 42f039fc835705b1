"""What a model of a biped tells a walk: feet, legs, which way is forward, how high it stands, how stiff joints are."""
