"""Where queuetop's own files are: the XDG folders, and never the current directory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import platformdirs

_NAME = "queuetop"
CONFIG_NAME = "config.toml"
MAPPINGS_NAME = "mappings"


def config_folder() -> Path | None:
    """The folder of settings and mappings; None where neither HOME nor XDG_CONFIG_HOME says where."""
    return _absolute(platformdirs.user_config_dir)


def state_folder() -> Path | None:
    """The folder of logs; None where neither HOME nor XDG_STATE_HOME says where."""
    return _absolute(platformdirs.user_state_dir)


def mappings_folder() -> Path | None:
    """Where ``init`` writes mappings and ``--mapping NAME`` finds them."""
    config = config_folder()
    return config / MAPPINGS_NAME if config else None


def _absolute(find: Callable[..., str]) -> Path | None:
    try:
        path = Path(find(_NAME, appauthor=False))
    except RuntimeError:  # no HOME, and the account has no home either
        return None
    return path if path.is_absolute() else None
