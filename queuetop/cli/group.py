"""Click, so bent that the shared options work before and after the subcommand, with near misses explained."""

from __future__ import annotations

from typing import Any, NoReturn

import click

from queuetop import __version__
from queuetop.model.nearest import hint

#: How click's decorators see a shared option: ``ctx.find_root().obj`` gathers the values.
_Flags = dict[str, Any]


def flags_of(context: click.Context) -> _Flags:
    """The shared options that were given, wherever they stood."""
    found: _Flags = context.find_root().ensure_object(dict)
    return found


def _keep(context: click.Context, option: click.Parameter, value: Any) -> None:
    """Remembers a value; what stands after the subcommand wins, being nearer to it."""
    if value not in (None, (), False) and option.name:
        flags_of(context)[option.name] = value


def _utc(context: click.Context, _option: click.Parameter, value: bool) -> None:
    if value:
        flags_of(context)["time_zone"] = "utc"


def _show_version(context: click.Context, _option: click.Parameter, value: bool) -> None:
    if value and not context.resilient_parsing:
        click.echo(f"queuetop {__version__}")
        context.exit()


def shared_options() -> list[click.Parameter]:
    """The options of every command."""

    def option(*names: str, **settings: Any) -> click.Parameter:
        settings.setdefault("callback", _keep)
        return click.Option(names, expose_value=False, **settings)

    def flag(*names: str, **settings: Any) -> click.Parameter:
        return option(*names, is_flag=True, **settings)

    return [
        option(
            "--dsn",
            metavar="DSN",
            help="The database: a URI or key=value pairs, as psql takes them.",
        ),
        option("--profile", metavar="NAME", help="Settings out of the configuration file."),
        option(
            "--mapping",
            metavar="FILE|NAME",
            multiple=True,
            help="How the table shows itself; several give several tables. Left out: detected.",
        ),
        option(
            "--table", metavar="NAME", help="The table to look at, where several could be meant."
        ),
        option("--interval", metavar="TIME", help="Between two polls: 2s, 0.5s, 1m. Default: 2s."),
        option(
            "--budget",
            metavar="SHARE",
            help="What all statements together may take of one backend's time. Default: 1%.",
        ),
        option("--theme", metavar="NAME", help="Colours: dark, light, colour-blind, ansi, mono."),
        option(
            "--time-zone",
            metavar="ZONE",
            help="utc, local, relative, or a name like Europe/Berlin.",
        ),
        flag("--utc", callback=_utc, help="The same as --time-zone utc."),
        flag("--no-color", help="No colours; NO_COLOR in the environment does the same."),
        flag(
            "--allow-writes", help="Open the write path. No command of this version changes jobs."
        ),
        flag("--debug", help="Add the traceback to an error."),
        flag("--version", is_eager=True, callback=_show_version, help="Show the version and exit."),
    ]


class SharedCommand(click.Command):
    """A command that takes the shared options after its name too."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self._own = len(self.params)
        self.params = [*self.params, *shared_options()]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        own = [record for p in self.params[: self._own] if (record := p.get_help_record(ctx))]
        with formatter.section("Options"):
            formatter.write_dl([*own, ("-h, --help", "Show this message and exit.")])
        formatter.write_paragraph()
        formatter.write_text("Those of every command, like --dsn, are listed by queuetop --help.")


class SharedGroup(click.Group):
    """The root: the shared options, and the dashboard where no subcommand is named."""

    command_class = SharedCommand

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.params = [*self.params, *shared_options()]

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)  # in the order of their importance, as they were added

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and self.get_command(ctx, args[0]) is None:
            self._refuse(args[0], ctx)
        return super().resolve_command(ctx, args)

    def _refuse(self, word: str, context: click.Context) -> NoReturn:
        if "://" in word or "=" in word:
            raise click.UsageError("a DSN is written with its option: --dsn DSN", context)
        known = [name for name in self.commands if not self.commands[name].hidden]
        raise click.UsageError(f"there is no command {word!r}; {hint(word, known)}", context)
