"""Presets find their tables by columns and stored values; a name alone decides nothing."""

from __future__ import annotations

import pytest
from msgspec import structs

from queuetop.model.catalog import Catalog, Column, Index, Relation, RelationKind
from queuetop.model.detect import detect, with_relation
from queuetop.model.mapping import Mapping
from queuetop.model.mapping_toml import decode
from queuetop.model.stored import stored_values
from queuetop.store.files import folder

PRESETS: list[Mapping] = [
    decode(entry.read_text(encoding="utf-8"), entry.name)
    for entry in sorted(folder().joinpath("presets").iterdir(), key=lambda entry: entry.name)
    if entry.name.endswith(".toml")
]
TIME = "timestamp with time zone"
HOME_MADE = {
    "id": "bigint",
    "status": "text",
    "created_at": TIME,
    "next_attempt_at": TIME,
    "claimed_until": TIME,
    "attempts": "integer",
}


def table(name: str, columns: dict[str, str], *, schema: str = "public") -> Relation:
    built = tuple(Column(name=key, type=kind, base_type=kind) for key, kind in columns.items())
    return Relation(schema=schema, name=name, columns=built)


def home_made(
    name: str = "work", *, values: tuple[str, ...] = (), schema: str = "public"
) -> Relation:
    made = table(name, HOME_MADE, schema=schema)
    columns = [
        structs.replace(column, common_values=values) if column.name == "status" else column
        for column in made.columns
    ]
    return structs.replace(made, columns=tuple(columns))


def names(*relations: Relation) -> list[str]:
    return [match.mapping.name for match in detect(Catalog(relations=relations), PRESETS)]


@pytest.mark.parametrize(
    ("values", "preset"),
    (
        (("PENDING", "DONE"), "payment_task"),
        (("CLAIMED",), "payment_task"),
        (("NEW", "DONE"), "payment"),
        (("PROCESSING", "FAILED"), "payment"),
        (("queued",), "job"),
        (("retry_wait", "quarantined"), "job"),
    ),
)
def test_home_made_tables_are_told_apart_by_their_values(
    values: tuple[str, ...], preset: str
) -> None:
    assert names(home_made(values=values)) == [preset]


def test_a_value_that_no_preset_knows_leads_to_none() -> None:
    assert names(home_made(values=("PENDING", "ARCHIVED"))) == []


def test_values_that_several_share_are_offered() -> None:
    assert names(home_made(values=("DONE",))) == ["payment", "payment_task"]


def test_an_empty_table_is_offered_to_all_and_says_what_would_decide() -> None:
    matches = detect(Catalog(relations=(home_made(),)), PRESETS)
    assert [match.mapping.name for match in matches] == ["job", "payment", "payment_task"]
    assert {match.undecided for match in matches} == {"status"}


def test_the_name_decides_only_between_presets_that_fit() -> None:
    assert names(home_made("payment")) == ["payment"]
    assert names(home_made("payment", values=("PENDING",))) == ["payment_task"]
    assert names(table("payment", {"id": "bigint", "status": "text"})) == []


def test_values_known_later_decide() -> None:
    catalog = Catalog(relations=(home_made(), home_made("other", values=("queued",))))
    better = with_relation(catalog, home_made(values=("NEW",)))
    assert [match.mapping.name for match in detect(better, PRESETS)] == ["payment", "job"]


def test_values_are_known_without_a_row() -> None:
    status = Column(name="status", type="text", base_type="text", default="'PENDING'::text")
    index = Index(name="i", columns=("id",), predicate="(status = 'CLAIMED'::text)")
    made = home_made()
    columns = tuple(status if column.name == "status" else column for column in made.columns)
    assert names(structs.replace(made, columns=columns)) == ["payment_task"]
    assert names(structs.replace(made, indexes=(index,))) == ["payment_task"]


@pytest.mark.parametrize(
    ("predicate", "values"),
    (
        ("(status = 'NEW'::text)", ("NEW",)),
        ("((status)::text = 'it''s'::text)", ("it's",)),
        ("(status = ANY (ARRAY['A'::text, 'B'::text]))", ("A", "B")),
        (
            "((status)::text = ANY ((ARRAY['A'::character varying, 'B'::character varying])::text[]))",
            ("A", "B"),
        ),
        ("((kind = 'X'::text) AND (status <> 'DONE'::text))", ("DONE",)),
        ("((other_status = 'X'::text) OR (status_of = 'Y'::text))", ()),
        ("(status IS NOT NULL)", ()),
    ),
)  # fmt: skip
def test_literals_of_partial_indexes(predicate: str, values: tuple[str, ...]) -> None:
    made = structs.replace(
        home_made(), indexes=(Index(name="i", columns=("id",), predicate=predicate),)
    )
    column = made.column("status")
    assert column is not None
    assert stored_values(made, column) == values


def test_enum_labels_are_the_values() -> None:
    made = home_made(values=("whatever",))
    enum = Column(
        name="status",
        type="s",
        base_type="s",
        enum_labels=("queued", "running", "retry_wait", "succeeded", "quarantined"),
    )
    columns = tuple(enum if column.name == "status" else column for column in made.columns)
    assert names(structs.replace(made, columns=columns)) == ["job"]


GOOD_JOB = {
    "id": "uuid",
    "priority": "integer",
    **dict.fromkeys(("active_job_id", "serialized_params", "concurrency_key"), "text"),
    **dict.fromkeys(("cron_key", "queue_name", "job_class", "error"), "text"),
    **dict.fromkeys(("performed_at", "finished_at"), "timestamp without time zone"),
    **dict.fromkeys(("scheduled_at", "created_at"), "timestamp without time zone"),
}


def test_forbidden_columns_and_siblings() -> None:
    processes = table("good_job_processes", {"id": "uuid"})
    assert names(table("good_jobs", GOOD_JOB), processes) == ["good_job"]
    assert names(table("good_jobs", GOOD_JOB)) == []
    assert names(table("good_jobs", GOOD_JOB | {"arguments": "text"}), processes) == []
    elsewhere = table("good_job_processes", {"id": "uuid"}, schema="other")
    assert names(table("good_jobs", GOOD_JOB), elsewhere) == []


def test_only_tables_are_queues_of_a_library() -> None:
    view = structs.replace(home_made(values=("NEW",)), kind=RelationKind.VIEW)
    assert names(view) == []
    assert names(structs.replace(view, kind=RelationKind.PARTITIONED)) == ["payment"]


def test_a_match_is_bound() -> None:
    (match,) = detect(Catalog(relations=(home_made(values=("NEW",), schema="app"),)), PRESETS)
    assert match.mapping.table == "app.work"
    assert match.mapping.columns.queue is None
    assert match.relation.name == "work"
