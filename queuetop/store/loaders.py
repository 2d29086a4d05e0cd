"""Tolerant loading: one odd value must not lose a page of rows.

psycopg raises on ``infinity``, years before 1 or after 9999, ``24:00`` and integers of thousands of
digits, and hands out bytes in an SQL_ASCII database. Here each becomes the nearest value that Python has.
"""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, time
from typing import Any

import psycopg
from psycopg.abc import AdaptContext
from psycopg.adapt import Buffer, Loader
from psycopg.types.datetime import DateLoader, TimeLoader, TimestampLoader, TimestamptzLoader

#: The type of a literal that nobody gave one; psycopg has no name for it.
_UNKNOWN = 705

FAR_FUTURE = datetime.max.replace(tzinfo=UTC)
FAR_PAST = datetime.min.replace(tzinfo=UTC)


def _is_past(data: Buffer) -> bool:
    raw = bytes(data)
    return raw.startswith(b"-") or raw.endswith(b"BC")


class _Iso:
    """Reads the one form that a batch asks for. psycopg would go by the connection's DateStyle, which
    is the database's own again by the time that the rows are read."""

    def __init__(self, oid: int, context: AdaptContext | None = None) -> None:
        super().__init__(oid, None)  # type: ignore[call-arg]


class _Timestamptz(_Iso, TimestamptzLoader):
    def load(self, data: Buffer) -> datetime:
        try:
            return super().load(data).astimezone(UTC)
        except (psycopg.DataError, OverflowError, ValueError):
            return FAR_PAST if _is_past(data) else FAR_FUTURE


class _Timestamp(_Iso, TimestampLoader):
    def load(self, data: Buffer) -> datetime:
        try:
            return super().load(data)
        except (psycopg.DataError, OverflowError, ValueError):
            return datetime.min if _is_past(data) else datetime.max


class _Date(_Iso, DateLoader):
    def load(self, data: Buffer) -> date:
        try:
            return super().load(data)
        except (psycopg.DataError, OverflowError, ValueError):
            return date.min if _is_past(data) else date.max


class _Time(TimeLoader):
    def load(self, data: Buffer) -> time:
        try:
            return super().load(data)
        except (psycopg.DataError, ValueError):
            return time.max


class _Json(Loader):
    """Text for what Python cannot hold: integers of thousands of digits, or too deep."""

    def load(self, data: Buffer) -> Any:
        text = bytes(data).decode("utf-8", "replace")
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text


class _AsciiText(Loader):
    """Text of a database without an encoding: UTF-8 where it is, marks where it is not."""

    def load(self, data: Buffer) -> str:
        return bytes(data).decode("utf-8", "replace")


def register(connection: psycopg.AsyncConnection[Any]) -> None:
    """Makes every cursor of ``connection`` tolerant."""
    adapters = connection.adapters
    adapters.register_loader("timestamptz", _Timestamptz)
    adapters.register_loader("timestamp", _Timestamp)
    adapters.register_loader("date", _Date)
    adapters.register_loader("time", _Time)
    adapters.register_loader("json", _Json)
    adapters.register_loader("jsonb", _Json)
    if connection.info.encoding == "ascii":
        for kind in ("text", "varchar", "bpchar", "name", '"char"', _UNKNOWN):
            adapters.register_loader(kind, _AsciiText)
