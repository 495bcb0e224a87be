"""Measurements: what grading costs, beside plain calls in one warm interpreter. Run by `make bench`."""
