"""The command line tool `tarsus`."""
