"""Attacks on the grader: on the seal itself, and by submissions that want points or harm."""
