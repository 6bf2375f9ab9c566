"""Programs that some tests need besides Python packages."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import missing


@pytest.fixture(scope="session")
def chromium() -> str:
    """Return the path of a chromium that can be driven."""
    found = shutil.which("chromium")
    if found is None:
        missing("chromium (apt install chromium)")
    assert found is not None
    return found


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
