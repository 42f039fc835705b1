"""The walk of Feng et al. 2015: event-driven, through point, edge and surface contact, under visual lifting."""
