"""The work of `grader review`: what staff do with submissions, over the API that the pages are made of."""
