"""The list read piece by piece: nothing twice, nothing left out, and a refresh where it is looked at."""

from __future__ import annotations

import random
from datetime import timedelta

from msgspec import structs

from queuetop.model.jobs import Cursor, Job, Page, Sort
from queuetop.model.measure import Exactness
from queuetop.model.selection import Selection
from queuetop.model.states import State
from queuetop.ui.job_list import MOST, PAGE, Feed, JobList
from tests.ui.fakes import NOW, make_job, make_jobs
from tests.ui.shelf import Shelf

NEWEST = Sort("id", descending=True)


def new(number: int) -> Job:
    return structs.replace(make_job(number), created_at=NOW + timedelta(seconds=number))


def ids(found: JobList) -> list[str]:
    return [job.id for job in found.jobs]


async def whole(feed: Feed) -> JobList:
    found = await feed.first()
    while found.next is not None:
        found = await feed.more(found)
    return found


async def test_the_whole_list_has_each_job_once_in_order() -> None:
    shelf = Shelf(make_jobs(1_050))
    for sort in (NEWEST, Sort("created_at"), Sort("attempts", descending=False), Sort("failed_at")):
        found = await whole(Feed(shelf, Selection(), sort))
        assert ids(found) == [job.id for job in shelf.found(Selection(), sort)]
        assert found.matched.value == 1_050


async def test_an_empty_list_is_complete() -> None:
    found = await Feed(Shelf(), Selection(), NEWEST).first()
    assert found.jobs == ()
    assert found.next is None
    again = await Feed(Shelf(), Selection(), NEWEST).refreshed(found, range(0), count=True)
    assert again.jobs == ()


async def test_a_refresh_far_down_reads_one_page_and_keeps_what_is_around() -> None:
    shelf = Shelf(make_jobs(2_000))
    feed = Feed(shelf, Selection(), NEWEST)
    found = await whole(feed)
    shelf.put(*(structs.replace(job, attempts=77) for job in shelf.all))
    asked = shelf.asked
    again = await feed.refreshed(found, range(1_000, 1_030), count=False)
    assert shelf.asked == asked + 1
    assert ids(again) == ids(found)
    changed = [index for index, job in enumerate(again.jobs) if job.attempts == 77]
    assert changed == list(range(1_000, 1_000 + PAGE))
    assert again.matched == found.matched


async def test_new_jobs_come_in_above_and_gone_ones_leave() -> None:
    shelf = Shelf(make_jobs(300))
    feed = Feed(shelf, Selection(), NEWEST)
    found = await feed.first()
    shelf.put(new(301), new(302))
    shelf.take("299", "150")
    again = await feed.refreshed(found, range(30), count=True)
    assert ids(again)[:4] == ["302", "301", "300", "298"]
    assert "150" not in ids(again)
    assert ids(again) == [job.id for job in shelf.found(Selection(), NEWEST)][: len(again.jobs)]
    assert again.matched.value == 300


async def test_a_flood_of_new_jobs_does_not_push_the_seen_ones_out() -> None:
    shelf = Shelf(make_jobs(300))
    feed = Feed(shelf, Selection(), NEWEST)
    found = await feed.first()
    shelf.put(*(new(number) for number in range(301, 2_000)))
    shelf.change("300", attempts=99)
    again = await feed.refreshed(found, range(30), count=True)
    assert again.more_above
    assert ids(again)[:3] == ["300", "299", "298"]
    assert again.jobs[0].attempts == 99
    assert again.matched.value == 1_999
    shelf.take("300")
    later = await feed.refreshed(again, range(30), count=True)
    assert ids(later)[:2] == ["299", "298"]
    top = await feed.first()
    assert ids(top)[0] == "1999"
    assert not top.more_above


async def test_a_list_of_one_is_found_again_under_a_flood() -> None:
    shelf = Shelf(make_jobs(1))
    feed = Feed(shelf, Selection(), NEWEST)
    found = await feed.first()
    shelf.put(*(new(number) for number in range(2, 1_000)))
    again = await feed.refreshed(found, range(1), count=True)
    assert ids(again) == ["1"]
    assert again.more_above


async def test_a_list_whose_jobs_are_all_gone_starts_anew() -> None:
    shelf = Shelf(make_jobs(900))
    pending = Selection(states=(State.PENDING,))
    feed = Feed(shelf, pending, NEWEST)
    found = await feed.first()
    shelf.put(*(structs.replace(job, state=State.RUNNING) for job in found.jobs))
    shelf.put(*(structs.replace(new(n), state=State.PENDING) for n in range(901, 1_300)))
    again = await feed.refreshed(found, range(30), count=True)
    assert ids(again)[0] == "1299"
    assert not again.more_above


async def test_without_places_a_refresh_begins_at_a_page() -> None:
    class Bare(Shelf):
        async def jobs(self, *args: object, **kwargs: object) -> Page:
            page = await super().jobs(*args, **kwargs)  # type: ignore[arg-type]
            return structs.replace(page, places=())

    shelf = Bare(make_jobs(900))
    feed = Feed(shelf, Selection(), NEWEST)
    found = await whole(feed)
    assert found.anchor(100) == (0, None)
    assert found.anchor(450)[0] == 400
    shelf.take("700", "500")
    again = await feed.refreshed(found, range(450, 480), count=False)
    assert ids(again) == [i for i in ids(found) if i != "500"]


async def test_a_list_stops_growing_at_its_limit() -> None:
    shelf = Shelf(make_jobs(MOST + 500))
    found = await Feed(shelf, Selection(), NEWEST).first()
    feed = Feed(shelf, Selection(), NEWEST)
    while not found.full:
        found = await feed.more(found)
    assert len(found.jobs) == MOST
    assert found.matched.exactness is Exactness.CAPPED
    assert await feed.more(found) is found


async def test_churn_never_doubles_a_job_and_shows_the_truth_where_it_is_looked_at() -> None:
    chance = random.Random(11)
    shelf = Shelf(make_jobs(1_200))
    sort = Sort("attempts", descending=True)
    feed = Feed(shelf, Selection(), sort)
    found = await feed.first()
    for step in range(200):
        for job in chance.sample(shelf.all, 40):
            shelf.change(job.id, attempts=chance.randint(0, 9))
        shelf.take(*(job.id for job in chance.sample(shelf.all, 3)))
        shelf.put(*(new(2_000 + 5 * step + offset) for offset in range(4)))
        if chance.random() < 0.3:
            found = await feed.more(found)
        top = chance.randrange(max(1, len(found.jobs) - 30))
        place = found.anchor(top)[1]
        found = await feed.refreshed(found, range(top, top + 30), count=False)
        assert len(set(ids(found))) == len(found.jobs)
        truth = [job.id for job in (await shelf.jobs(Selection(), sort, after=place)).jobs]
        start = ids(found).index(truth[0])
        assert ids(found)[start : start + len(truth)] == truth


def test_a_page_without_jobs_has_no_place() -> None:
    assert JobList().anchor(0) == (0, None)
    assert JobList().anchor(10) == (0, None)
    one = JobList(jobs=make_jobs(1), places=(Cursor("1", "1"),))
    assert one.anchor(5) == (1, Cursor("1", "1"))
