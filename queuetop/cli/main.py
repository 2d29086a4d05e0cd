"""The entry point: parses, runs, and turns whatever happens into an exit code and at most one sentence."""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
from collections.abc import Sequence

import click

from queuetop.cli import masking
from queuetop.cli.console import flush, say
from queuetop.cli.places import state_folder
from queuetop.model.errors import Exit, QueuetopError
from queuetop.model.nearest import hint


def main() -> None:
    """The program ``queuetop``."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Runs one command line and returns its exit code. Raises nothing."""
    _have_streams()
    masking.remember(*arguments)
    masking.remember_environment()
    try:
        code = _invoke(list(arguments))
        flush()
    except BrokenPipeError:  # the reader has seen enough
        _stop_writing()
        return Exit.FINE
    except (KeyboardInterrupt, click.Abort):
        return Exit.INTERRUPTED
    except BaseException as error:  # noqa: BLE001 – the last place that can turn it into a sentence
        return _explain(error, debug="--debug" in arguments)
    return code


def _invoke(arguments: list[str]) -> int:
    """Click's own ``main`` would print usage, swallow a closed pipe and exit by itself."""
    from queuetop.cli.root import root

    try:
        with root.make_context("queuetop", arguments) as context:
            code = root.invoke(context)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    return code if isinstance(code, int) else Exit.FINE


def _explain(error: BaseException, *, debug: bool) -> int:
    """Says what happened and how it ends."""
    if debug:
        say("".join(traceback.format_exception(error)).rstrip())
    match error:
        case SystemExit(code=code):
            return code if isinstance(code, int) else Exit.ALARM
        case QueuetopError():
            say(error.sentence)
            return error.exit_code
        case click.ClickException():
            say(_usage(error))
            return Exit.USAGE
        case OSError(strerror=str(reason)):
            name = f" ({error.filename})" if error.filename else ""
            say(f"{reason}{name}")
            _stop_writing()  # stdout may be what failed: a full disk
            return Exit.ALARM
    say(_crash(error))
    return Exit.ALARM


def _usage(error: click.ClickException) -> str:
    """Click's complaint in our manner, with the nearest option and the place where help is."""
    context = getattr(error, "ctx", None)
    sentence = error.format_message().rstrip(".")
    sentence = sentence[:1].lower() + sentence[1:]
    if isinstance(error, click.NoSuchOption) and context:
        known = [
            name for option in context.command.params for name in option.opts if name[:2] == "--"
        ]
        sentence = f"there is no option {error.option_name}; {hint(error.option_name, known)}"
    return f"{sentence} (see {context.command_path} --help)" if context else sentence


def _crash(error: BaseException) -> str:
    """A fault of our own: the traceback goes to the log, the place of the log to the user."""
    from queuetop.ui.crash import CrashLog

    folder = state_folder()
    if folder is None:
        return f"a fault of queuetop's own: {type(error).__name__}; --debug shows where"
    log = CrashLog(folder / "log")
    return log.sentence(error, written=log.write(error)).removeprefix("queuetop ")


def _stop_writing() -> None:
    """Gives stdout up: Python would complain at its end about what it cannot flush."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _have_streams() -> None:
    """Started with closed streams (``>&-``), Python has None in their place."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w"))
