"""Grades one submission on this machine; knows no database and no queue."""
