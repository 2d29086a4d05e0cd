"""Every statement that observing, browsing and looking at the catalogue can send, on real tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from psycopg import sql

from queuetop.model.facts import Panel, Signal
from queuetop.model.jobs import Sort
from queuetop.model.mapping_toml import decode
from queuetop.model.selection import Bound as Edge
from queuetop.model.selection import Compare, Selection
from queuetop.model.states import FailureClass, State
from queuetop.store import files, introspect
from queuetop.store.conninfo import Conninfo
from queuetop.store.opener import Opener, Table, Wanted
from queuetop.store.session import Answer, Bound, Limits, Session
from tests.store.staging import Form, make, mapping
from tests.support.databases import execute

ROOMS = ("observe", "browse", "introspect")
_TAG = re.compile(r"/\* queuetop:(\S+) \*/")
_PROBE = Bound(sql.SQL("select current_setting('transaction_read_only')"), {})

RULES = """
[queues]
from = "public.pauses as p"
name = "p.queue"
paused = "p.since is not null"

[failure_classes]
theirs = ["EXTERNAL_5XX"]
ours = ["VALIDATION"]
"""
#: A state with a FROM item of its own, so that lists are unions and details read whatever is there.
OWN = """
schema = 1
name = "own"
table = "public.bare"
unmapped = "false"
[columns]
id = "id"
queue = "queue"
created_at = "created_at"
ready_at = "ready_at"
failure_detail = "failure_detail"
[states.pending]
where = "j.status = 'waiting'"
[states.running]
from = "(select * from {table} where status = 'claimed') as j"
where = "true"
"""
RELATION = "public.jobs"


def build(dsn: str) -> None:
    make(dsn, Form(after=("create index on jobs (queue)", "create index on jobs (created_at)")))
    execute(
        dsn,
        "create table pauses (queue text, since timestamptz)",
        "insert into pauses values ('mail', now()), ('report', null)",
        "create table bare as select * from jobs",
        "alter table bare add primary key (id)",
    )


async def run_everything(dsn: str) -> None:
    """Through the real composition: every panel, list, detail and look at the catalogue."""
    async with Opener(Conninfo(dsn)) as opener:
        for text in (mapping(Form(), RULES), OWN):
            (table,) = await opener.open([Wanted(decode(text, "test"), "file")])
            try:
                await _observe(table)
                await _browse(table)
            finally:
                await table.reader.close()
                await table.browser.close()
        await opener.guesses(RELATION)
        await opener.sample(table.relation)
        session = Session(Conninfo(dsn))
        try:
            await introspect.values(session, table.relation, ["status"])
        finally:
            await session.close()


async def _observe(table: Table) -> None:
    reader = table.reader
    panels = list(reader.panels())
    panels += [narrow for panel in panels if (narrow := reader.windowed(panel))]
    panels += [Panel(Signal.STATE, State.SUCCEEDED)] if table.mapping.status.succeeded else []
    assert len(await reader.plan(panels)) >= len(panels) - 10
    facts = await reader.ask(panels)
    assert facts.failed == {}
    assert set(facts.lines) == set(panels)
    sweep = reader.sweep()
    if sweep is not None:
        assert (await reader.ask_dear(sweep)).failed == {}
    health = await reader.database()
    assert health.table_bytes.value


async def _browse(table: Table) -> None:
    browse = table.browser
    for selection in (
        Selection(),
        Selection(words=("case",)),
        Selection(queues=("mail", "", "�")),
        Selection(states=(State.PENDING, State.RUNNING), since=Edge(ago_s=9000.0)),
    ):
        for sort in (Sort("created_at"), Sort("ready_at", descending=False), Sort("id")):
            page = await browse.jobs(selection, sort, limit=20)
            if page.next:
                await browse.jobs(selection, sort, after=page.next, limit=20)
    if table.mapping.has("attempts"):
        chosen = Selection(attempts=(Compare(">", 1),), classes=(FailureClass.THEIRS,), ids=("1",))
        await browse.jobs(chosen, Sort("id"))
    for job in page.jobs:
        assert await browse.job(job.id)
    for column in ("queue", "kind", "worker", "failure_kind"):
        await browse.values(column)


@contextmanager
def watched(monkeypatch: pytest.MonkeyPatch) -> Iterator[set[str]]:
    """Asks between all statements whether the transaction can write, and collects their files' names."""
    names: set[str] = set()
    read, load, fragment = Session.read, files.load, files.fragment

    async def reading(self: Session, statements: list[Bound], limits: Limits) -> list[Answer]:
        probed = [bound for statement in statements for bound in (statement, _PROBE)]
        answers = await read(self, [_PROBE, *probed], limits)
        assert {answer.rows[0][0] for answer in answers[::2]} == {"on"}
        for statement in statements:
            names.update(_TAG.findall(statement.statement.as_string(None)))
        return answers[1::2]

    def collecting(find: Callable[[str], sql.SQL]) -> Callable[[str], sql.SQL]:
        def found(name: str) -> sql.SQL:
            names.add(name)
            return find(name)

        return found

    with monkeypatch.context() as patch:
        patch.setattr(Session, "read", reading)
        patch.setattr(files, "load", collecting(load))
        patch.setattr(files, "fragment", collecting(fragment))
        yield names


def statement_files() -> set[str]:
    """The files of the three rooms."""
    return {
        f"{room}/{file.name.removesuffix('.sql')}"
        for room in ROOMS
        for file in files.folder().joinpath(room).iterdir()
    }
