"""Methods of solving the equations of motion with constraints, Buschmann 2014 section 3.4."""
