"""The walk of the 7-link biped of Shah, Saha and Dutt: gait, torques, ground and measures."""
