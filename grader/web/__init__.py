"""Pages and a JSON API over `grader.services`: what a page does, a script can do.

`app` puts everything together. `pages` and `api` hold the routes, one module for each area; `security` what
stands before all of them; `dependencies` and `rendering` what routes are written with.
"""
