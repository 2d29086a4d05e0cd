"""A mapping for an unknown table, guessed with reasons."""

from __future__ import annotations

import pytest

from queuetop.model.catalog import Catalog, Column, Index, Relation, RelationKind
from queuetop.model.guess import Confidence, candidates, guess
from queuetop.model.guess_words import COLUMNS, DOUBTFUL_COLUMNS, DOUBTFUL_STATUSES, STATUSES
from queuetop.model.mapping_toml import check, decode, encode

TIME = "timestamp with time zone"


def table(
    name: str,
    columns: dict[str, str],
    *,
    values: tuple[str, ...] = (),
    unique: str = "",
    kind: RelationKind = RelationKind.TABLE,
) -> Relation:
    built = tuple(
        Column(
            name=key,
            type=kind,
            base_type=kind,
            not_null=key == unique,
            common_values=values if "stat" in key.lower() or key == "phase" else (),
        )
        for key, kind in columns.items()
    )
    indexes = (Index(name=f"{name}_pkey", columns=(unique,), unique=True),) if unique else ()
    return Relation(schema="app", name=name, kind=kind, columns=built, indexes=indexes)


MAILS = table(
    "mail_jobs",
    {
        "id": "uuid",
        "jobStatus": "text",
        "lane": "text",
        "inserted_at": TIME,
        "execute_after": TIME,
        "locked_until": TIME,
        "retry_count": "integer",
        "max_retries": "integer",
        "lastError": "text",
        "error_code": "text",
        "body": "jsonb",
        "owner": "text",
        "started_at": "text",
    },
    values=("TODO", "In Progress", "complete", "dead", "Canceled", "weird"),
    unique="id",
)


def test_columns_by_name_and_type() -> None:
    found = guess(MAILS)
    assert found.mapping.columns.named() == {
        "id": "id",
        "status": "jobStatus",
        "created_at": "inserted_at",
        "ready_at": "execute_after",
        "lease_until": "locked_until",
        "attempts": "retry_count",
        "max_attempts": "max_retries",
        "queue": "lane",
        "worker": "owner",
        "failure_kind": "error_code",
        "failure_detail": "lastError",
        "payload": "body",
    }
    by_name = {column.name: column for column in found.columns}
    assert by_name["id"].confidence is Confidence.SURE
    assert by_name["created_at"].confidence is Confidence.LIKELY
    assert by_name["created_at"].reason == "created_at is often called inserted_at"
    assert by_name["worker"].confidence is Confidence.UNSURE


def test_stored_values_by_meaning() -> None:
    found = guess(MAILS)
    assert found.mapping.status.families() == {
        "waiting": ("TODO",),
        "claimed": ("In Progress",),
        "succeeded": ("complete",),
        "failed": ("dead",),
        "cancelled": ("Canceled",),
    }
    assert found.unnamed == ("weird",)
    assert found.complete
    assert found.looks_like_queue


def test_the_guess_is_a_mapping_that_holds() -> None:
    found = guess(MAILS)
    text = encode(found.mapping, found.notes(), head="Guessed.")
    assert "# weird: unsure, no rule names it; put it where it belongs" in text
    assert "unsure: called so, which can mean other things too" in text
    assert decode(text, "x") == found.mapping
    assert check(found.mapping, MAILS, Catalog(relations=(MAILS,))).table == "app.mail_jobs"


def test_numbers_are_asked_about_and_not_guessed() -> None:
    found = guess(
        table("jobs", {"id": "bigint", "state": "smallint"}, values=("0", "1", "-2"), unique="id")
    )
    assert found.unnamed == (0, 1, -2)
    assert not found.complete
    assert found.missing == (
        "what the values of state mean is not known (0, 1, -2): write them into [status]",
    )


def test_a_yes_or_no_can_be_the_status() -> None:
    found = guess(
        table("outbox", {"id": "bigint", "payload": "jsonb", "processed": "boolean"}, unique="id")
    )
    assert found.mapping.columns.status == "processed"
    assert found.mapping.status.families() == {"waiting": (False,), "succeeded": (True,)}
    assert {value.confidence for value in found.values} == {Confidence.UNSURE}
    assert found.complete


def test_what_is_missing_is_said() -> None:
    assert guess(table("t", {"a": "text"})).missing == (
        "no column tells jobs apart: set id in [columns]",
        "no column looks like a status: set status in [columns], or write [states] as predicates",
    )
    empty = guess(table("jobs", {"id": "bigint", "status": "text"}, unique="id"))
    assert empty.missing == ("no stored value of status is known: write them into [status]",)
    ended = guess(table("jobs", {"id": "bigint", "status": "text"}, values=("done",), unique="id"))
    assert ended.missing == ("no value of status stands for waiting work: set waiting in [status]",)


def test_the_id_is_what_is_unique() -> None:
    assert (
        guess(table("t", {"id": "text", "job_no": "bigint"}, unique="job_no")).mapping.columns.id
        == "job_no"
    )
    view = guess(table("v", {"id": "bigint"}, kind=RelationKind.VIEW))
    assert view.columns[0].confidence is Confidence.UNSURE
    assert guess(table("t", {"a": "text", "b": "text"})).mapping.columns.id is None


def test_a_column_serves_once() -> None:
    found = guess(
        table("t", {"id": "bigint", "error": "text", "type": "text", "created": TIME}, unique="id")
    )
    physical = list(found.mapping.columns.named().values())
    assert len(physical) == len(set(physical))


def test_a_prefix_of_the_table_is_no_part_of_the_name() -> None:
    found = guess(
        table(
            "invoices",
            {"invoice_id": "bigint", "invoice_status": "text", "invoices_created_at": TIME},
            values=("new",),
        )
    )
    assert found.mapping.columns.status == "invoice_status"
    assert found.mapping.columns.created_at == "invoices_created_at"


def test_tables_that_look_like_queues_come_first() -> None:
    orders = table(
        "orders",
        {"id": "bigint", "status": "text", "created_at": TIME, "name": "text"},
        values=("new", "shipped"),
        unique="id",
    )
    users = table(
        "users",
        {"id": "bigint", "state": "text", "created_at": TIME},
        values=("active",),
        unique="id",
    )
    log = table(
        "audit_events", {"id": "bigint", "payload": "jsonb", "created_at": TIME}, unique="id"
    )
    tasks = table(
        "task",
        {"id": "bigint", "status": "text", "created_at": TIME, "attempts": "integer"},
        values=("new", "doing", "done"),
        unique="id",
    )
    found = candidates(Catalog(relations=(orders, users, log, tasks, MAILS)))
    assert [each.relation.name for each in found] == ["mail_jobs", "task"]
    assert all(0 <= each.score <= 1 for each in found)


def test_hostile_names_and_values_stay_data() -> None:
    evil = table(
        'j"\n[status]\nwaiting=["x"]',
        {"id": "bigint", "status": "text"},
        values=("new", "\x1b]52;c;AA\x07", "x\n[alarms]"),
        unique="id",
    )
    found = guess(evil)
    text = encode(found.mapping, found.notes())
    assert "\x1b" not in text
    assert decode(text, "x") == found.mapping


@pytest.mark.parametrize(
    ("words", "doubtful"), ((COLUMNS, DOUBTFUL_COLUMNS), (STATUSES, DOUBTFUL_STATUSES))
)
def test_a_word_means_one_thing(
    words: dict[str, tuple[str, ...]], doubtful: frozenset[str]
) -> None:
    flat = [word for known in words.values() for word in known]
    assert len(flat) == len(set(flat))
    assert doubtful <= set(flat)
