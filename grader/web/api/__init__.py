"""The JSON API, under /api/v1: the same services as the pages."""

from grader.web.api import accounts, coursework, submissions

ROUTERS = (
    accounts.router,
    coursework.router,
    submissions.router,
)
"""Every area's routes; whoever adds an area adds it here."""
