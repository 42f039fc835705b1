"""From footsteps to joints: what a robot that walks is to do at every moment, before anything is measured."""
