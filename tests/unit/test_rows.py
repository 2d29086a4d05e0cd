"""Jobs as text for other programs: what is written reads back, and nothing in it is run."""

from __future__ import annotations

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from queuetop.model.jobs import Job
from queuetop.model.states import State
from queuetop.ui.rows import COLUMNS, cell, csv_header, csv_rows, inert, json_rows, sentence, tsv
from tests.ui.fakes import make_job, make_jobs

HOSTILE = ("[/]", 'a"b', "a,b", "x\r\ny", "=cmd|' /C calc'!A0", "長い", "", "'", "a\tb", "\ud800x")


def read_csv(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_csv_reads_back_as_written() -> None:
    jobs = make_jobs(50)
    rows = read_csv(csv_header() + csv_rows(jobs))
    assert [row["id"] for row in rows] == [job.id for job in jobs]
    for row, job in zip(rows, jobs, strict=True):
        assert list(row) == list(COLUMNS)
        assert row == {name: inert(cell(job, name)) for name in COLUMNS}


@given(st.text())
def test_any_text_survives_csv(text: str) -> None:
    (row,) = read_csv(csv_header() + csv_rows([Job(id="1", state=None, failure_detail=text)]))
    written = row["failure_detail"]
    assert written.removeprefix("'") == text.removeprefix("'") or written == text
    assert not written.startswith(("=", "+", "-", "@")) or written.lstrip("-").isdigit()


@pytest.mark.parametrize(
    "text", ("=1+1", "+cmd", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "＝1", "-", "--1")
)
def test_formulas_are_made_plain(text: str) -> None:
    assert inert(text) == f"'{text}"


@pytest.mark.parametrize("text", ("-5", "-5.25", "42", "a=b", "", "2026-01-01"))
def test_numbers_and_plain_text_stay(text: str) -> None:
    assert inert(text) == text


def test_json_lines_are_valid_and_whole() -> None:
    jobs = [structs.replace(make_job(1), id=f"id {text}", payload=text) for text in HOSTILE]
    lines = json_rows(jobs).encode("utf-8").decode().split("\n")
    assert lines.pop() == ""
    found = [json.loads(line) for line in lines]
    clean = [text.replace("\ud800", "�") for text in HOSTILE]
    assert [each["payload"] for each in found] == clean
    assert found[0]["created_at"].endswith("Z")
    assert json_rows([]) == ""


def test_a_table_to_paste_has_the_columns_that_say_something() -> None:
    jobs = [
        Job(id="1", state=State.FAILED, failure_detail="=a\tb\nc"),
        Job(id="2", state=State.PENDING, queue="mail"),
    ]
    assert tsv(jobs).split("\n") == [
        "id\tstate\tqueue\tfailure_detail",
        "1\tfailed\t\t'=a b c",
        "2\tpending\tmail\t",
        "",
    ]


def test_a_job_in_a_sentence() -> None:
    job = make_job(42)
    text = sentence(structs.replace(job, state=State.FAILED, failure_detail="x\ud800"))
    assert text == "job 42 · failed · queue default · kind send mail · attempts 0 · x�"
    assert sentence(Job(id="1", state=None)) == "job 1 · unmapped"
