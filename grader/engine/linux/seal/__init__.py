"""The layers of the seal, one module each; `grader.engine.linux.child` puts them on in order."""
