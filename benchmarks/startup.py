"""How long it takes until Wayword is there."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Result, run_python

_IMPORT = "import time, numpy; start = time.process_time(); import wayword; print(time.process_time() - start)"


_DEMO = "import time; start = time.perf_counter(); from wayword import demo_corpus; demo_corpus(); print(time.perf_counter() - start)"


def run(repeats: int) -> Iterator[Result]:
    repeats = max(repeats, 5)
    taken = statistics.median(float(run_python(_IMPORT)) for _ in range(repeats))
    yield Result("import wayword, CPU beyond numpy: 0.15 s", taken, 0.15, "s", 0.15 / taken, 1.0, repeats)
    command = [str(Path(sys.executable).parent / "wayword"), "--help"]
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.perf_counter() - started)
    taken = statistics.median(times)
    yield Result("wayword --help: 0.4 s", taken, 0.4, "s", 0.4 / taken, 1.0, repeats)
    taken = statistics.median(float(run_python(_DEMO)) for _ in range(repeats))
    yield Result("demo_corpus() in a new process, imports included: 5 s", taken, 5.0, "s", 5.0 / taken, 1.0, repeats)
