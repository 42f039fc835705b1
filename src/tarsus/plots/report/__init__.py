"""Reports of runs: one page with everything that a recording tells about loads, contacts and control."""
