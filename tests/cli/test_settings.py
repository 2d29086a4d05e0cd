"""Flags, then QUEUETOP_*, then the profile, then the defaults; and no secret in the listing."""

from __future__ import annotations

from pathlib import Path

import pytest

from queuetop.cli.settings import THEMES, load
from queuetop.model.errors import UsageError
from tests.cli.support import Run

PASSWORD = "Tr0ub4dor"
PROFILES = """
profile = "prod"

[profiles.prod]
dsn = "postgresql://viewer@prod1/app"
mapping = ["payment_task", "reports.toml"]
interval = "10s"
budget = "2%"
theme = "light"
time_zone = "utc"
production = true
read_only = true

[profiles.dev]
dsn = "host=dev1"
mapping = "job"
interval = 1
budget = 0.5
"""


def config(cli: Run, *arguments: str) -> dict[str, tuple[object, str]]:
    """Value and source of every setting."""
    found = cli("config", "--json", *arguments).json()["settings"]
    return {line["name"]: (line["value"], line["source"]) for line in found}


def test_defaults(cli: Run) -> None:
    found = config(cli)
    assert found["interval"] == (2.0, "default")
    assert found["budget"] == (0.01, "default")
    assert found["mapping"] == ([], "default")
    assert found["dsn"] == (None, "libpq (PG*, service, password file)")
    assert found["production"] == (False, "default")


def test_each_source_goes_before_the_next(
    cli: Run, config_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config_file.write_text(PROFILES)
    assert config(cli)["interval"] == (10.0, "profile prod: interval")
    assert config(cli, "--profile", "dev")["interval"] == (1.0, "profile dev: interval")
    monkeypatch.setenv("QUEUETOP_INTERVAL", "7s")
    assert config(cli)["interval"] == (7.0, "QUEUETOP_INTERVAL")
    assert config(cli, "--interval", "3s")["interval"] == (3.0, "--interval")
    monkeypatch.setenv("QUEUETOP_PROFILE", "dev")
    assert config(cli)["budget"] == (0.5, "profile dev: budget")


def test_a_profile_says_everything(cli: Run, config_file: Path) -> None:
    config_file.write_text(PROFILES)
    found = config(cli)
    assert found["mapping"] == (["payment_task", "reports.toml"], "profile prod: mapping")
    assert found["production"] == (True, "profile prod: production")
    assert found["read_only"] == (True, "profile prod: read_only")
    assert found["theme"] == ("light", "profile prod: theme")
    assert found["connects_to"] == ("prod1:5432/app", "profile prod: dsn")


def test_the_connection_has_an_order_of_its_own(
    cli: Run, config_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGHOST", "libpq1")
    assert config(cli)["connects_to"][0] == "libpq1:5432"
    config_file.write_text(PROFILES)
    assert config(cli)["connects_to"] == ("prod1:5432/app", "profile prod: dsn")
    monkeypatch.setenv("DATABASE_URL", "postgresql+asyncpg://url1/app")
    assert config(cli)["connects_to"] == ("url1:5432/app", "DATABASE_URL")
    monkeypatch.setenv("QUEUETOP_DSN", "host=own1")
    assert config(cli)["connects_to"] == ("own1:5432", "QUEUETOP_DSN")
    assert config(cli, "--dsn", "host=flag1")["connects_to"] == ("flag1:5432", "--dsn")
    monkeypatch.setenv("QUEUETOP_DSN", "")
    assert config(cli)["connects_to"] == ("url1:5432/app", "DATABASE_URL")


def test_a_variable_that_goes_before_a_named_profile_is_told(
    cli: Run, config_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config_file.write_text(PROFILES)
    monkeypatch.setenv("DATABASE_URL", "postgresql://url1/app")
    assert (
        "DATABASE_URL goes before the dsn of profile prod" in cli("config", "--profile", "prod").err
    )
    assert cli("config").err == ""


def test_several_mappings(cli: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert config(cli, "--mapping", "a", "--mapping", "b")["mapping"] == (["a", "b"], "--mapping")
    monkeypatch.setenv("QUEUETOP_MAPPING", "a, b")
    assert config(cli)["mapping"] == (["a", "b"], "QUEUETOP_MAPPING")


@pytest.mark.parametrize(
    ("text", "complaint"),
    (
        ("[profiles.prod]\nintervall = 3", "'interval'"),
        ("[profiles.prod]\ninterval = true", "[profiles.prod] interval must be"),
        ("[profiles.prod]\nproduction = 'yes'", "[profiles.prod] production must be true or false"),
        ("[profile.prod]\ndsn = 'x'", "profile must be text"),
        ("profiles = 3", "profiles must be a table"),
        ("profile = 'none'\n[profiles.prod]", "there is no profile 'none'"),
        ("[profiles.default]\ninterval = 'soon'", "profile default: interval: 'soon'"),
        ("[profiles.prod\n", "is not valid TOML"),
        ("[profiles.'a b']\ndns = 'x'", '[profiles."a b"] dns'),
    ),
)
def test_a_bad_file_is_located(cli: Run, config_file: Path, text: str, complaint: str) -> None:
    config_file.write_text(text)
    result = cli("config")
    assert (result.code, result.out) == (2, "")
    assert complaint in result.err
    assert result.err.count("\n") == 1


def test_a_file_that_is_no_text(cli: Run, config_file: Path) -> None:
    config_file.write_bytes(b"\xff\xfe\x00")
    assert "is not UTF-8 text" in cli("config").err
    config_file.unlink()
    config_file.mkdir()
    assert "cannot be read" in cli("config").err


def test_an_unknown_profile_names_the_nearest(cli: Run, config_file: Path) -> None:
    config_file.write_text(PROFILES)
    result = cli("config", "--profile", "prd")
    assert result.code == 2
    assert "there is no profile 'prd'" in result.err
    assert "did you mean 'prod'?" in result.err


@pytest.mark.parametrize(
    ("variable", "value"),
    (
        ("QUEUETOP_INTERVAL", "x"),
        ("QUEUETOP_BUDGET", "-1"),
        ("QUEUETOP_TIME_ZONE", "../etc"),
        ("QUEUETOP_THEME", "x"),
    ),
)
def test_a_bad_variable_is_named(
    cli: Run, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv(variable, value)
    result = cli("config")
    assert result.code == 2
    assert result.err.startswith(f"queuetop: {variable}: ")


DSNS = (
    f"postgresql://u:{PASSWORD}@db1/app",
    f"postgresql://u:{PASSWORD}@db1/app?sslpassword={PASSWORD}",
    f"postgresql://u@db1/app?password={PASSWORD}",
    f"host=db1 user=u password={PASSWORD}",
    f"host=db1 user=u password = '{PASSWORD} x' dbname=app",
    # malformed ones
    f"postgresql://u:{PASSWORD}%zz@db1/app",
    f"postgresql://u:{PASSWORD}@db1:port:x/app",
    f"host=db1 password={PASSWORD} nonsense",
    f"host=db1 password='{PASSWORD}",
    f'host=db1 password={PASSWORD}"x nonsense {PASSWORD}',
    f"mysql://u:{PASSWORD}@db1/app",
    f"postgresql://u:p@{PASSWORD}@db1/app",
    f"postgresql://u:{PASSWORD}/x@db1/app",
)


@pytest.mark.parametrize("dsn", DSNS)
@pytest.mark.parametrize("way", ("flag", "QUEUETOP_DSN", "DATABASE_URL", "profile"))
def test_no_listing_shows_a_password(
    cli: Run, config_file: Path, monkeypatch: pytest.MonkeyPatch, dsn: str, way: str
) -> None:
    arguments = ["config", "--debug"]
    if way == "flag":
        arguments += ["--dsn", dsn]
    elif way == "profile":
        config_file.write_text(f"[profiles.default]\ndsn = '''{dsn}'''")
    else:
        monkeypatch.setenv(way, dsn)
    for form in ((), ("--json",)):
        result = cli(*arguments, *form)
        assert result.code == 0
        assert "dsn" in result.out
        assert PASSWORD not in result.out + result.err


@pytest.mark.parametrize("dsn", DSNS[-2:])
def test_a_password_that_is_not_escaped_is_explained(cli: Run, dsn: str) -> None:
    result = cli("snapshot", "--debug", "--dsn", dsn)
    assert result.code == 2
    assert "percent-encoded (@ as %40, / as %2F" in result.err
    assert PASSWORD not in result.err


@pytest.mark.parametrize(
    "dsn",
    (
        "postgresql://h1:1,h2:1/app?connect_timeout=2",
        "postgresql://127.0.0.1:1/db@x?user=me@azure",
        "postgresql://[::1]:1/app",
        "postgresql:///app?host=/nowhere",
    ),
)
def test_other_odd_addresses_are_left_to_libpq(cli: Run, dsn: str) -> None:
    result = cli("snapshot", "--dsn", dsn)
    assert result.code == 3
    assert "%40" not in result.err


def test_the_text_names_file_and_profile(cli: Run, config_file: Path) -> None:
    assert f"file     {config_file} (not there)" in cli("config").out
    config_file.write_text(PROFILES)
    out = cli("config").out
    assert "profile  prod (of prod, dev)" in out
    assert "payment_task, reports.toml" in out


def test_no_color() -> None:
    assert load({}, {}).color
    assert not load({}, {"NO_COLOR": "1"}).color
    assert not load({"no_color": True}, {}).color


def test_themes_are_those_of_the_screen() -> None:
    from queuetop.ui.themes import NAMES

    assert NAMES == THEMES


def test_a_secret_has_no_repr() -> None:
    settings = load({"dsn": f"host=x password={PASSWORD}"}, {})
    assert PASSWORD not in repr(settings)


def test_no_home_is_no_error(cli: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    import platformdirs

    def nowhere(*_: object, **__: object) -> str:
        raise RuntimeError("could not determine the home directory")

    monkeypatch.setattr(platformdirs, "user_config_dir", nowhere)
    assert cli("config").code == 0
    assert "neither HOME nor XDG_CONFIG_HOME says where" in cli("config").out
    result = cli("config", "--profile", "prod")
    assert result.code == 2
    assert "there is no HOME" in result.err


def test_a_relative_xdg_folder_is_not_the_current_one(
    cli: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", "here")
    (tmp_path / "here" / "queuetop").mkdir(parents=True)
    (tmp_path / "here" / "queuetop" / "config.toml").write_text("nonsense")
    (tmp_path / "config.toml").write_text("nonsense")
    assert cli("config").code == 0


def test_times_need_a_value_that_is_one() -> None:
    with pytest.raises(UsageError, match="between"):
        load({"interval": "2h"}, {})
