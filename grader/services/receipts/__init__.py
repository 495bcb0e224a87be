"""Signed receipts: `documents` signs and verifies them, `issuing` makes them of what is stored."""
