"""The command line: `grader ...`. Thin over services and the engine; importing it starts neither."""
