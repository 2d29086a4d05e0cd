"""``queuetop jobs`` and ``queuetop show``: the filter language, the window, every form."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime

import msgspec
import pytest

from queuetop.model.job_document import DetailDocument, JobDocument
from queuetop.model.jobs import Job
from queuetop.model.selection import Bound, Compare, Selection
from queuetop.model.states import FailureClass, State
from tests.cli.support import Opened, Run
from tests.ui.fakes import FakeWatch, make_jobs


def asked(opened: Opened) -> Selection:
    """The selection of the last call."""
    _, arguments = opened.watches[0].browse.calls[-1]
    assert isinstance(arguments, tuple)
    selection = arguments[0]
    assert isinstance(selection, Selection)
    return selection


def test_newest_first_with_the_window_on_stderr(cli: Run, opened: Opened) -> None:
    result = cli("jobs", "--limit", "3")
    lines = result.out.splitlines()
    assert lines[0].split()[:4] == ["ID", "STATE", "QUEUE", "KIND"]
    assert [line.split()[0] for line in lines[1:]] == ["40", "39", "38"]
    assert (
        result.err
        == "queuetop: the first 3 jobs of 40 (--limit all lists every one); looked at: all jobs\n"
    )
    assert result.code == 0


@pytest.mark.parametrize(
    ("arguments", "expected"),
    (
        (("state:failed",), Selection(states=(State.FAILED,))),
        (
            ("state:failed queue:mail", "timeout"),
            Selection(states=(State.FAILED,), queues=("mail",), words=("timeout",)),
        ),
        (("--state", "failed,stalled"), Selection(states=(State.FAILED, State.STALLED))),
        (
            ("--state", "failed", "--state", "stalled"),
            Selection(states=(State.FAILED, State.STALLED)),
        ),
        (("state:failed", "--state", "stalled"), Selection(states=(State.FAILED, State.STALLED))),
        (("--queue", "a,b"), Selection(queues=("a", "b"))),
        (("--queue", '"a,b"'), Selection(queues=("a,b",))),
        (("--kind", "send mail"), Selection(kinds=("send mail",))),
        (("--kind", 'we"ird [/]'), Selection(kinds=('we"ird [/]',))),
        (("--failure", "EXTERNAL_5XX"), Selection(failures=("EXTERNAL_5XX",))),
        (("--class", "unknown-outcome"), Selection(classes=(FailureClass.UNKNOWN_OUTCOME,))),
        (("--since", "1h30m"), Selection(since=Bound(ago_s=5400))),
        (("--until", "2026-01-31T12:00Z"), Selection(until=Bound(at="2026-01-31T12:00:00Z"))),
        (
            ("--attempts", ">3", "--attempts", "<=9"),
            Selection(attempts=(Compare(">", 3), Compare("<=", 9))),
        ),
        (("--attempts", "2"), Selection(attempts=(Compare("=", 2),))),
        (("--id", "42,43"), Selection(ids=("42", "43"))),
        (("--id", "-7"), Selection(ids=("-7",))),
        (("--worker", "w-1"), Selection(workers=("w-1",))),
    ),
)
def test_words_and_options_make_one_selection(
    cli: Run, opened: Opened, arguments: tuple[str, ...], expected: Selection
) -> None:
    cli("jobs", *arguments)
    assert asked(opened) == expected


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    (
        (("--state", "faild"), '--state: there is no state "faild"; did you mean failed?'),
        (("stat:failed",), "did you mean state?"),
        (("--since", "yesterday"), '--since: "yesterday" is not a time'),
        (("--since", "1h", "--since", "2h"), "--since is given twice"),
        (("since:1h", "--since", "2h"), "--since is given twice"),
        (("--attempts", ">x"), "--attempts: "),
        (("--queue", ""), "--queue needs a value"),
        (("--limit", "0"), "--limit: '0' is not a number of jobs"),
        (("--limit", "-3"), "--limit"),
        (("--sort", "creatd_at"), "did you mean 'created_at'?"),
        (("--json", "--csv"), "exclude each other"),
    ),
)
def test_wrong_use_is_said_before_anything_is_opened(
    cli: Run, opened: Opened, arguments: tuple[str, ...], complaint: str
) -> None:
    result = cli("jobs", *arguments)
    assert (result.code, result.out) == (2, "")
    assert complaint in result.err
    assert result.err.count("\n") == 1
    assert not opened.settings


@pytest.mark.parametrize("form", ((), ("--json",), ("--csv",)))
def test_nothing_matched_is_4(cli: Run, opened: Opened, form: tuple[str, ...]) -> None:
    result = cli("jobs", "queue:none", *form)
    assert result.code == 4
    assert result.err == "queuetop: nothing matches; looked at: all jobs\n"
    assert len(result.out.splitlines()) == (1 if form == ("--csv",) else 0)


def test_sorted_by_a_column(cli: Run, opened: Opened) -> None:
    ascending = cli("jobs", "--json", "--sort", "id").json_lines()
    descending = cli("jobs", "--json", "--sort", "-id").json_lines()
    assert [job["id"] for job in ascending] == [job["id"] for job in reversed(descending)]


def test_json_has_all_jobs_a_line_each(cli: Run, opened: Opened) -> None:
    opened.watches = [FakeWatch(jobs=make_jobs(450))]
    result = cli("jobs", "--json")
    assert len(result.json_lines()) == 450
    for line in result.out.splitlines():
        msgspec.json.decode(line, type=JobDocument)
    assert "450 jobs" in result.err


def test_a_limit_goes_over_pages_and_stops_inside_one(cli: Run, opened: Opened) -> None:
    opened.watches = [FakeWatch(jobs=make_jobs(1300))]
    assert len(cli("jobs", "--json", "--limit", "1201").json_lines()) == 1201
    assert len(cli("jobs", "--limit", "1201").out.splitlines()) == 1202
    assert len(cli("jobs", "--limit", "all").out.splitlines()) == 1301


FORMULA = '=HYPERLINK("http://evil";"x")'


def test_csv_is_safe_to_open(cli: Run, opened: Opened) -> None:
    hostile = Job(
        id="-7",
        state=State.FAILED,
        queue="@SUM(1)",
        kind='a,"b"␊c',
        priority=-3,
        created_at=datetime(2026, 1, 31, tzinfo=UTC),
        failure_kind="+1+cmd|' /C calc'!A0",
        failure_detail=FORMULA,
    )
    opened.watches = [FakeWatch(jobs=[hostile])]
    result = cli("jobs", "--csv")
    (row,) = csv.DictReader(io.StringIO(result.out))
    assert row["id"] == "-7"
    assert row["priority"] == "-3"
    assert row["queue"] == "'@SUM(1)"
    assert row["kind"] == hostile.kind
    assert row["failure_kind"] == f"'{hostile.failure_kind}"
    assert row["failure_detail"] == f"'{FORMULA}"
    assert row["finished_at"] == ""
    assert datetime.fromisoformat(row["created_at"]) == hostile.created_at


def test_several_tables_ask_for_one(cli: Run, opened: Opened) -> None:
    opened.watches = [FakeWatch(), FakeWatch()]
    result = cli("jobs")
    assert (result.code, result.out) == (2, "")
    assert "name one with --mapping or --table" in result.err


def test_show_has_everything(cli: Run, opened: Opened) -> None:
    result = cli("show", "4")
    assert (result.code, result.err) == (0, "")
    for told in (
        "public.payment_task 4  failed",
        "NULL",
        "at main()",
        '"amount": 12',
        "all 8 workers",
    ):
        assert told in result.out
    document = cli("show", "4", "--json")
    assert document.json()["job"]["id"] == "4"
    msgspec.json.decode(document.out, type=DetailDocument)


def test_show_what_is_not_there(cli: Run, opened: Opened) -> None:
    result = cli("show", "no\x1bsuch")
    assert (result.code, result.out) == (4, "")
    assert result.err == "queuetop: there is no job no␛such in public.payment_task\n"


def test_show_needs_an_id(cli: Run, opened: Opened) -> None:
    assert cli("show").code == 2


@pytest.mark.parametrize("command", ("jobs", "show"))
def test_schemas_need_no_server(cli: Run, command: str) -> None:
    assert '"$schema"' in cli(command, "--schema").out
