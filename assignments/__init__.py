"""Assignments shipped with the grader, one folder each; read them as data, never import them."""
