"""The judgements, one module per family: each takes a `Subject` and cases, and may raise `CheckFailed`."""
