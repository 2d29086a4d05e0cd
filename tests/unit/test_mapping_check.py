"""A mapping against the catalogue."""

from __future__ import annotations

import pytest

from queuetop.model.catalog import Catalog, Column, Relation, RelationKind
from queuetop.model.errors import MappingError
from queuetop.model.mapping import Mapping
from queuetop.model.mapping_toml import check, decode
from queuetop.model.states import State

STATUS = Column(
    name="status", type="job_status", base_type="job_status", enum_labels=("NEW", "DONE")
)


def column(name: str, kind: str = "text", **more: object) -> Column:
    return Column(name=name, type=kind, base_type=kind, **more)  # type: ignore[arg-type]


def relation(
    *columns: Column, name: str = "jobs", kind: RelationKind = RelationKind.TABLE
) -> Relation:
    return Relation(schema="app", name=name, kind=kind, columns=(column("id", "bigint"), *columns))


def mapping(more: str = "", columns: str = "status = 'status'") -> Mapping:
    return decode(
        f"schema = 1\nname = 'jobs'\n{{top}}\n[columns]\nid = 'id'\n{columns}\n"
        f"[status]\nwaiting = ['NEW']\n{more}".replace("{top}", ""),
        "jobs.toml",
    )


def bound(
    what: Mapping, to: Relation, *others: Relation, functions: tuple[str, ...] = ()
) -> Mapping:
    return check(what, to, Catalog(relations=(to, *others), functions=frozenset(functions)))


def refusal(what: Mapping, to: Relation, *others: Relation) -> str:
    with pytest.raises(MappingError) as caught:
        bound(what, to, *others)
    return caught.value.sentence


def test_it_is_bound_to_its_table() -> None:
    assert bound(mapping(), relation(STATUS)).table == "app.jobs"
    assert bound(mapping(), relation(STATUS, name="My.Jobs")).table == 'app."My.Jobs"'


@pytest.mark.parametrize("kind", list(RelationKind))
def test_any_kind_of_relation_will_do(kind: RelationKind) -> None:
    assert bound(mapping(), relation(STATUS, kind=kind)).columns.id == "id"


def test_a_missing_column_is_named_with_the_nearest() -> None:
    assert refusal(mapping(columns="status = 'state'"), relation(STATUS)) == (
        "mapping jobs: [columns] status is 'state', which app.jobs does not have; did you mean 'status'?"
    )
    assert refusal(mapping(), Relation(schema="app", name="jobs")).endswith("there are no columns")


def test_optional_columns_are_taken_where_they_are() -> None:
    what = mapping("[optional_columns]\nqueue = 'lane'\nattempts = 'tries'")
    found = bound(what, relation(STATUS, column("tries", "integer")))
    assert found.columns.attempts == "tries"
    assert found.columns.queue is None
    assert not found.optional_columns.named()


def test_a_time_must_be_a_time_and_a_number_a_number() -> None:
    epoch = relation(STATUS, column("ts", "bigint"))
    assert refusal(mapping(columns="status = 'status'\ncreated_at = 'ts'"), epoch) == (
        "mapping jobs: [columns] created_at is 'ts' of app.jobs, which is bigint and not a time; "
        'give it in [expressions], for example created_at = "to_timestamp(j.ts)"'
    )
    words = relation(STATUS, column("tries"))
    assert "not a number" in refusal(
        mapping(columns="status = 'status'\nattempts = 'tries'"), words
    )
    naive = relation(
        STATUS, column("at", "timestamp without time zone"), column("n", "numeric(10,0)")
    )
    found = bound(mapping(columns="status = 'status'\ncreated_at = 'at'\nattempts = 'n'"), naive)
    assert found.columns.attempts == "n"


def test_a_value_that_the_status_cannot_hold() -> None:
    assert refusal(mapping("failed = ['DNOE']"), relation(STATUS)) == (
        "mapping jobs: [status] failed has 'DNOE', but 'status' of app.jobs is the enum job_status "
        "without it; did you mean 'DONE'?"
    )
    assert "give whole numbers" in refusal(mapping(), relation(column("status", "smallint")))
    assert "true and false" in refusal(mapping(), relation(column("status", "boolean")))
    numbered = decode(
        "schema = 1\nname = 'n'\n[columns]\nid = 'id'\nstatus = 's'\n"
        "[status]\nwaiting = [0, '-1']\nfailed = [1]",
        "n.toml",
    )
    found = bound(numbered, relation(column("s", "smallint")))
    assert found.status.waiting == (0, "-1")


def test_siblings_get_their_names_and_must_be_there() -> None:
    what = mapping(
        "[siblings]\nlog = '{table}_log'\nunused = 'nowhere'\n"
        "[expressions]\ncreated_at = '(select min(l.at) from {log} as l)'"
    )
    log = Relation(schema="app", name="jobs_log")
    assert bound(what, relation(STATUS), log).siblings["log"] == "jobs_log"
    assert refusal(what, relation(STATUS), Relation(schema="app", name="jobs_logs")) == (
        "mapping jobs: expressions.created_at reads app.jobs_log, which is not there; "
        "did you mean 'jobs_logs'?"
    )


def test_the_stem_of_a_name_that_the_library_forms() -> None:
    what = mapping(
        "[signature]\ncolumns = ['id']\ntable = 'q_{stem}'\n[siblings]\narchive = 'a_{stem}'\n"
        "[expressions]\nqueue = '{stem}'\nresult_key = '(select 1 from {archive})'"
    )
    queue, archive = relation(STATUS, name="q_mail"), Relation(schema="app", name="a_mail")
    found = bound(what, queue, archive)
    assert found.siblings["archive"] == "a_mail"
    assert found.stem("q_mail") == "mail"
    assert found.stem("other") == "other"


VARIANTS = """
[unavailable]
attempts = "not counted"
worker = "not known"

[expressions]
worker = "'nobody'"

[states.blocked]
where = "false"

[[variants]]
when = { column = "tries" }
columns = { attempts = "tries" }

[[variants]]
when = { column = "errors", type = "jsonb[]" }
expressions = { failure_detail = "j.errors[1]->>'error'" }

[[variants]]
when = { column = "errors", type = "jsonb" }
expressions = { failure_detail = "j.errors->-1->>'error'" }

[[variants]]
when = { no_column = "locked_by" }
without_states = ["blocked"]

[[variants]]
when = { column = "locked_by" }
columns = { worker = "locked_by" }

[[variants]]
when = { enum_label = "DONE", function = "retry_job_v2" }
[variants.actions.requeue]
file = "requeue"

[[variants]]
when = { relation = "{table}_workers" }
[variants.siblings]
workers = "{table}_workers"
[variants.workers]
from = "{workers} as w"
name = "w.id"
"""


def test_variants_follow_what_the_catalogue_has() -> None:
    what = mapping(VARIANTS)
    poor = bound(what, relation(STATUS))
    assert poor.columns.attempts is None
    assert poor.unavailable["attempts"] == "not counted"
    assert poor.expressions == {"worker": "'nobody'"}
    assert State.BLOCKED not in poor.states
    assert not poor.actions
    assert poor.workers is None
    assert poor.variants == ()

    rich = bound(
        what,
        relation(
            STATUS, column("tries", "integer"), column("errors", "jsonb[]"), column("locked_by")
        ),
        Relation(schema="app", name="jobs_workers"),
        functions=("app.retry_job_v2",),
    )
    assert rich.columns.attempts == "tries"
    assert rich.columns.worker == "locked_by"
    assert rich.expressions == {"failure_detail": "j.errors[1]->>'error'"}
    assert rich.unavailable == {}
    assert State.BLOCKED in rich.states
    assert rich.actions["requeue"].file == "requeue"
    assert rich.workers is not None

    array = bound(what, relation(STATUS, column("errors", "jsonb")))
    assert "->-1" in array.expressions["failure_detail"]


def test_hostile_names_are_shown_harmless() -> None:
    evil = relation(STATUS, column("sta\x1b[31mtus"), name="jo\x1bbs")
    sentence = refusal(
        mapping(columns="status = 'sta\x1b[31mtu'".replace("\x1b", "\\u001b").replace("'", '"')),
        evil,
    )
    assert "\x1b" not in sentence
