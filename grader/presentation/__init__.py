"""Results for people: a page that opens from disk, and the same report in a terminal.

Everything here shows a `ReportView`, which has already left out what its reader may not see.
"""
