"""Regrades as plans: made beside what counts, looked at, then applied as a whole, and undone as a whole."""
