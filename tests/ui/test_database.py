"""View 9, Database: asked for only while seen; what is missing says so."""

from __future__ import annotations

from msgspec import structs

from queuetop.model.measure import Measure
from queuetop.model.snapshot import Cost, DatabaseHealth, Holder, PanelCost
from tests.ui.fakes import DATABASE, FakeWatch, make_snapshot
from tests.ui.support import make_app, screen_text, shows, until

NOTHING_KNOWN = DatabaseHealth(
    table_bytes=Measure.unavailable("permission denied for pg_table_size"),
    index_bytes=Measure.unavailable("a view has no size"),
    live_rows=Measure.unavailable("never analyzed"),
    dead_rows=Measure.unavailable("never analyzed"),
    last_autovacuum=None,
    last_autoanalyze=None,
    autovacuum_running=False,
    modified_since_analyze=None,
    oldest_snapshot=None,
    blockers=(),
    indexes=(),
    connections=None,
    max_connections=None,
    taken_at=DATABASE.taken_at,
)


async def test_it_is_asked_for_only_while_it_is_seen() -> None:
    watch = FakeWatch()
    app = make_app(watch)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await pilot.press("9")
        await shows(pilot, "Asking the server.")
        assert watch.database_wanted
        watch.push(make_snapshot(seq=2, database=DATABASE))
        await shows(pilot, "dead rows        ~812 400  7.5 % of all")
        await pilot.press("1")
        await until(pilot, lambda: not watch.database_wanted)


async def test_the_sections_side_by_side() -> None:
    app = make_app(FakeWatch([make_snapshot(database=DATABASE, clock_skew_s=-3.2)]))
    async with app.run_test(size=(140, 60), notifications=True) as pilot:
        await pilot.press("9", "c")
        await shows(pilot, "payment_task_old")
        text = screen_text(app)
        for part in (
            "public.payment_task",
            "table            3.8 GB",
            "live rows        ~9 974 842",
            "autovacuum       3h 00m ago  runs now",
            "autoanalyze      42m 00s ago  90 120 rows changed since",
            "oldest snapshot  1h 30m",
            "pid 4711 · psql · ann · idle in transaction",
            "▲ 4 sessions wait; it began 31s ago",
            "in use           61 of 100  ███████▍ 61.0 %",
            "payment_task_due   1 204 881",
            "next_attempt_at, id where status = 'PENDING'",
            "0.2 %  of one backend's time",
            "4.4 ms  1 round trip, server 4.1 ms",
            "▲ 3.2 s  behind the server",
        ):
            assert part in text
        assert "◆ invalid" in next(line for line in text.split("\n") if "payment_task_old" in line)


async def test_narrow_it_scrolls_by_the_keys_of_a_list() -> None:
    app = make_app(FakeWatch([make_snapshot(database=DATABASE)]))
    async with app.run_test(size=(60, 20), notifications=True) as pilot:
        await pilot.press("9")
        await shows(pilot, "public.payment_task")
        await pilot.press("G")
        await shows(pilot, "payment_task_old")
        assert "public.payment_task" not in screen_text(app).split("queuetop's")[-1]
        await pilot.press("k", "pageup", "g")
        await shows(pilot, "public.payment_task")


async def test_what_is_not_known_says_why() -> None:
    app = make_app(FakeWatch([make_snapshot(database=NOTHING_KNOWN, clock_skew_s=None)]))
    async with app.run_test(size=(120, 60), notifications=True) as pilot:
        await pilot.press("9", "c")
        await shows(pilot, "–  permission denied for pg_table_size")
        text = screen_text(app)
        for part in (
            "indexes          –  a view has no size",
            "autovacuum       –",
            "autoanalyze      –",
            "oldest snapshot  none is held",
            "blockers         nobody waits for a lock",
            "in use           – of –",
            "There is none, so every look at the table reads all of it.",
            "clock skew       –  not compared yet",
        ):
            assert part in text


async def test_the_cost_of_each_statement_and_why_some_did_not_run() -> None:
    cost = Cost(
        round_trips=2,
        db_ms=12.04,
        poll_ms=52.6,
        budget_share=0.0125,
        skipped=("durations: [/] costs too much; next in 40s",),
        panels=(
            PanelCost(panel="oldest", ms=0.42, every_s=2.0),
            PanelCost(panel="durations", ms=840.3, every_s=90.0, note="reads a big table"),
            PanelCost(panel="unmapped", ms=None, every_s=600.0, note="timed out"),
        ),
    )
    app = make_app(FakeWatch([make_snapshot(cost=cost)]))
    async with app.run_test(size=(120, 50), notifications=True) as pilot:
        await pilot.press("9", "c")
        await shows(pilot, "durations  840.3 ms   1m 30s  reads a big table")
        text = screen_text(app)
        for part in (
            "1.2 %  of one backend's time",
            "52.6 ms  2 round trips, server 12.0 ms",
            "oldest       0.4 ms    2.0 s",
            "unmapped          –  10m 00s  timed out",
            "durations: [/] costs too much; next in 40s",
        ):
            assert part in text


async def test_hostile_text_is_only_text() -> None:
    evil = "[/] [@click=app.quit]x[/] a%s " + "長い" * 200
    holder = Holder(pid=1, application=evil, user=evil, state=evil, age_s=1.0, query=evil, blocks=1)
    health = structs.replace(
        DATABASE,
        oldest_snapshot=holder,
        blockers=(holder,),
        indexes=(structs.replace(DATABASE.indexes[0], name=evil, columns=evil, predicate=evil),),
    )
    for width in (60, 200):
        app = make_app(FakeWatch([make_snapshot(database=health)]))
        async with app.run_test(size=(width, 60), notifications=True) as pilot:
            await pilot.press("9")
            await shows(pilot, "pid 1 · [/] [@click=app.quit]x[/]")
            await shows(pilot, "▲ 1 session waits; it began 1.0 s ago")
            await pilot.press("G")
            assert app.is_running
