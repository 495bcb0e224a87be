"""Who is in a course: members, what the roster knows of them, and importing it from a file."""
