"""All solutions of arms with six hinges: closed forms, elimination, continuation."""
