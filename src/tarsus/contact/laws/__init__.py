"""Laws of contact: a law is one file."""
