"""What was acknowledged is there, whatever becomes of the process."""

import random
import signal
import subprocess
import sys
from pathlib import Path

from wayword.store.urls import open_store

APPENDER = Path(__file__).with_name("appender.py")


def start(address, name, first, last):
    command = [sys.executable, APPENDER, address, name, str(first), str(last)]
    return subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, text=True)


def read_acknowledged(lines):
    # A line that was cut off by the kill tells nothing.
    told = (line.rstrip("\n").split("\t") for line in lines if line.endswith("\n"))
    return {act_id: int(number) for act_id, number in told}


def check_kept(address, acknowledged):
    store = open_store(address)
    kept = [(entry.act_id, number) for number, entry in store.entries()]
    store.close()
    assert len(dict(kept)) == len(kept)
    assert [number for _, number in kept] == list(range(1, len(kept) + 1))
    assert acknowledged.items() <= dict(kept).items()
    return len(kept)


def test_acknowledged_acts_survive_a_kill_at_any_moment_and_none_is_there_twice(tmp_path):
    address = str(tmp_path / "project.wayword")
    open_store(address, create=True).close()
    rng = random.Random(7)
    acknowledged, first = {}, 0
    for _ in range(4):
        process = start(address, "ada", first, first + 1_000_000)
        lines = [process.stdout.readline() for _ in range(rng.randint(3, 40))]
        process.send_signal(signal.SIGKILL)
        lines += process.stdout.readlines()
        process.wait()
        process.stdout.close()
        acknowledged |= read_acknowledged(lines)
        # The next round sends the last acts again, the one under way when the process died among them.
        first = max(0, check_kept(address, acknowledged) - 3)
    assert len(acknowledged) > 12


def test_several_processes_append_at_once(tmp_path):
    address = str(tmp_path / "project.wayword")
    open_store(address, create=True).close()
    processes = [start(address, name, 0, 40) for name in ("ada", "bob")]
    told = [process.communicate()[0].splitlines(keepends=True) for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    acknowledged = read_acknowledged(told[0]) | read_acknowledged(told[1])
    assert len(acknowledged) == check_kept(address, acknowledged) == 80
