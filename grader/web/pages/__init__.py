"""Pages for browsers: HTML, forms that work without a script, HTMX where it saves a wait."""

from grader.web.pages import (
    accounts,
    asking,
    coursework,
    following,
    health,
    joining,
    login,
    review,
    review_queue,
    submissions,
)

ROUTERS = (
    accounts.router,
    asking.router,
    coursework.router,
    following.router,
    health.router,
    joining.router,
    login.router,
    review.router,
    review_queue.router,
    submissions.router,
)
"""Every area's routes; whoever adds an area adds it here."""
