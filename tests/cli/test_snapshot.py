"""``queuetop snapshot``, and ``queuetop`` where stdout is no terminal: text, JSON, one for each poll."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import msgspec
import pytest

from queuetop.model.document import SnapshotDocument
from queuetop.model.errors import StoreError, StoreFault
from queuetop.model.measure import Measure
from queuetop.model.snapshot import Link, LinkState, MappingRef, Snapshot
from queuetop.model.states import State
from tests.cli.support import Opened, Run
from tests.ui.fakes import (
    KINDS,
    FakeWatch,
    healthy_snapshot,
    make_snapshot,
    queue_line,
    states,
)

HOSTILE = '[/] [@click=app.quit]x␛]52;c;aGk=␇ 100%s we"ird'


def test_the_verdict_comes_first_then_the_numbers(cli: Run, opened: Opened) -> None:
    result = cli("snapshot")
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert lines[0].startswith(
        "payment_task · db1:5432/app · PG 16.4 primary · 2026-01-31 14:03:22Z"
    )
    assert lines[1].startswith("◆ CRITICAL  Workers cannot keep up")
    for told in ("23m 20s", "5 012", "~9 974 842", "1 298 of 13 400", "EXTERNAL_5XX NEW", "paused"):
        assert told in result.out
    assert "cost  1 round trip · 4.1 ms on the server" in result.out
    assert "\x1b" not in result.out


def test_without_a_terminal_queuetop_alone_is_a_snapshot(cli: Run, opened: Opened) -> None:
    alone = cli().out
    assert opened.watches[0].closed
    opened.watches = [FakeWatch()]
    assert alone == cli("snapshot").out


@pytest.mark.parametrize("columns", ("40", "80", "100", "120", "400"))
def test_no_line_is_longer_than_the_width(
    cli: Run, opened: Opened, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    long = "x" * 300
    monkeypatch.setenv("COLUMNS", columns)
    snapshot = make_snapshot(
        queues=(queue_line(long), queue_line("待ち行列" * 30)),
        failures=msgspec.structs.replace(
            make_snapshot().failures,
            kinds=(msgspec.structs.replace(KINDS[0], kind=long, example=long),),
        ),
        mapping=MappingRef(name=long, table=f"public.{long}", source="file"),
    )
    opened.watches = [FakeWatch([snapshot])]
    from rich.cells import cell_len

    widest = max(cell_len(line) for line in cli("snapshot").out.splitlines())
    # A number is never cut: where forty columns are too few, lines are longer.
    assert widest <= max(74, min(int(columns), 140))


def test_numbers_are_never_cut(cli: Run, opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    huge = Measure.counted(10**12 + 1, cap=10**12)
    opened.watches = [FakeWatch([make_snapshot(states=states(pending=huge, running=huge))])]
    assert cli("snapshot").out.count("1 000 000 000 000+") == 2


def test_what_is_unknown_says_why(cli: Run, opened: Opened) -> None:
    gone = Measure.unavailable("no column for attempts")
    ratio = msgspec.structs.replace(make_snapshot().retry_ratio, share=gone)
    opened.watches = [FakeWatch([make_snapshot(retry_ratio=ratio)])]
    (line,) = [line for line in cli("snapshot").out.splitlines() if "retry ratio" in line]
    assert line.split() == ["retry", "ratio", "–", "no", "column", "for", "attempts"]


def test_a_healthy_queue_has_one_verdict_and_no_marks(cli: Run, opened: Opened) -> None:
    opened.watches = [FakeWatch([healthy_snapshot()])]
    out = cli("snapshot").out
    assert "● FINE" in out
    assert "WARNING" not in out
    assert "CRITICAL" not in out


def test_hostile_names_are_text(cli: Run, opened: Opened) -> None:
    failures = msgspec.structs.replace(
        make_snapshot().failures,
        kinds=(msgspec.structs.replace(KINDS[0], kind="[/]", example=HOSTILE),),
    )
    opened.watches = [
        FakeWatch([make_snapshot(queues=(queue_line("[bold]q"),), failures=failures)])
    ]
    out = cli("snapshot").out
    for text in ("[bold]q", "[/]", HOSTILE):
        assert text in out


def test_a_locale_without_our_glyphs_is_no_error(
    cli: Run, opened: Opened, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "out"
    with file.open("w", encoding="ascii") as ascii_only:
        monkeypatch.setattr(sys, "stdout", ascii_only)
        assert cli("snapshot").code == 0
    assert "? CRITICAL  Workers cannot keep up" in file.read_text()


def test_json_is_one_line_that_the_schema_describes(cli: Run, opened: Opened) -> None:
    result = cli("snapshot", "--json")
    assert result.code == 0
    assert result.json()["signals"]["states"]["pending"]["value"] == 5012
    msgspec.json.decode(result.out, type=SnapshotDocument)


def test_several_tables_give_one_snapshot_each(cli: Run, opened: Opened) -> None:
    other = MappingRef(name="job", table="public.job", source="preset")

    def two() -> list[FakeWatch]:
        return [FakeWatch(), FakeWatch([make_snapshot(mapping=other)], ref=other)]

    opened.watches = two()
    lines = cli("snapshot", "--json").json_lines()
    assert [line["mapping"]["name"] for line in lines] == ["payment_task", "job"]
    opened.watches = two()
    assert cli("snapshot").out.count("CRITICAL") == 2


def test_the_schema_needs_no_server(cli: Run) -> None:
    result = cli("snapshot", "--schema")
    assert result.code == 0
    schema = json.loads(result.out)
    assert set(State) == set(schema["$defs"]["State"]["enum"])


def test_watch_prints_every_poll_and_tells_of_the_link(cli: Run, opened: Opened) -> None:
    script: list[Snapshot | LinkState | Exception] = [
        LinkState(link=Link.CONNECTING),
        make_snapshot(seq=1),
        LinkState(link=Link.STALE, sentence="db1 closed the connection", retry_in_s=4.0),
        make_snapshot(seq=2),
        ScriptEndError(),
    ]
    opened.watches = [FakeWatch(script)]
    result = cli("snapshot", "--watch", "--json")
    assert len(result.json_lines()) == 2
    assert "payment_task: db1 closed the connection; next try in 4s" in result.err
    assert result.code == 3
    assert opened.watches[0].closed


class ScriptEndError(StoreError):
    """A real watch goes on for ever; this ends the script."""

    def __init__(self) -> None:
        super().__init__(StoreFault.LOST, "the script is over")


def test_a_link_that_fails_before_the_first_snapshot_is_an_error(cli: Run, opened: Opened) -> None:
    opened.watches = [FakeWatch([LinkState(link=Link.STALE, sentence="cannot reach db1:5432/app")])]
    result = cli("snapshot")
    assert (result.code, result.out) == (3, "")
    assert result.err == "queuetop: cannot reach db1:5432/app\n"
