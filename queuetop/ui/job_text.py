"""A job whole, as passages to read and as text to copy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from rich.cells import cell_len

from queuetop.model.durations import show_duration
from queuetop.model.jobs import Job, JobDetail
from queuetop.model.mapping import Mapping
from queuetop.model.numbers import show_count
from queuetop.model.states import ENDED, State
from queuetop.ui.marks import CLASS_MEANING, STATE_GLYPHS, STATES, mark
from queuetop.ui.times import TimeMode, show_moment
from queuetop.ui.widgets.reader import Passage, Piece

#: Characters and lines of one value that are shown; copying takes all of it.
SHOWN = 100_000
LINES = 3_000
#: From this width on what the job is and when stand side by side.
WIDE = 110
_LABEL = 14
_BLANK = Passage()


def read(
    detail: JobDetail, mapping: Mapping, mode: TimeMode, *, width: int, whole: bool = False
) -> list[Passage]:
    """What the screen shows, the answer to the likeliest question first."""
    return [
        *_why(detail),
        *_facts(detail, mode, width),
        *_failure(detail, whole),
        *_text("PAYLOAD", detail.payload_text, whole, json=True),
        *_columns(detail, mapping, whole),
    ]


def copied(detail: JobDetail, mapping: Mapping, mode: TimeMode) -> str:
    """The same as text, nothing cut."""
    passages = read(detail, mapping, mode, width=0, whole=True)
    return "\n".join(passage.plain.rstrip() for passage in passages).strip() + "\n"


def summary(job: Job) -> list[Piece]:
    """The job in a line: state, where it belongs, attempts."""
    parts = [state_piece(job.state)]
    parts += [Piece(f"queue {job.queue}")] if job.queue is not None else []
    parts += [Piece(f"kind {job.kind}")] if job.kind is not None else []
    attempts = attempts_text(job)
    parts += [Piece(f"attempts {attempts}")] if attempts else []
    return parts


def state_piece(state: State | None) -> Piece:
    if state is None:
        return Piece("? unmapped", "warning", bold=True)
    level = STATES.get(state)
    role = mark(level).paint if level else "muted" if state in ENDED else "text"
    return Piece(f"{STATE_GLYPHS[state]} {state}", role, bold=level is not None)


def attempts_text(job: Job) -> str:
    if job.attempts is None:
        return ""
    return str(job.attempts) + (f" of {job.max_attempts}" if job.max_attempts is not None else "")


def _why(detail: JobDetail) -> Iterator[Passage]:
    """Why it is not running, before all else."""
    if not detail.why_waiting:
        return
    yield _title("WHY IT IS NOT RUNNING")
    for index, reason in enumerate(detail.why_waiting):
        sign = Piece("  ▸ ", "accent") if index == 0 else Piece("    ")
        yield Passage((sign, Piece(reason, "text", bold=index == 0)), hang=4)
    yield _BLANK


def _facts(detail: JobDetail, mode: TimeMode, width: int) -> Iterator[Passage]:
    left = [_title("JOB"), *_identity(detail.job)]
    right = [_title("TIMES"), *_times(detail, mode)]
    if width < WIDE:
        yield from (*left, _BLANK, *right, _BLANK)
        return
    half = width // 2
    for index in range(max(len(left), len(right))):
        pieces = list(left[index].pieces) if index < len(left) else []
        plain = "".join(piece.text for piece in pieces)
        if cell_len(plain) > half - 2:
            pieces = [Piece(_shortened(plain, half - 2))]
            plain = pieces[0].text
        pieces.append(Piece(" " * (half - cell_len(plain))))
        beside = right[index].pieces if index < len(right) else ()
        yield Passage((*pieces, *beside), head=index == 0)
    yield _BLANK


def _identity(job: Job) -> Iterator[Passage]:
    yield _line("id", Piece(job.id, bold=True))
    yield _line("state", state_piece(job.state))
    attempts = attempts_text(job)
    if attempts and job.requeues:
        attempts += f", requeued {job.requeues} times"
    known = (
        ("queue", job.queue),
        ("kind", job.kind),
        ("attempts", attempts or None),
        ("priority", job.priority),
        ("worker", job.worker),
        ("idempotency", job.idempotency_key),
        ("result", job.result_key),
    )
    for name, value in known:
        if value is not None:
            yield _line(name, Piece(str(value)))


def _times(detail: JobDetail, mode: TimeMode) -> Iterator[Passage]:
    job, now = detail.job, detail.taken_at
    moments = (
        ("created", job.created_at),
        ("ready", job.ready_at),
        ("started", job.started_at),
        ("lease until", job.lease_until),
        ("finished", job.finished_at),
        ("failed", job.failed_at),
    )
    for name, moment in moments:
        if moment is not None:
            late = name == "lease until" and job.state is State.STALLED
            yield _line(name, Piece(show_moment(moment, mode, now), "warning" if late else "text"))
    for name, seconds, means in _durations(job, now):
        yield _line(name, Piece(show_duration(seconds)), Piece(f"   {means}", "muted"))


def _durations(job: Job, now: datetime) -> Iterator[tuple[str, float, str]]:
    """The lengths that the times make, with what each is measured between."""
    ended = max((m for m in (job.finished_at, job.failed_at) if m is not None), default=None)
    due = max((m for m in (job.created_at, job.ready_at) if m is not None), default=None)
    if job.started_at is not None and due is not None and job.started_at >= due:
        yield "waited", (job.started_at - due).total_seconds(), "from ready to started"
    elif job.state is State.PENDING and due is not None and due <= now:
        yield "waits", (now - due).total_seconds(), "since it was ready"
    if job.started_at is not None and job.state in {State.RUNNING, State.STALLED}:
        yield "runs", (now - job.started_at).total_seconds(), "since it was started"
    elif job.started_at is not None and ended is not None and ended >= job.started_at:
        yield "ran", (ended - job.started_at).total_seconds(), "from started to its end"
    if job.created_at is not None and ended is not None and ended >= job.created_at:
        yield "in all", (ended - job.created_at).total_seconds(), "from created to its end"


def _failure(detail: JobDetail, whole: bool) -> Iterator[Passage]:
    job = detail.job
    if job.failure_kind is None and not detail.failure_text:
        return
    title = _title("FAILURE" if job.state in ENDED else "LAST FAILURE")
    pieces = [*title.pieces]
    if job.failure_kind:
        pieces.append(Piece(f"  {job.failure_kind}", bold=True))
    if job.failure_class is not None:
        meaning = f"  {job.failure_class}: {CLASS_MEANING[job.failure_class]}"
        pieces.append(Piece(meaning, "muted"))
    yield Passage(tuple(pieces), hang=2, head=True)
    yield from _value(detail.failure_text, whole)
    yield _BLANK


def _text(title: str, text: str | None, whole: bool, *, json: bool = False) -> Iterator[Passage]:
    if text is None:
        return
    yield _title(title)
    yield from _value(text, whole, json=json)
    yield _BLANK


def _columns(detail: JobDetail, mapping: Mapping, whole: bool) -> Iterator[Passage]:
    """Every physical column; the two that are shown above whole are not shown twice."""
    above = {
        mapping.columns.payload: detail.payload_text,
        mapping.columns.failure_detail: detail.failure_text,
    }
    yield _title("COLUMNS")
    names = max((cell_len(field.name) for field in detail.fields), default=0)
    types = max((cell_len(field.type) for field in detail.fields), default=0)
    names, types = min(names, 30), min(types, 27)
    for field in detail.fields:
        head = (
            Piece(f"  {_padded(field.name, names)}  "),
            Piece(f"{_padded(field.type, types)}  ", "muted"),
        )
        hang = names + types + 6
        if field.value is None:
            yield Passage((*head, Piece("NULL", "muted")))
        elif above.get(field.name) is not None:
            yield Passage((*head, Piece("shown above", "muted")))
        else:
            lines = list(_value(field.value, whole, indent=hang, cut=field.cut))
            first = lines[0].pieces[1:] if lines else ()
            yield Passage((*head, *first), hang=hang)
            yield from lines[1:]


def _value(
    text: str | None, whole: bool, *, json: bool = False, indent: int = 2, cut: bool = False
) -> Iterator[Passage]:
    """A stored text, its lines kept, and if not the ``whole``, what is fast to draw."""
    if not text:
        yield Passage((Piece(" " * indent), Piece("empty", "muted")))
        return
    shown, lines = _shown(text, whole)
    for line in lines:
        yield Passage((Piece(" " * indent), Piece(line)), hang=indent, json=json)
    if len(text) > len(shown):
        sizes = f"{show_count(len(shown))} of {show_count(len(text))}"
        sentence = f"cut here: {sizes} characters are shown; y copies all of them"
        yield Passage((Piece(" " * indent), Piece(sentence, "warning")), hang=indent)
    if cut:
        sentence = f"longer in the table: {show_count(len(text))} characters were read"
        yield Passage((Piece(" " * indent), Piece(sentence, "warning")), hang=indent)


def _shown(text: str, whole: bool) -> tuple[str, list[str]]:
    shown = text if whole else text[:SHOWN]
    lines = shown.split("\n")
    if whole or len(lines) <= LINES:
        return shown, lines
    return "\n".join(lines[:LINES]), lines[:LINES]


def _title(text: str) -> Passage:
    return Passage((Piece(text, "accent", bold=True),), head=True)


def _line(name: str, *pieces: Piece) -> Passage:
    return Passage((Piece(f"  {name:<{_LABEL}}", "muted"), *pieces), hang=_LABEL + 2)


def _padded(text: str, width: int) -> str:
    short = _shortened(text, width)
    return short + " " * (width - cell_len(short))


def _shortened(text: str, width: int) -> str:
    if cell_len(text) <= width:
        return text
    while text and cell_len(text) > width - 1:
        text = text[:-1]
    return f"{text}…"


def joined(pieces: Sequence[Piece], dot: str = " · ") -> str:
    """Pieces as one line of plain text."""
    return dot.join(piece.text for piece in pieces)
