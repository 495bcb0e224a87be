"""Pages for browsers: HTML, forms that work without a script, HTMX where it saves a wait."""

from grader.web.pages import accounts, health, joining, login

ROUTERS = (accounts.router, health.router, joining.router, login.router)
"""Every area's routes; whoever adds an area adds it here."""
