"""Secrets are masked by the name of their key, in JSON, in cut JSON and in running text."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from queuetop.model.redact import MASK, is_secret, mask, mask_text

SECRET = "s3cr3t-Wert"


@pytest.mark.parametrize(
    "key",
    (
        "password",
        "PASSWORD",
        "db_password",
        "passwordHash",
        "user-passwd",
        "client_secret",
        "accessToken",
        "Authorization",
        "X-Api-Key",
        "private_key",
        "set-cookie",
        "card_number",
        "card",
        "pan",
        "pin",
        "cvv2",
        "iban",
        "key",
    ),
)
def test_keys_of_secrets(key: str) -> None:
    assert is_secret(key)
    assert mask({key: SECRET, "a": [{key: {"deep": SECRET}}]}) == {key: MASK, "a": [{key: MASK}]}


@pytest.mark.parametrize(
    "key",
    ("id", "queue", "monkey", "keyboard", "cardinal", "company", "spinner", "author", "note", ""),
)
def test_keys_of_no_secrets(key: str) -> None:
    assert not is_secret(key)
    assert mask({key: "value", "n": None, "b": True, "f": 1.5}) == {
        key: "value",
        "n": None,
        "b": True,
        "f": 1.5,
    }


def test_nothing_stays_nothing() -> None:
    assert mask({"password": None}) == {"password": None}


@pytest.mark.parametrize(
    "text",
    (
        f"password={SECRET}",
        f"password: {SECRET}, queue: mail",
        f"PASSWORD = '{SECRET}'",
        f'{{"password": "{SECRET}", "a": 1}}',
        f'{{"a": {{"apiKey": "{SECRET}"}}}}',
        f'{{"token": ["{SECRET}", "{SECRET}"]',
        f'{{"password":"{SECRET}',
        f"{{'secret': '{SECRET}'}}",
        f"Authorization: Bearer {SECRET}{SECRET}",
        f"sent Bearer {SECRET}{SECRET} to it",
        f"postgresql://me:{SECRET}@db1:5432/app",
        f"https://user:{SECRET}@example.test/path and more",
        f"card_number={SECRET}&x=1",
        f'"{{\\"password\\": \\"{SECRET}\\"}}"',
    ),
)
def test_running_text(text: str) -> None:
    masked = mask_text(text)
    assert SECRET not in masked
    assert MASK in masked


@pytest.mark.parametrize(
    "text",
    (
        "",
        "plain text",
        "HTTP 503 from limits service",
        "the password is wrong",
        '{"amount": 100.00, "queue": "mail"}',
        "https://example.test:8080/path",
        "key not found",
    ),
)
def test_what_holds_no_secret_stays(text: str) -> None:
    assert mask_text(text) == text


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(("a", "password", "b c", "token", "x")), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@given(JSON, st.integers(0, 200))
def test_a_secret_shows_in_no_json_however_it_was_cut(value: object, cut: int) -> None:
    hidden = json.dumps(
        {"first": 1, "password": {"inner": SECRET, "value": value}, "last": SECRET[:0]}
    )
    assert SECRET not in json.dumps(mask(json.loads(hidden)))
    assert SECRET not in mask_text(hidden)
    assert SECRET not in mask_text(hidden[:cut])


@pytest.mark.parametrize(
    "piece", ('"', '{"a":', "password", "\\", "://a:", "Bearer ", "[", "token=", "' ")
)
def test_long_hostile_text_takes_no_long_time(piece: str) -> None:
    text = piece * (400_000 // len(piece))
    began = time.process_time()
    mask_text(text)
    assert time.process_time() - began < 10  # seconds; what is not linear takes hours
