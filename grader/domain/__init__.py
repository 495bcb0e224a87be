"""What things are: verdicts, rubrics, submissions, results, scores. Standard library only."""
