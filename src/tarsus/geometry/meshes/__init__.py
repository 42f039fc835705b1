"""Triangle meshes in files: one reader a format, which checks what it reads."""
