"""Programs that some tests need besides Python packages: a browser and a database server, one of each for all tests."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# Machines that test are busy.
PATIENCE = 300_000


def missing(what: str) -> None:
    """Skip a test for want of a component; in CI, where nothing may be missing, fail it."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{what} is missing, and with CI=true nothing may be")
    pytest.skip(f"{what} is missing")


@pytest.fixture(scope="session")
def chromium() -> str:
    """Return the path of a chromium that can be driven."""
    found = shutil.which("chromium")
    if found is None:
        missing("chromium (apt install chromium)")
    assert found is not None
    return found


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Browser]:
    """Start a browser; there can be one in a process only."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"], timeout=PATIENCE)
        yield started
        started.close()


def _find_postgres() -> Path | None:
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    on_path = shutil.which("initdb")
    return installed[-1].parent if installed else Path(on_path).parent if on_path else None


@pytest.fixture(scope="session")
def postgres() -> Iterator[Path]:
    """Start a PostgreSQL server of its own on a socket; return the folder of the socket."""
    programs = _find_postgres()
    if programs is None:
        missing("postgresql (apt install postgresql)")
    assert programs is not None
    # The server refuses to run as root; the socket's path must stay short.
    as_user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    with tempfile.TemporaryDirectory(prefix="wayword-pg-") as folder:
        if as_user:
            shutil.chown(folder, "postgres")
        data = Path(folder) / "data"

        def run(*command: object) -> None:
            subprocess.run([*as_user, *map(str, command)], check=True, capture_output=True, cwd=folder)

        run(programs / "initdb", "-D", data, "--auth=trust", "--username=postgres", "--no-sync")
        options = f"-k {folder} -c listen_addresses='' -c fsync=off"
        run(programs / "pg_ctl", "-D", data, "-w", "-l", Path(folder) / "log", "-o", options, "start")
        try:
            yield Path(folder)
        finally:
            run(programs / "pg_ctl", "-D", data, "-m", "immediate", "stop")
