"""Whether verdicts stay what they are: asked again, with other inputs, and beside other work."""
