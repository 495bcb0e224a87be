"""Pages for browsers: HTML, forms that work without a script, HTMX where it saves a wait."""

from grader.web.pages import (
    accounts,
    asking,
    courses,
    coursework,
    dashboard,
    exporting,
    following,
    gradebook,
    health,
    joining,
    login,
    publishing,
    regrades,
    review,
    review_queue,
    roster,
    scheduling,
    submissions,
)

ROUTERS = (
    # First: a new course is not the course called new.
    courses.router,
    accounts.router,
    asking.router,
    coursework.router,
    dashboard.router,
    exporting.router,
    following.router,
    gradebook.router,
    health.router,
    joining.router,
    login.router,
    publishing.router,
    regrades.router,
    review.router,
    review_queue.router,
    roster.router,
    scheduling.router,
    submissions.router,
)
"""Every area's routes; whoever adds an area adds it here."""
