"""Figures of Buschmann 2014 measured again; one figure a file, `registry` lists them."""
