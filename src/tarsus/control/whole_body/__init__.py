"""Multi-contact whole-body control: one formulation a file, one program for all of them."""
