"""The JSON API, under /api/v1: the same services as the pages."""

from grader.web.api import (
    accounts,
    courses,
    coursework,
    dashboard,
    grades,
    login,
    publishing,
    regrades,
    review,
    review_course,
    scheduling,
    submissions,
)

ROUTERS = (
    accounts.router,
    courses.router,
    coursework.router,
    dashboard.router,
    grades.router,
    login.router,
    publishing.router,
    regrades.router,
    review.router,
    review_course.router,
    scheduling.router,
    submissions.router,
)
"""Every area's routes; whoever adds an area adds it here."""
