"""``python -m benchmarks [NAME ...]``: measure, print the ratios, keep them."""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path

from benchmarks.measure import Result, save_results

NAMES = (
    "startup",
    "counting",
    "cooccurrence",
    "memory",
    "factorisation",
    "themes",
    "anchors",
    "discovery",
    "figures_browser",
)


def show(result: Result) -> None:
    target = "" if result.target is None else f"  (promised {result.target:g}{'' if result.holds else ', MISSED'})"
    print(
        f"{result.ratio:8.1f} x  {result.ours:9.3f} against {result.theirs:9.3f} {result.unit}  {result.claim}{target}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*NAMES, []], help=f"which to run: {', '.join(NAMES)}")
    parser.add_argument("--repeats", type=int, default=3, help="how often to measure each; medians are compared")
    parser.add_argument("--save", type=Path, help="folder to write one JSON file a benchmark to")
    arguments = parser.parse_args()
    for name in arguments.names or NAMES:
        results = []
        for result in import_module(f"benchmarks.{name}").run(arguments.repeats):
            show(result)
            results.append(result)
        if arguments.save:
            arguments.save.mkdir(parents=True, exist_ok=True)
            save_results(results, arguments.save / f"{name}.json")


if __name__ == "__main__":
    main()
