"""Swept-sphere volumes and nearest pairs in pictures and in the browser, and the page where volumes are edited."""
