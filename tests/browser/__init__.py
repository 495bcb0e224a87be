"""The whole product in a real Chromium, with everything that `grader up` starts behind it.

`make test-browser` runs these tests; `make test` leaves them out, since they need a Chromium and minutes. A
story is told in chapters (story.py), each of which goes on where the one before has ended. The pages that
the story fills are then looked at one by one (test_pages.py), and `make screenshots` takes pictures of them.
"""
