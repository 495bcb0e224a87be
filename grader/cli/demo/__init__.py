"""The demo: sample students hand in, a real queue and a real worker grade, and the reports are shown."""
