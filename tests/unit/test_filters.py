"""The filter language: what a text means, what is refused and where, and that writing is reading back."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from queuetop.model.filters import MAX_AGO_S, TERMS, FilterError, complete, parse, write
from queuetop.model.selection import Bound, Compare, Selection
from queuetop.model.states import FailureClass, State

READ = {
    "": Selection(),
    "   ": Selection(),
    "queue:a,b": Selection(queues=("a", "b")),
    "queue:a queue:b,a": Selection(queues=("a", "b")),
    'kind:"send mail"': Selection(kinds=("send mail",)),
    "kind:'send mail','it\\'s'": Selection(kinds=("send mail", "it's")),
    "state:failed,STALLED": Selection(states=(State.FAILED, State.STALLED)),
    "failure:EXTERNAL_5XX": Selection(failures=("EXTERNAL_5XX",)),
    "class:unknown_outcome,theirs": Selection(
        classes=(FailureClass.UNKNOWN_OUTCOME, FailureClass.THEIRS)
    ),
    "id:42,a:b": Selection(ids=("42", "a:b")),
    "worker:w": Selection(workers=("w",)),
    "since:1h until:10m": Selection(since=Bound(ago_s=3600.0), until=Bound(ago_s=600.0)),
    "since:2026-01-31": Selection(since=Bound(at="2026-01-31T00:00:00Z")),
    "since:2026-01-31T12:00+02:00": Selection(since=Bound(at="2026-01-31T10:00:00Z")),
    'until:"2026-01-31 12:00:00.5Z"': Selection(until=Bound(at="2026-01-31T12:00:00.500000Z")),
    "attempts>3": Selection(attempts=(Compare(">", 3),)),
    "attempts:2": Selection(attempts=(Compare("=", 2),)),
    "attempts=2 attempts:=2": Selection(attempts=(Compare("=", 2),)),
    "attempts>=2 attempts:<9": Selection(attempts=(Compare(">=", 2), Compare("<", 9))),
    'timeout "two words"': Selection(words=("timeout", "two words")),
    '"http://x" queue:a': Selection(words=("http://x",), queues=("a",)),
    "12:30 a=b x,y": Selection(words=("12:30", "a=b", "x,y")),
    r'"say \"hi\" \\ \n\u{1f4a9}"': Selection(words=('say "hi" \\ \n💩',)),
    'queue:"",x': Selection(queues=("", "x")),
    "QUEUE:a": Selection(queues=("a",)),
    "it's": Selection(words=("it's",)),
}


@pytest.mark.parametrize("text", READ)
def test_a_text_means_its_selection(text: str) -> None:
    assert parse(text) == READ[text]


REFUSED = {
    "queu:a": (0, "did you mean queue?"),
    "http://x": (0, 'put quotes around "http://x"'),
    "a state:faild": (8, "did you mean failed?"),
    "state:zzzz": (6, "there are pending, scheduled"),
    "class:their": (6, "did you mean theirs?"),
    "queue:": (6, "queue needs a value here, like queue:mail"),
    "queue:a,": (8, "needs a value"),
    "queue:,a": (6, "needs a value"),
    "queue:a, b": (8, "needs a value"),
    'kind:"a': (5, "never closed"),
    'kind:"a"b': (8, 'put a space between the closing quote and "b"'),
    'kind:a"b"': (6, "put quotes around all of it"),
    r'kind:"\q"': (6, "after a backslash"),
    r'kind:"\u{d800}"': (6, "after a backslash"),
    r'kind:"\u{0}"': (6, "after a backslash"),
    "since:yesterday": (6, '"yesterday" is not a time'),
    "since:2026-02-30": (6, "is not a time"),
    "since:0001-01-01T00:00+05:00": (6, "is not a time"),
    "since:99999w": (6, "more than 100 years"),
    "since:1h since:2h": (9, "given twice"),
    "since:1h,2h": (9, "takes one value"),
    "since:10m until:1h": (10, "earlier than since"),
    "until:2026-01-01 since:2026-01-02": (0, "earlier than since"),
    "attempts>": (9, "needs a value"),
    "attempts>x": (9, "is not a number of attempts"),
    "attempts=>3": (9, "is not a number of attempts"),
    "attempts:-1": (9, "is not a number of attempts"),
    "attempts:²": (9, "is not a number of attempts"),
    "attempts:99999999999": (9, "is not a number of attempts"),
    "attempts>5 attempts<3": (11, "widen the range"),
    "attempts<0": (0, "widen the range"),
    "atempts>3": (0, "did you mean attempts?"),
    "queue>3": (0, "queue takes a colon"),
    "a\0b": (1, "NUL"),
    "a\ud800": (1, "surrogate"),
}


@pytest.mark.parametrize("text", REFUSED)
def test_a_mistake_is_one_sentence_with_its_place(text: str) -> None:
    with pytest.raises(FilterError) as caught:
        parse(text)
    place, reason = REFUSED[text]
    assert caught.value.at == place
    assert caught.value.sentence.startswith(f"Filter, character {place + 1}: ")
    assert reason in caught.value.sentence


def test_a_mistake_shows_hostile_text_harmlessly() -> None:
    with pytest.raises(FilterError) as caught:
        parse("state:\x1b]52;c;x\x07" + "y" * 500)
    assert caught.value.sentence.isprintable()
    assert len(caught.value.sentence) < 300


values = st.lists(
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), unique=True
)
moments = st.datetimes(timezones=st.just(UTC)).map(
    lambda moment: Bound(at=moment.isoformat().replace("+00:00", "Z"))
)
ages = st.one_of(
    st.integers(0, int(MAX_AGO_S)).map(float), st.floats(0, MAX_AGO_S, allow_subnormal=False)
).map(lambda seconds: Bound(ago_s=abs(seconds)))
compares = st.builds(Compare, st.sampled_from(["=", ">", "<", ">=", "<="]), st.integers(0, 9))
selections = st.builds(
    Selection,
    states=st.lists(st.sampled_from(State), unique=True).map(tuple),
    queues=values.map(tuple),
    kinds=values.map(tuple),
    failures=values.map(tuple),
    classes=st.lists(st.sampled_from(FailureClass), unique=True).map(tuple),
    ids=values.map(tuple),
    workers=values.map(tuple),
    since=st.none() | moments | ages,
    until=st.none() | moments | ages,
    attempts=st.lists(compares, unique=True, max_size=2).map(tuple),
    words=values.map(lambda words: tuple(filter(None, words))),
)


@given(selections)
def test_what_is_written_reads_back_the_same(selection: Selection) -> None:
    text = write(selection)
    assert text.isprintable()
    try:
        read = parse(text)
    except FilterError as error:
        assume(
            "earlier than since" not in error.sentence and "widen the range" not in error.sentence
        )
        raise
    assert read == selection


@given(st.text())
def test_any_text_is_read_or_refused_in_a_sentence(text: str) -> None:
    try:
        selection = parse(text)
    except FilterError as error:
        sentence = error.sentence
    else:
        assert parse(write(selection)) == selection
        return
    assert sentence.isprintable()


@pytest.mark.parametrize(
    ("text", "written"),
    (
        ("since:90m", "since:1h30m"),
        ("since:86400s", "since:1d"),
        ("since:0.25s", "since:0.25s"),
        ("attempts=2", "attempts:2"),
        ('kind:"a"', "kind:a"),
        ("word   queue:a  other", "queue:a word other"),
        ('"a  b"', '"a  b"'),
    ),
)
def test_writing_is_short(text: str, written: str) -> None:
    assert write(parse(text)) == written


@pytest.mark.parametrize("term", TERMS, ids=lambda term: term.name)
def test_each_term_explains_itself(term: object) -> None:
    example = getattr(term, "example")  # noqa: B009
    assert parse(example) != Selection()
    assert getattr(parse(example), getattr(term, "field"))  # noqa: B009


KNOWN = {"queue": ("mail", "reports", "mail slow", "a,b"), "failure_kind": ("EXTERNAL_5XX",)}


def offered(text: str) -> list[str]:
    """What is offered at ``|``, as whole texts."""
    cursor = text.index("|")
    plain = text.replace("|", "")
    return [proposal.apply(plain)[0] for proposal in complete(plain, cursor, KNOWN)]


def test_terms_are_completed() -> None:
    assert len(offered("|")) == 10
    assert offered("qu|") == ["queue:"]
    assert offered("state:failed at|") == ["state:failed attempts>"]
    assert offered("x|yz") == []


def test_values_are_completed() -> None:
    assert offered("queue:|") == ["queue:mail", "queue:reports", 'queue:"mail slow"', 'queue:"a,b"']
    assert offered("queue:mail,r|") == ["queue:mail,reports"]
    assert offered('queue:"a,b",ma|') == ['queue:"a,b",mail', 'queue:"a,b","mail slow"']
    assert offered('queue:"mail s|') == ['queue:"mail slow"']
    assert offered('queue:"mail s|" since:1h') == ['queue:"mail slow" since:1h']
    assert offered("queue:re|ports x") == ["queue:reports x"]
    assert offered("failure:5xx|") == ["failure:EXTERNAL_5XX"]
    assert offered("state:f|") == ["state:failed"]
    assert offered("worker:|") == []
    assert "since:1h" in offered("since:|")


@given(st.text(), st.integers(-5, 50))
def test_completion_never_fails(text: str, cursor: int) -> None:
    for proposal in complete(text, cursor, KNOWN):
        changed, place = proposal.apply(text)
        assert 0 <= place <= len(changed)


def test_a_moment_is_utc() -> None:
    bound = parse("since:2026-01-31T23:30-02:00").since
    assert bound is not None
    assert bound.at is not None
    assert datetime.fromisoformat(bound.at) == datetime(2026, 2, 1, 1, 30, tzinfo=UTC)
