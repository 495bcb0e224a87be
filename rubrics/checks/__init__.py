"""The judgements, one module per family: each takes a `Subject` and cases, and raises `CheckFailed` or returns."""
