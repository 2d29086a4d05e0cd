"""A mapping's file: what it may say, and how each mistake is named."""

# ruff: noqa: E501 - one case a line
from __future__ import annotations

import pytest

from queuetop.model.errors import Exit, MappingError
from queuetop.model.mapping import Mapping
from queuetop.model.mapping_toml import decode, encode
from queuetop.model.states import FailureClass, State
from queuetop.store.files import folder

WHOLE = """
schema = 1
name = "payment_task"
table = "public.payment_task"

[columns]
id = "id"
status = "status"
created_at = "created_at"
ready_at = "next_attempt_at"
lease_until = "claimed_until"
attempts = "attempts"
finished_at = "finished_at"
failed_at = "failed_at"
failure_kind = "failure_kind"
failure_detail = "failure_detail"
payload = "payload"

[status]
waiting = ["PENDING", "NEW"]
claimed = ["CLAIMED", "PROCESSING"]
succeeded = ["DONE"]
failed = ["FAILED"]

[failure_classes]
theirs = ["EXTERNAL_5XX"]
ours = ["VALIDATION", "NOT_FOUND"]
unknown_outcome = ["UNKNOWN_OUTCOME"]

[alarms]
oldest_pending = "5m"

[alarms.queues.reports]
oldest_pending = "1h"
"""

SHORT = """
schema = 1
name = "x"
[columns]
id = "id"
status = "status"
[status]
waiting = ["NEW"]
"""

PRESETS = {
    entry.name: entry.read_text(encoding="utf-8")
    for entry in folder().joinpath("presets").iterdir()
    if entry.name.endswith(".toml")
}


def refusal(text: str) -> str:
    with pytest.raises(MappingError) as caught:
        decode(text, "jobs.toml")
    assert caught.value.exit_code is Exit.USAGE
    sentence = caught.value.sentence
    assert "\n" not in sentence
    assert sentence.startswith("jobs.toml")
    return sentence.removeprefix("jobs.toml").removeprefix(": ")


def test_a_whole_mapping_is_decoded() -> None:
    mapping = decode(WHOLE, "jobs.toml")
    assert mapping.columns.ready_at == "next_attempt_at"
    assert mapping.status.claimed == ("CLAIMED", "PROCESSING")
    assert mapping.failure_classes.of("NOT_FOUND") is FailureClass.OURS
    assert mapping.alarms.seconds("oldest_pending") == 300
    assert mapping.alarms.seconds("oldest_pending", "reports") == 3600
    assert mapping.has("payload")
    assert not mapping.has("worker")


@pytest.mark.parametrize(
    ("change", "sentence"),
    (
        ("[columns]\ncreatd_at = 'x'", "[columns] creatd_at is not a key that queuetop knows; did you mean 'created_at'?"),
        ("tabel = 'x'", "tabel is not a key that queuetop knows; did you mean 'table'?"),
        ("[columns]\nid = 3", "[columns] id must be text in quotes, not a whole number"),
        ("[status]\nwaiting = 'NEW'", "[status] waiting must be a list, not text in quotes"),
        (
            "[status]\nwaiting = ['NEW', 1.5]",
            "[status] waiting item 2 must be text in quotes or a whole number or true or false, not a number",
        ),
        ("columns = 1", "columns must be a table, not a whole number"),
        ("[states.pendin]\nwhere = 'x'", "[states] pendin is not a name that queuetop knows; did you mean 'pending'?"),
        ("[states.pending]\nfrom = 'x'", "[states.pending] where is missing"),
        ("[states.pending]\nwhere = ''", "[states.pending] where must not be empty"),
        ("priority = 'hihg'", "priority cannot be 'hihg'; did you mean 'high'?"),
        ("about = 2026-01-01", "about must be text in quotes, not a date or time"),
        ("[[variants]]\nwhen = { colum = 'x' }", "[[variants]] 1 [when] colum is not a key that queuetop knows; did you mean 'column'?"),
        ("[[variants]]\n[[variants]]\nwhen = { column = 'x' }", "[[variants]] 1 when is missing"),
        ("[actions.requeue]\nby = 'rows'\nfile = 'x'", "[actions.requeue] by cannot be 'rows'; did you mean 'row'?"),
        (
            "[alarms.queues.\"a b\"]\noldest_pendin = '1h'",
            '[alarms.queues."a b"] oldest_pendin is not a key that queuetop knows; did you mean \'oldest_pending\'?',
        ),
    ),
)  # fmt: skip
def test_a_wrong_key_or_type_is_named_by_its_place(change: str, sentence: str) -> None:
    head = "schema = 1\nname = 'x'\n"
    assert refusal(head + change) == sentence


@pytest.mark.parametrize(
    ("text", "sentence"),
    (
        ("name = 'x'", "schema is missing"),
        ("schema = 2\nname = 'x'", "schema cannot be 2; there is only 1"),
        ("schema = true\nname = 'x'", "schema cannot be True; there is only 1"),
        ("schema = 1", "name is missing"),
        ("schema = 1\nname = ''", "name must not be empty"),
        ("schema = ", " is not TOML: Invalid value (at end of document)"),
        ("schema = 1\nname = 'x'\n[status]\nwaiting = ['NEW']", "[columns] id is missing; it names the column that tells jobs apart"),
        (
            "schema = 1\nname = 'x'\n[columns]\nid = 'id'\nstatus = 'status'",
            "neither [status] nor [states] says what state a job is in; name the stored values in [status]",
        ),
        (
            "schema = 1\nname = 'x'\n[columns]\nid = 'id'\n[status]\nwaiting = ['NEW']",
            "[columns] status is missing, but [status] names its values",
        ),
        ("schema = 1\nname = 'x'\n[columns]\nstatus = 's'\n[states.pending]\nwhere = 'true'", "[columns] id is missing; it names the column that tells jobs apart"),
    ),
)  # fmt: skip
def test_what_a_mapping_cannot_do_without(text: str, sentence: str) -> None:
    assert refusal(text) == sentence


@pytest.mark.parametrize(
    ("more", "sentence"),
    (
        ("failed = ['NEW']", "[status] has 'NEW' in both waiting and failed; a stored value means one thing"),
        ("[failure_classes]\nours = ['A']\ntheirs = ['A']", "[failure_classes] has 'A' in both theirs and ours; a kind has one class"),
        ("[alarms]\noldest_pending = '5 minutes'", "[alarms] oldest_pending: '5 minutes' is not a length of time; write it like 90s, 5m, 1h30m or 2d"),
        ("[alarms.queues.r]\nlongest_wait = '-5m'", "[alarms.queues.r] longest_wait: '-5m' is not a length of time; write it like 90s, 5m, 1h30m or 2d"),
        ("[keeps]\nsucceeded = 'never'", "[keeps] succeeded: 'never' is not a length of time; write it like 90s, 5m, 1h30m or 2d, or 'yes' or 'no'"),
        ("[pickup]\npoll = ''", "[pickup] poll: '' is not a length of time; write it like 90s, 5m, 1h30m or 2d"),
        ("[workers]\nfrom = 'w'\nname = 'n'\nalive_for = '1'", "[workers] alive_for: '1' is not a length of time; write it like 90s, 5m, 1h30m or 2d"),
        ("[expressions]\ncreated = 'now()'", "[expressions] created is not a column that queuetop knows; did you mean 'created_at'?"),
        ("[unavailable]\nworkers = 'x'", "[unavailable] workers is not a column that queuetop knows; did you mean 'worker'?"),
        ("[states.failed]\nwhere = 'true'\nexpressions = { faild_at = 'x' }", "[states.failed.expressions] faild_at is not a column that queuetop knows; did you mean 'failed_at'?"),
        ("[expressions]\nstatus = 'x'", "[columns] status is given by [expressions] too; keep one"),
        ("[optional_columns]\nid = 'x'", "[optional_columns] id is in [columns] too; keep one"),
        ("[states.failed]\nwhere = 'exists (select from {evnts})'\n[siblings]\nevents = 'e'", "[states.failed] where uses {evnts}, which [siblings] does not declare; did you mean 'events'?"),
        ("[source]\nfrom = 'x {} y'", "[source] from has {}, which is not a name; double braces that are literal"),
        ("[source]\nfrom = \"'{a:b}'\"", "[source] from has {a}, which is not a name; double braces that are literal"),
        ("[source]\nfrom = '{'", "[source] from has a single brace; double it where it is meant literally"),
        ("[source]\nfrom = \"x like 'a%'\"", "[source] from has a single percent sign; double it"),
        ("[siblings]\ntable = 'x'", "[siblings] table cannot be the name of a sibling; use one plain word"),
        ("[siblings]\nevents = '{name}_events'", "[siblings] events is '{name}_events'; it may fill in {table} and {stem} only"),
        ("[signature]\ncolumns = []", "[signature] columns must name the columns by which the table is known"),
        ("[signature]\ncolumns = ['a']\ntable = 'jobs'", "[signature] table must hold {stem} once; leave it out where the name is not fixed"),
        ("[actions.requeue]\nby = 'set'", "[actions] requeue must have one of file and unsupported"),
        ("[[variants]]\nwhen = {}", "[[variants]] 1 when asks for nothing; say what the catalogue must have"),
    ),
)  # fmt: skip
def test_what_no_catalogue_is_needed_for(more: str, sentence: str) -> None:
    assert refusal(SHORT + more) == sentence


@pytest.mark.parametrize(
    ("key", "sentence"),
    (
        ("time_zone = 'Europe/Berln'", "time_zone 'Europe/Berln' is not known; did you mean 'Europe/Berlin'?"),
        ("time_zone = '../../etc/passwd'", "time_zone '../../etc/passwd' is not known; "),
        ("table = 'a.b.c'", "table: 'a.b.c' is not the name of a table; write it like app.payment_task, "),
        ("table = ''", "table: '' is not the name of a table; "),
    ),
)  # fmt: skip
def test_top_level_values(key: str, sentence: str) -> None:
    assert refusal(key + SHORT).startswith(sentence)


def test_a_number_a_text_and_a_truth_are_different_stored_values() -> None:
    mapping = decode(
        SHORT.replace("['NEW']", "[0]").replace('["NEW"]', "[0]") + "succeeded = [1, true]", "x"
    )
    assert mapping.status.waiting == (0,)
    assert mapping.status.succeeded == (1, True)
    assert refusal(SHORT.replace('["NEW"]', "[1]") + "succeeded = ['1']").startswith(
        "[status] has '1' in both"
    )


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_every_preset_holds_and_survives_being_written(name: str) -> None:
    preset = decode(PRESETS[name], name)
    assert preset.name == name.removesuffix(".toml")
    assert preset.about
    assert preset.signature is not None
    assert decode(encode(preset), "again") == preset


def test_the_presets_that_ship() -> None:
    assert {
        "payment_task",
        "payment",
        "job",
        "procrastinate",
        "pgqueuer",
        "solid_queue",
        "good_job",
    } <= {name.removesuffix(".toml") for name in PRESETS}


def test_states_of_a_preset_are_states() -> None:
    preset = decode(PRESETS["good_job.toml"], "good_job.toml")
    assert isinstance(preset, Mapping)
    assert {State.PENDING, State.STALLED, State.CANCELLED} <= preset.states.keys()
