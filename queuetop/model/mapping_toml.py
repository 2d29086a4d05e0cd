"""A mapping's file: TOML in, checked as far as no catalogue is needed."""

from __future__ import annotations

import tomllib

from queuetop.model.errors import MappingError
from queuetop.model.located import LocatedError, convert
from queuetop.model.mapping import Mapping
from queuetop.model.mapping_check import check
from queuetop.model.mapping_rules import mistakes
from queuetop.model.mapping_write import encode


def decode(text: str, origin: str) -> Mapping:
    """The mapping in ``text``. Raises ``MappingError``: one sentence with ``origin`` (the file), the
    key and the nearest valid one."""
    try:
        mapping = convert(tomllib.loads(text), Mapping)
    except tomllib.TOMLDecodeError as error:
        raise MappingError(f"{origin} is not TOML: {error}") from None
    except LocatedError as error:
        raise MappingError(f"{origin}: {error}") from None
    for sentence in mistakes(mapping):
        raise MappingError(f"{origin}: {sentence}")
    return mapping


__all__ = ["check", "decode", "encode"]
