"""Mistakes that learners brought to issue trackers, each as a small function, graded for real."""
