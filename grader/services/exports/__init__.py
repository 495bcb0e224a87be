"""What leaves a course: grades for other systems, results for Gradescope, archives."""
