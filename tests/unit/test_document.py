"""The JSON that other programs read: every key, reasons instead of zeros, valid for every value."""

from __future__ import annotations

import json
import math
from typing import Any

import msgspec
import pytest
from msgspec import structs

from queuetop.model.document import SnapshotDocument, encode, schema, snapshot_document
from queuetop.model.job_document import (
    DetailDocument,
    JobDocument,
    detail_document,
    job_document,
)
from queuetop.model.jobs import Job
from queuetop.model.measure import Exactness, Measure
from queuetop.model.snapshot import Durations, Failures, Flow, Oldest, RetryRatio
from queuetop.model.states import State
from tests.ui.fakes import NOW, REF, make_detail, make_job, make_snapshot

GONE = Measure.unavailable("no column for finished_at")


def as_json(**overrides: Any) -> Any:
    return json.loads(encode(snapshot_document(make_snapshot(**overrides))))


def test_it_has_the_documented_keys_and_values() -> None:
    document = as_json()
    assert document["schema_version"] == 1
    assert document["taken_at"] == "2026-01-31T14:03:22Z"
    assert document["server"] | {"where": "", "role": ""} == {
        "version": "16.4",
        "standby": False,
        "database": "app",
        "where": "",
        "role": "",
    }
    assert document["mapping"] == {
        "name": "payment_task",
        "table": "public.payment_task",
        "source": "preset",
    }
    signals = document["signals"]
    oldest = signals["oldest_pending_age_s"]
    assert (oldest["value"], oldest["exactness"], oldest["job_id"]) == (1400.3, "exact", "42")
    assert signals["longest_wait_s"]["value"] == 242
    assert set(signals["states"]) == set(State)
    assert signals["states"]["pending"]["value"] == 5012
    assert signals["states"]["succeeded"]["exactness"] == "estimated"
    ratio = signals["retry_ratio"]
    assert [ratio[key] for key in ("value", "retried", "finished", "window_s")] == [
        0.097,
        1298,
        13400,
        3600,
    ]
    kind = signals["failure_kinds"][0]
    assert (kind["kind"], kind["class"], kind["count"]["value"]) == ("EXTERNAL_5XX", "theirs", 3312)
    assert kind["last_failed_at"] == "2026-01-31T14:03:10Z"
    assert kind["example"].startswith("HTTP 503")
    times = signals["durations_s"]
    assert [times[key] for key in ("p50", "p95", "p99", "sample")] == [0.2, 1.3, 2.9, 10_000]
    flow = signals["flow_per_s"]
    assert [flow[key] for key in ("arrived", "finished", "failed")] == [158, 120, 0.4]
    queue = document["queues"][0]
    assert (queue["queue"], queue["pending"]["value"]) == ("default", 4100)
    assert queue["oldest_pending_age_s"]["value"] == 1400.3
    cost = document["cost"]
    assert [cost[key] for key in ("round_trips", "db_ms", "budget_share", "skipped")] == [
        1,
        4.1,
        0.002,
        [],
    ]
    assert document["verdict"]["level"] == "critical"
    assert len(document["findings"]) == 3


def bare(**overrides: Any) -> Any:
    """What a mapping without times and failures gives."""
    given: dict[str, Any] = {
        "oldest_pending": Oldest(age_s=GONE),
        "longest_wait": Oldest(age_s=GONE),
        "states": {},
        "states_per_min": {},
        "unmapped": GONE,
        "retry_ratio": RetryRatio(share=GONE),
        "failures": Failures(kinds=(), total=GONE, last_hour=GONE, window=""),
        "durations": Durations(
            run_p50=GONE,
            run_p95=GONE,
            run_p99=GONE,
            wait_p50=GONE,
            wait_p95=GONE,
            wait_p99=GONE,
            sample=0,
            window="",
        ),
        "flow": Flow(
            arrived=GONE, finished=GONE, failed=GONE, window_s=60.0, drain_s=None, drain="unknown"
        ),
        "queues": (),
        "clock_skew_s": None,
    }
    return as_json(**(given | overrides))


def keys(value: object, path: str = "") -> set[str]:
    """Every key by its path. What is unavailable has other keys inside, and lists may be empty."""
    if not isinstance(value, dict):
        return set()
    return {f"{path}.{key}" for key in value}.union(
        *(keys(inner, f"{path}.{key}") for key, inner in value.items() if key != "states_per_min")
    )


def test_every_key_is_there_when_the_mapping_gives_nothing() -> None:
    rich = {
        key for key in keys(as_json()) if "flow_per_s." not in key and "durations_s." not in key
    }
    assert rich <= keys(bare())
    assert set(bare()["signals"]["states"]) == set(State)


def test_what_is_not_there_says_why() -> None:
    signals = bare()["signals"]
    unavailable = {
        "value": None,
        "exactness": "unavailable",
        "why": "no column for finished_at",
    }
    for number in (
        signals["oldest_pending_age_s"],
        signals["retry_ratio"],
        signals["unmapped"],
        signals["gave_up"]["total"],
        signals["failure_kinds"],
        signals["durations_s"]["p95"],
        signals["durations_s"]["wait"]["p50"],
        signals["flow_per_s"]["finished"],
    ):
        assert {key: number[key] for key in unavailable} == unavailable
    assert signals["states"]["blocked"]["why"] == "the mapping has no state blocked"


def test_no_failure_is_an_empty_list() -> None:
    none = Failures(kinds=(), total=Measure.exact(0), last_hour=Measure.exact(0), window="all")
    assert as_json(failures=none)["signals"]["failure_kinds"] == []


@pytest.mark.parametrize("value", (math.nan, math.inf, -math.inf))
def test_what_json_cannot_write_is_unavailable(value: float) -> None:
    document = as_json(
        oldest_pending=Oldest(age_s=Measure.exact(value)), clock_skew_s=value, states_per_min={}
    )
    number = document["signals"]["oldest_pending_age_s"]
    assert (number["value"], number["exactness"]) == (None, "unavailable")
    assert number["why"]
    assert document["clock_skew_s"] is None


def test_a_measure_keeps_its_exactness_its_age_and_its_limit() -> None:
    capped = Measure.counted(10_001, cap=10_000, why="counting stopped", taken_at=NOW)
    old = structs.replace(capped, taken_at=NOW.replace(minute=0), stale=True)
    number = as_json(unmapped=old)["signals"]["unmapped"]
    assert number == {
        "value": 10_000,
        "exactness": Exactness.CAPPED,
        "why": "counting stopped",
        "age_s": 180.0,
        "stale": True,
    }


@pytest.mark.parametrize("overrides", ({}, {"states": {}, "queues": ()}))
def test_the_schema_describes_what_is_written(overrides: dict[str, Any]) -> None:
    line = encode(snapshot_document(make_snapshot(**overrides)))
    assert b"\n" not in line
    msgspec.json.decode(line, type=SnapshotDocument)
    described = schema(SnapshotDocument)
    root = described["$defs"]["SnapshotDocument"]
    assert described["$schema"].endswith("2020-12/schema")
    assert set(root["required"]) == set(root["properties"]) == set(json.loads(line))


@pytest.mark.parametrize("document", (SnapshotDocument, JobDocument, DetailDocument))
def test_a_schema_refers_only_to_what_it_has(document: type[msgspec.Struct]) -> None:
    described = schema(document)
    text = json.dumps(described)
    references = {part.split('"')[0] for part in text.split('"#/$defs/')[1:]}
    assert references <= set(described["$defs"])
    for part in described["$defs"].values():
        if part.get("type") == "object" and "properties" in part:
            assert set(part.get("required", ())) == set(part["properties"])


def test_a_job_has_every_key() -> None:
    full = json.loads(encode(job_document(make_job(4))))
    empty = json.loads(encode(job_document(Job(id="x", state=None))))
    assert set(full) == set(empty) == {"schema_version", *Job.__struct_fields__}
    assert full["failure_class"] == "unknown-outcome"
    assert full["failed_at"].endswith("Z")
    assert empty["state"] is None


def test_hostile_text_stays_text() -> None:
    text = '\u2028"\\</script>[/]�␛]52;c;x\U0001f4a9'
    line = encode(job_document(Job(id=text, state=State.FAILED, failure_detail=text)))
    assert json.loads(line)["failure_detail"] == text
    assert msgspec.json.decode(line, type=JobDocument).id == text


def test_a_detail_has_fields_and_reasons() -> None:
    detail = json.loads(encode(detail_document(make_detail(make_job(4)), REF)))
    assert detail["mapping"]["table"] == "public.payment_task"
    assert detail["job"]["id"] == "4"
    assert detail["fields"][-1] == {"name": "note", "type": "text", "value": None, "cut": False}
    assert detail["failure_text"].endswith("at main()")
    assert len(detail["why_waiting"]) == 2
