"""An automated grader for courses that teach JAX: it judges the traced program, not the process."""
