"""The chapters of the story, by those who act in them."""
