"""Tom and Tara review what Ben has handed in."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser import coursework
from tests.browser.acting import COURSE, adjust, choose_check, send_by_keys
from tests.browser.stage import Stage


def a_review_by_keys(stage: Stage) -> None:
    """Tom finds the request, comments on the line and adjusts points with nothing but his keyboard."""
    tom = stage.people["tom"]
    keys = tom.page.keyboard
    tom.open(f"{COURSE}/review?requested=yes")
    expect(tom.page.get_by_role("link", name="Ben Okri")).to_be_visible()
    with tom.page.expect_navigation(wait_until="load"):
        keys.press("Enter")
    keys.press("j")
    expect(tom.page.locator(".line.chosen")).to_contain_text("if jnp.all(x == 0)")
    keys.press("c")
    keys.type("A traced x has no values yet: see “Control flow”.")
    send_by_keys(tom)
    expect(tom.page.locator(".whole")).to_contain_text("A traced x has no values yet")
    keys.press("a")
    keys.type("1")
    choose_check(tom.page)
    tom.page.get_by_label("Why").last.press_sequentially("Half an idea of tracing is there.")
    send_by_keys(tom)
    expect(tom.page.locator("[aria-labelledby=points] .big")).to_have_text("6")


def two_at_once(stage: Stage) -> None:
    """Tara changes points while Tom has the page open: Tom is told, and keeps what he typed."""
    tom, tara = stage.people["tom"], stage.people["tara"]
    review = f"/review/{stage.submissions['ben'].rpartition('/')[2]}"
    tom.open(review)
    tara.open(review)
    adjust(tara, points="2", reason="Two thirds, rather.")
    expect(tara.page.locator("[aria-labelledby=points] .big")).to_have_text("7")
    with tom.a_refusal():
        adjust(tom, points="0.5", reason="No, less.")
    expect(tom.page.get_by_role("alert").first).to_contain_text("Nothing was changed")
    expect(tom.page.locator("[name=points]:visible").last).to_have_value("0.5")
    expect(tom.page.locator("[aria-labelledby=points] .big")).to_have_text("7")
    with tom.page.expect_navigation(wait_until="load"):
        tom.page.get_by_role("link", name="Back to the queue").click()


def an_answer(stage: Stage) -> None:
    """Tara answers the request, and Ben reads answer, comment and points."""
    tara, ben = stage.people["tara"], stage.people["ben"]
    tara.open(f"/review/{stage.submissions['ben'].rpartition('/')[2]}")
    expect(tara.page.locator(".request")).to_contain_text("<script>alert('hello')</script>")
    tara.page.get_by_label("Answer").fill("Under jit it has to work, too. Tom's comment says how.")
    tara.press("Decline")
    ben.open(f"{stage.submissions['ben']}/request")
    expect(ben.page.locator("main")).to_contain_text("declined")
    expect(ben.page.locator("main")).to_contain_text("Under jit it has to work")
    ben.open(stage.submissions["ben"])
    expect(ben.page.locator("main")).to_contain_text("A traced x has no values yet")
    changed = ben.page.get_by_role("region", name="Points changed by staff").first
    expect(changed).to_contain_text("Two thirds, rather.")
    expect(ben.page.locator("[aria-labelledby=counts]")).to_contain_text("6 of 7")


def one_comment_for_all(stage: Stage) -> None:
    """Tom keeps a comment for use again, and sends one to everybody with the same mistake."""
    tom, dora = stage.people["tom"], stage.people["dora"]
    tom.open(f"{COURSE}/review/bank")
    tom.page.get_by_label("Title").fill("Values under jit")
    tom.page.get_by_label("Words").fill("Under jit there are no values to look at: jnp.where chooses.")
    tom.press("Keep")
    expect(tom.page.get_by_role("heading", name="Values under jit")).to_be_visible()
    tom.open(f"{COURSE}/review/clusters/{coursework.SLUG}")
    expect(tom.page.get_by_role("heading", level=2)).to_contain_text("2 submissions")
    tom.page.get_by_label("One comment for all of them").fill("Try jnp.where here.")
    tom.press("Comment on all 2")
    expect(tom.page.get_by_role("status")).to_contain_text("Comments written: 2")
    dora.open(stage.submissions["dora"])
    expect(dora.page.locator("main")).to_contain_text("Try jnp.where here.")
