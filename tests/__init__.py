"""Every test: unit (mirrors the packages), architecture, integration, calibration, hostile, and the bench."""
