"""The story of a course, from the first account to the last export.

Ines teaches; Tom and Tara are her TAs; Ada, Ben, Cara and Dora are students. What they hand in is in
coursework.py. Full points are 8 by version 1 of the assignment, 9 by version 2.
"""

from __future__ import annotations

from tests.browser.chapters import handing_in, regrading, reviewing, setting_up
from tests.browser.stage import Chapter

CHAPTERS: tuple[Chapter, ...] = (
    setting_up.the_first_account,
    setting_up.a_course,
    setting_up.links_to_come_in,
    setting_up.a_publication,
    setting_up.dates,
    setting_up.people_come_in,
    handing_in.a_faulty_file,
    handing_in.a_mended_file,
    handing_in.a_receipt,
    handing_in.without_scripts,
    handing_in.the_same_mistake,
    handing_in.a_request,
    reviewing.a_review_by_keys,
    reviewing.two_at_once,
    reviewing.an_answer,
    reviewing.one_comment_for_all,
    regrading.a_new_version,
    regrading.a_regrade,
    regrading.exports,
    regrading.grades_are_released,
    regrading.a_wait,
)
