"""Tables wider than a phone say that they go on, and keep in sight whose row it is."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from uuid import uuid4

import pytest
from playwright.sync_api import Browser, Locator, Page, Route

from grader.domain.people import Role
from grader.domain.scheduling import Schedule
from grader.domain.standing import NOTHING_HANDED_IN
from grader.services.access import Seat
from grader.services.gradebook import Column, Gradebook, GradebookRow, Student
from grader.services.roster.members import Member
from grader.web.assets import assets
from grader.web.rendering import render
from tests.bench.gradebook import rendered
from tests.browser.people import DESKTOP, PHONE

pytestmark = pytest.mark.browser

SITE = "http://127.0.0.1:1"
SEAT = Seat(
    user_id=uuid4(),
    role=Role.INSTRUCTOR,
    course_id=uuid4(),
    course_slug="big",
    course_title="Big",
    timezone="UTC",
)


def gradebook() -> str:
    columns = tuple(
        Column(id=uuid4(), slug=f"hw-{at}", title=f"Homework {at}", max_score=None, schedule=Schedule())
        for at in range(8)
    )
    student = Student(id=uuid4(), login="ada", name="Ada Lovelace")
    row = GradebookRow(student=student, cells=(NOTHING_HANDED_IN,) * len(columns))
    return rendered(Gradebook(seat=SEAT, columns=columns, rows=(row,), sections=()))


def roster() -> str:
    member = Member(
        user_id=uuid4(),
        login="ada",
        name="Ada Lovelace",
        email="ada@example.edu",
        role=Role.STUDENT,
        student_number="12-345-678",
        section="Monday",
        extra_days=2,
        has_account=True,
    )
    return render(
        "instructor/roster.html",
        actor=None,
        seat=SEAT,
        members=[member],
        invitations=[],
        roles=[("student", "student")],
        error="",
        links=[],
        csrf_token="",
        flash=None,
        path="/courses/big/roster",
        zone="UTC",
    )


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A phone that gets our assets, and nothing else, from us."""
    page = browser.new_page(viewport=PHONE)
    by_path = {asset.path: asset for asset in assets().values()}

    def answer(route: Route) -> None:
        asset = by_path.get(route.request.url.removeprefix(SITE))
        if asset is None:
            route.fulfill(status=404)
        else:
            route.fulfill(body=asset.body, content_type=asset.media_type)

    page.route("**/static/**", answer)
    yield page
    page.close()


def show(page: Page, html: str) -> None:
    page.route(f"{SITE}/", lambda route: route.fulfill(body=html, content_type="text/html"))
    page.goto(f"{SITE}/")


def scroll_to_the_end(page: Page) -> None:
    page.locator(".scroll").first.evaluate("box => { box.scrollLeft = box.scrollWidth; }")


def left(element: Locator) -> float:
    box = element.bounding_box()
    assert box is not None
    return box["x"]


def darkest_at_the_right_edge(page: Page) -> float:
    """How dark the darkest place is there, below the texts of the first row: 0 for white, 1 for black."""
    box = page.locator(".scroll tbody tr").first.bounding_box()
    frame = page.locator(".scroll").first.bounding_box()
    assert box is not None
    assert frame is not None
    right = frame["x"] + frame["width"]
    strip = {"x": right - 12, "y": box["y"] + box["height"] - 4, "width": 10, "height": 2}
    picture = base64.b64encode(page.screenshot(clip=strip)).decode()
    darkest: float = page.evaluate(
        """async (picture) => {
            const image = new Image();
            image.src = "data:image/png;base64," + picture;
            await image.decode();
            const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
            canvas.drawImage(image, 0, 0);
            const pixels = canvas.getImageData(0, 0, image.width, image.height).data;
            return Math.min(...pixels.filter((_, at) => at % 4 === 0)) / 255;
        }""",
        picture,
    )
    return 1 - darkest


@pytest.mark.parametrize("made", [gradebook, roster])
def test_whose_row_it_is_stays_in_sight_on_a_phone(page: Page, made: Callable[[], str]) -> None:
    show(page, made())
    name = page.get_by_role("rowheader", name="Ada Lovelace")
    login = page.get_by_role("cell", name="ada", exact=True)
    start = left(name)
    scroll_to_the_end(page)
    assert left(name) == pytest.approx(start, abs=1)
    assert left(login) < start


@pytest.mark.parametrize("made", [gradebook, roster])
def test_a_shadow_says_that_a_table_goes_on_until_it_ends(page: Page, made: Callable[[], str]) -> None:
    show(page, made())
    assert darkest_at_the_right_edge(page) > 0.1
    scroll_to_the_end(page)
    assert darkest_at_the_right_edge(page) < 0.03


def test_a_table_that_fits_has_no_shadow(page: Page) -> None:
    page.set_viewport_size(DESKTOP)
    show(page, roster())
    assert darkest_at_the_right_edge(page) < 0.03


def test_a_caption_stands_on_what_lies_behind_its_table(page: Page) -> None:
    """Within a card that is the card, else the page; one that only screen readers read takes no room."""
    table = (
        '<div class="scroll sides"><table class="list">'
        "<caption{}>Rows</caption><tr><td>1</td></tr></table></div>"
    )
    show(
        page,
        roster().replace(
            "</h1>",
            f'</h1><section class="card" id="a">{table.format("")}</section>'
            f'<section id="b">{table.format("")}</section>'
            f"""<section id="c">{table.format(' class="unseen"')}</section>""",
        ),
    )
    colour = "element => getComputedStyle(element).backgroundColor"
    card, ground = page.locator("#a"), page.locator("body")
    assert page.locator("#a caption").evaluate(colour) == card.evaluate(colour)
    assert page.locator("#b caption").evaluate(colour) == ground.evaluate(colour)
    assert card.evaluate(colour) != ground.evaluate(colour)
    frame, row = (page.locator(f"#c {name}").bounding_box() for name in (".scroll", "tr"))
    assert frame is not None
    assert row is not None
    assert row["y"] - frame["y"] < 3
