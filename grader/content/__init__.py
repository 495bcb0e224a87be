"""Reads what people hand in and what instructors publish: uploads and assignment folders."""
