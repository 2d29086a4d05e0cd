"""The themes. One accent; green, amber and red (blue and orange for the colour-blind) mean levels only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.color import Color as RichColor
from rich.color import ColorParseError
from rich.style import Style
from textual.color import Color
from textual.filter import Monochrome, NoColor
from textual.theme import BUILTIN_THEMES, Theme

from queuetop.ui.marks import Paint

if TYPE_CHECKING:
    from textual.app import App

_PREFIX = "queuetop-"


def _theme(name: str, *, accent: str, dark: bool, lift: str, **colors: str) -> Theme:
    """``lift`` is the ground of a table's cursor."""
    return Theme(
        name=_PREFIX + name,
        primary=accent,
        accent=accent,
        secondary=accent,
        dark=dark,
        text_alpha=1.0,
        variables={
            "block-cursor-background": lift,
            "block-cursor-foreground": colors["foreground"],
            "block-cursor-text-style": "bold",
            "block-cursor-blurred-background": colors["panel"],
            "block-cursor-blurred-foreground": colors["foreground"],
            "block-cursor-blurred-text-style": "none",
            "block-hover-background": lift,
            "text-muted": colors.pop("muted"),
            "border": lift,
            "border-blurred": lift,
            "scrollbar": lift,
            "scrollbar-hover": accent,
            "scrollbar-active": accent,
            "scrollbar-background": colors["background"],
            "scrollbar-background-hover": colors["background"],
            "scrollbar-background-active": colors["background"],
            "scrollbar-corner-color": colors["background"],
            "input-selection-background": f"{accent} 35%",
        },
        **colors,  # type: ignore[arg-type]
    )


DARK = _theme(
    "dark",
    dark=True,
    accent="#6cb6d9",
    foreground="#d6dde4",
    background="#0f1317",
    surface="#141a1f",
    panel="#1a2128",
    lift="#26313b",
    muted="#84919d",
    success="#7fc77a",
    warning="#e3b04b",
    error="#f2707a",
)
LIGHT = _theme(
    "light",
    dark=False,
    accent="#0b6e99",
    foreground="#1f2933",
    background="#fafaf8",
    surface="#f2f2ee",
    panel="#e9e9e4",
    lift="#d5dde3",
    muted="#5d6873",
    success="#2c7a2f",
    warning="#95610a",
    error="#b81f33",
)
#: Blue for fine, yellow and orange for trouble: told apart with every common colour blindness.
COLOUR_BLIND = _theme(
    "colour-blind",
    dark=True,
    accent="#c3b5e8",
    foreground="#d9dde2",
    background="#0f1317",
    surface="#141a1f",
    panel="#1a2128",
    lift="#2b2f3d",
    muted="#8b939c",
    success="#56a7e8",
    warning="#f0d264",
    error="#ff8c2e",
)


def _ansi(name: str, **colors: str) -> Theme:
    """The terminal's own palette and ground."""
    given = {
        "primary": "ansi_cyan",
        "success": "ansi_green",
        "warning": "ansi_yellow",
        "error": "ansi_red",
    } | colors
    ground = "ansi_default"
    return Theme(
        name=_PREFIX + name,
        ansi=True,
        secondary=ground,
        accent=given["primary"],
        foreground=ground,
        background=ground,
        surface=ground,
        panel=ground,
        boost=ground,
        variables=BUILTIN_THEMES["ansi-dark"].variables
        | {
            "ansi-background": "ansi_default",
            "ansi-foreground": "ansi_default",
            "block-cursor-background": "ansi_default",
            "block-cursor-foreground": "ansi_default",
            "block-cursor-text-style": "reverse",
            "block-cursor-blurred-background": "ansi_default",
            "block-cursor-blurred-text-style": "underline",
            "block-hover-background": "ansi_default",
            "border": "ansi_bright_black",
            "border-blurred": "ansi_bright_black",
            "text-muted": "ansi_bright_black",
            "scrollbar": "ansi_bright_black",
            "scrollbar-background": "ansi_default",
        },
        **given,  # type: ignore[arg-type]
    )


ANSI = _ansi("ansi")
MONO = _ansi(
    "mono",
    primary="ansi_default",
    success="ansi_default",
    warning="ansi_default",
    error="ansi_default",
)

_ALL = {
    theme.name.removeprefix(_PREFIX): theme for theme in (DARK, LIGHT, COLOUR_BLIND, ANSI, MONO)
}
#: What ``--theme`` takes and the palette offers.
NAMES = tuple(_ALL)


def full_name(name: str) -> str:
    """The registered name of one of ``NAMES``; an unknown one is the dark theme."""
    return _ALL.get(name, DARK).name


def install(app: App[None], name: str, *, no_color: bool) -> None:
    """Registers the themes and sets one: ``mono`` without any colour where those are not wanted.

    Textual reads ``NO_COLOR`` itself but answers with greys; here nothing but bold, dim and
    reverse is left, on the terminal's own ground.
    """
    for theme in _ALL.values():
        app.register_theme(theme)
    app.no_color = app.no_color or no_color
    if app.no_color:
        filters = [each for each in app._filters if not isinstance(each, Monochrome)]  # noqa: SLF001
        app._filters[:] = [*filters, NoColor()]  # noqa: SLF001
    app.theme = MONO.name if app.no_color else full_name(name)


def paint(app: App[None]) -> Paint:
    """The current theme's colours as Rich styles."""
    variables = app.theme_variables
    mono = app.theme == MONO.name

    def color(name: str) -> RichColor | None:
        try:
            return Color.parse(variables[name]).rich_color
        except (KeyError, ColorParseError):
            return None

    def plain(name: str, **attributes: bool) -> Style:
        return Style(color=color(name), **attributes)  # type: ignore[arg-type]

    reverse = app.native_ansi_color
    return Paint(
        text=plain("foreground"),
        muted=Style(dim=True) if mono else plain("text-muted"),
        accent=plain("accent", bold=mono),
        success=plain("success"),
        warning=plain("warning", bold=mono),
        error=plain("error", bold=True),
        cursor=Style(reverse=True)
        if reverse
        else Style(bgcolor=color("block-cursor-background"), bold=True),
        resting=Style(underline=True)
        if reverse
        else Style(bgcolor=color("block-cursor-blurred-background")),
        marked=plain("accent", bold=True),
    )
