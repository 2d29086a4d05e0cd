"""``queuetop init``: guesses a mapping for a table that no preset knows, shows it, and writes it."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from queuetop.cli import wiring
from queuetop.cli.commands.common import settings_of
from queuetop.cli.console import can_ask, on_terminal, print_lines, say, width, write
from queuetop.cli.group import SharedCommand
from queuetop.cli.places import mappings_folder
from queuetop.cli.running import run_async
from queuetop.cli.settings import Settings
from queuetop.model.errors import Exit, MappingError, UsageError

if TYPE_CHECKING:
    from rich.text import Text

    from queuetop.model.guess import Guess

Rows = tuple[tuple[str | None, ...], ...]


@click.command("init", cls=SharedCommand, short_help="Guess a mapping for a table, and write it.")
@click.option("--yes", is_flag=True, help="Take the guess without asking.")
@click.option("--output", metavar="FILE", help="Where to write the mapping; - for stdout.")
@click.pass_context
def command(context: click.Context, /, yes: bool, output: str | None) -> int:
    """Guess a mapping for a table that no preset knows.

    Shows the guess beside sample rows and asks; --yes takes it. It is written to the mappings of the
    configuration folder, where --mapping NAME finds it. Without a terminal, and without --yes or
    --output, the mapping is printed.

    Exit code 4 when no table looks like a queue, when the guess is declined, or when it has gaps that
    you must fill in.
    """
    settings = settings_of(context)
    asking = can_ask() and not yes
    guesses = run_async(_guesses(settings))
    if not guesses:
        say("no table here looks like a queue; name one with --table")
        return Exit.DECLINED
    guess = _choose(guesses) if asking and len(guesses) > 1 else guesses[0]
    if len(guesses) > 1 and not asking:
        others = ", ".join(f"{g.relation.label} ({g.score:.0%})" for g in guesses[1:])
        say(f"taking {guess.relation.label} ({guess.score:.0%}); --table names another: {others}")
    printing = output == "-" or not (asking or yes or output)
    if not printing or on_terminal():
        _show(guess, run_async(_sample(settings, guess)), settings)
    for sentence in guess.missing:
        say(f"to be filled in: {sentence}")
    text = _toml(guess)
    if printing:
        write(text)
    elif not _write(text, Path(output) if output else _place(guess), guess, asking=asking):
        return Exit.DECLINED
    return Exit.FINE if guess.complete else Exit.DECLINED


async def _guesses(settings: Settings) -> list[Guess]:
    async with wiring.opener(settings) as looking:
        guesses = await looking.guesses(settings.table)
        with contextlib.suppress(MappingError):  # the usual case: no preset knows it
            known = await looking.detect(settings.table)
            for match in known:
                say(
                    f"the preset {match.mapping.name} knows {match.relation.label}: it needs no mapping"
                )
        return guesses


async def _sample(settings: Settings, guess: Guess) -> Rows:
    async with wiring.opener(settings) as looking:
        return await looking.sample(guess.relation)


def _choose(guesses: Sequence[Guess]) -> Guess:
    """Asks which of several tables is meant."""
    for number, guess in enumerate(guesses, 1):
        say(f"{number:>2}  {guess.relation.label}  looks like a queue to {guess.score:.0%}")
    number = click.prompt(
        "Which table", type=click.IntRange(1, len(guesses)), default=1, err=True, show_default=True
    )
    return guesses[int(number) - 1]


def _show(guess: Guess, rows: Rows, settings: Settings) -> None:
    """The guess beside sample rows: what each column is taken for, how surely, and what it holds."""
    from rich.text import Text

    from queuetop.cli.grid import Cell, Column, grid
    from queuetop.model.redact import MASK, is_secret, mask_text
    from queuetop.model.text import clean

    known = {found.column: found for found in guess.columns}
    table: list[list[Cell]] = []
    for place, column in enumerate(guess.relation.columns):
        found = known.get(column.name)
        values = [row[place] for row in rows]
        if is_secret(column.name):
            values = [None if value is None else MASK for value in values]
        shown = " · ".join("NULL" if value is None else mask_text(value)[:24] for value in values)
        table.append(
            [
                clean(column.name),
                Text(clean(column.type), "dim"),
                found.name if found else Text("–", "dim"),
                Text(str(found.confidence) if found else ""),
                Text(found.reason if found else "", "dim"),
                shown,
            ]
        )
    columns = [
        Column("COLUMN", least=16),
        Column("TYPE", least=8, yields=2),
        Column("IS"),
        Column("GUESS"),
        Column("WHY", least=24, yields=3, leaves=1),
        Column("SAMPLE", least=20, yields=1),
    ]
    head = Text(f"{guess.relation.label} looks like a queue to {guess.score:.0%}", "bold")
    lines = [head, Text(), *grid(columns, table, width()), *_values(guess), Text()]
    print_lines(lines, color=settings.color, err=True)


def _values(guess: Guess) -> Iterator[Text]:
    """What the stored status values are taken for."""
    from rich.text import Text

    from queuetop.model.text import clean

    if guess.values:
        yield Text()
        yield Text(f"  {clean(guess.mapping.columns.status or '')} means", "dim")
    for value in guess.values:
        line = Text(f"  {clean(value.value, 40)}: ")
        line.append(value.family or "–", "" if value.family else "yellow")
        yield line.append(f"  {value.confidence}: {value.reason}", "dim")


def _toml(guess: Guess) -> str:
    from queuetop.model.mapping_toml import encode

    head = [f"Guessed by queuetop init for {guess.relation.label}; look it over."]
    head += [f"To be filled in: {sentence}" for sentence in guess.missing]
    text = encode(guess.mapping, guess.notes(), "\n".join(head))
    return text + "\n".join(_blanks(guess))


def _blanks(guess: Guess) -> Iterator[str]:
    """The [status] to fill in, where nothing stored says what it means."""
    if guess.mapping.columns.status is None or guess.mapping.status.families():
        return
    yield "\n# Put each stored value of that column into one list, and take the # away:"
    yield "# [status]"
    for family in ("waiting", "claimed", "succeeded", "failed", "quarantined", "cancelled"):
        yield f"# {family} = []"
    yield ""


def _place(guess: Guess) -> Path:
    """The mapping's file in the configuration folder."""
    folder = mappings_folder()
    if folder is None:
        raise UsageError("neither HOME nor XDG_CONFIG_HOME says where to write; use --output FILE")
    name = re.sub(r"[^\w-]+", "_", guess.mapping.name).strip("_") or "mapping"
    return folder / f"{name}.toml"


def _write(text: str, path: Path, guess: Guess, *, asking: bool) -> bool:
    """Writes a new file. Whether it did: a question may be answered with no."""
    if asking and not click.confirm(f"Write {path}", default=True, err=True):
        say("nothing is written")
        return False
    overwrite = False
    if path.exists():
        if not asking:
            raise UsageError(f"{path} is there already; name another with --output, or remove it")
        overwrite = click.confirm(f"{path} is there already. Replace it", default=False, err=True)
        if not overwrite:
            say("nothing is written")
            return False
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w" if overwrite else "x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from None
    own = path.parent == mappings_folder()
    first = "" if guess.complete else "fill in what is missing, then "
    say(f"wrote {path}; {first}use it with --mapping {path.stem if own else path}")
    return True
