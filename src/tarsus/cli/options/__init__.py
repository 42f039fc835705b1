"""What several commands ask for and print alike."""
