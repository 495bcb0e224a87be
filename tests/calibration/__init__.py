"""How right the verdicts are: labelled submissions, graded for real."""
