"""``python -m tests.screenshots``: every view of the real app on the demo during an outage, as SVG and,
for those that the README shows, as PNG (where rsvg-convert is)."""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import click
from textual.pilot import Pilot

from queuetop.cli import settings as cli_settings
from queuetop.cli import wiring
from queuetop.demo.run import Demo
from queuetop.demo.scenarios import Scenario
from queuetop.model.snapshot import Level
from queuetop.ui.app import QueueTop
from queuetop.ui.options import Options
from tests.svg import tidy, word_by_word
from tests.ui.support import screen_text, shows, until

SIZES = ((120, 36), (80, 24))
#: Seconds of health before the outage, so that the charts have something to compare with.
HEALTHY_S = 60.0
OUTAGE_S = 120.0
#: Files that are made as PNG too.
IN_README = ("overview-120x36", "failures-120x36", "job-120x36")
PNG_WIDTH = 1200


class Shot(NamedTuple):
    """A picture: the keys that lead to it, what must be seen before it is taken, the way back."""

    name: str
    keys: tuple[str, ...]
    sees: str
    back: tuple[str, ...] = ()


SHOTS = (
    Shot("overview", ("1",), "Overview"),
    Shot("evidence", ("1", "w"), "esc", ("escape",)),
    Shot("failures", ("2",), "Looked at:"),
    Shot("job", ("2", "enter", "enter"), "FAILURE", ("escape",)),
    Shot("filter", ("3", "slash", "ctrl+u", *"failure:"), "EXTERNAL_5XX", ("ctrl+u", "enter")),
    Shot("jobs", ("3",), " match"),
    Shot("running", ("4",), " stalled, "),
    Shot("queues", ("5",), "DONE/s"),
    Shot("database", ("9",), "autoanalyze"),
    Shot("help", ("5", "question_mark"), "esc", ("escape",)),
)


@click.command()
@click.option("--out", type=click.Path(path_type=Path), default=Path("screenshots"))
@click.option("--healthy", default=HEALTHY_S, help="Seconds before the outage.")
@click.option("--outage", default=OUTAGE_S, help="Seconds of outage before the first picture.")
def main(out: Path, healthy: float, outage: float) -> None:
    """Makes the pictures anew."""
    out.mkdir(parents=True, exist_ok=True)
    with Demo(Scenario.HEALTHY) as demo:
        pictures = asyncio.run(_run(demo, healthy, outage))
    for name, svg in pictures.items():
        _write(out / f"{name}.svg", svg)
    for name in IN_README:
        _png(out / f"{name}.svg")


async def _run(demo: Demo, healthy: float, outage: float) -> dict[str, str]:
    """The SVG of each shot in each size, by name."""
    settings = cli_settings.load({"dsn": demo.dsn, "table": "payment_task"}, {})
    async with wiring.open_watches(settings) as watches:
        app = QueueTop(watches, Options())
        async with app.run_test(size=SIZES[0]) as pilot:
            await asyncio.sleep(healthy)
            demo.play(Scenario.OUTAGE)
            await asyncio.sleep(outage)
            await until(pilot, lambda: _in_trouble(app), tries=1000)
            return await take_all(pilot)


async def take_all(pilot: Pilot[None], sizes: Sequence[tuple[int, int]] = SIZES) -> dict[str, str]:
    """The pictures of a running app."""
    pictures = {}
    for width, height in sizes:
        await pilot.resize_terminal(width, height)
        for shot in SHOTS:
            pictures[f"{shot.name}-{width}x{height}"] = await _take(pilot, shot)
    return pictures


def _in_trouble(app: QueueTop) -> bool:
    snapshot = app.snapshot
    return snapshot is not None and snapshot.verdict.level is not Level.FINE


async def _take(pilot: Pilot[None], shot: Shot) -> str:
    for key in shot.keys:
        await pilot.press(key)
        await pilot.pause()
    await shows(pilot, shot.sees)
    await _settled(pilot)
    for trouble in ("fault of queuetop", "refused a statement"):
        if trouble in screen_text(pilot.app):
            raise click.ClickException(f"{shot.name} would show a fault: {trouble}")
    svg = tidy(pilot.app.export_screenshot())
    for key in shot.back:
        await pilot.press(key)
        await pilot.pause()
    return svg


async def _settled(pilot: Pilot[None]) -> None:
    """Until two looks see the same, clocks aside."""
    last = ""
    for _ in range(20):
        await asyncio.sleep(0.2)
        now = re.sub(r"\d", "", screen_text(pilot.app))
        if now == last:
            return
        last = now


def _write(file: Path, svg: str) -> None:
    file.write_text(svg, encoding="utf-8")
    click.echo(file)


def _png(svg: Path) -> None:
    tool = shutil.which("rsvg-convert")
    if tool is None:
        click.echo(f"no rsvg-convert here: {svg.with_suffix('.png')} is left as it is")
        return
    drawn = word_by_word(svg.read_text(encoding="utf-8"))
    command = [tool, "-w", str(PNG_WIDTH), "-o", str(svg.with_suffix(".png"))]
    subprocess.run(command, input=drawn.encode(), check=True)
    click.echo(svg.with_suffix(".png"))


if __name__ == "__main__":
    main()
