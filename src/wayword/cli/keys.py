"""Keys that a person presses: one at a time from a terminal, or as lines where there is none."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Callable
from typing import Any, Self

ENTER, SPACE, LEFT, RIGHT, UNDO, END = "\n", " ", "<", ">", "u", ""
DIGITS = "1234567890"
_ESCAPE = "\x1b"
# Ctrl+D ends, and Ctrl+Z takes back.
_MEANT = {"\r": ENTER, "\x04": END, "\x1a": UNDO}
_ARROWS = {b"[D": LEFT, b"OD": LEFT, b"[C": RIGHT, b"OC": RIGHT}
# Seconds within which a terminal sends the rest of an arrow key.
_PAUSE = 0.05
# Keys that are followed by a text.
_ASKING = "nc/"
_LINES_HELP = """  One line for each document: numbers of labels (such as 1 or 13) and Enter. A line with a blank alone passes over;
  u, f, ? and q are as above, < and > are the arrows, 'n NAME' names a label, 'c TEXT' comments and '/ WORDS' searches."""


class TerminalKeys:
    """Keys of a terminal, each at once and unseen while this is entered; what is typed ahead is kept."""

    hint = ""

    def __init__(self, descriptor: int | None = None) -> None:
        self._descriptor = sys.stdin.fileno() if descriptor is None else descriptor
        self._before: list[Any] = []

    def __enter__(self) -> Self:
        import termios

        self._before = termios.tcgetattr(self._descriptor)
        self._take_keys()
        return self

    def __exit__(self, *_: object) -> None:
        self._take_lines()

    def _take_keys(self) -> None:
        import termios

        mode = termios.tcgetattr(self._descriptor)
        mode[3] &= ~(termios.ECHO | termios.ICANON)
        # Without a key that stops the program, Ctrl+Z is a key like others; Ctrl+C still ends it.
        never = bytes([os.fpathconf(self._descriptor, "PC_VDISABLE") & 0xFF])
        mode[6] = list(mode[6])
        mode[6][termios.VSUSP], mode[6][termios.VMIN], mode[6][termios.VTIME] = never, 1, 0
        termios.tcsetattr(self._descriptor, termios.TCSANOW, mode)

    def _take_lines(self) -> None:
        import termios

        termios.tcsetattr(self._descriptor, termios.TCSANOW, self._before)

    def read(self) -> str:
        """Return the next key; an empty text at the end."""
        key = os.read(self._descriptor, 1).decode("ascii", "replace")
        return self._read_arrow() if key == _ESCAPE else _MEANT.get(key, key)

    def _read_arrow(self) -> str:
        """Return the arrow that began with Escape; Escape, which means nothing, if it is something else."""
        rest = b""
        while select.select([self._descriptor], [], [], _PAUSE)[0]:
            byte = os.read(self._descriptor, 1)
            rest += byte
            # A sequence begins with [ or O and ends with the first letter or ~ after that.
            if not byte or rest[:1] not in b"[O" or (len(rest) > 1 and 0x40 <= rest[-1] <= 0x7E):
                break
        return _ARROWS.get(rest, _ESCAPE)

    def ask(self, what: str) -> str:
        """Return a line that is typed."""
        print(f"{what}: ", end="", flush=True)
        typed = bytearray()
        self._take_lines()
        try:
            # Byte by byte: what is typed ahead of the end of the line is left for the keys.
            while (byte := os.read(self._descriptor, 1)) not in (b"\n", b""):
                typed += byte
        finally:
            self._take_keys()
        return typed.decode("utf-8", "replace").strip()

    def choose(self) -> str:
        """Return a single key."""
        return self.read()


class LineKeys:
    """Keys from lines, where there is no terminal: the digits of a line are followed by Enter."""

    hint = _LINES_HELP

    def __init__(self, read_line: Callable[[], str]) -> None:
        self._read_line = read_line
        self._waiting: list[str] = []
        self._typed = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def read(self) -> str:
        """Return the next key; an empty text at the end."""
        if not self._waiting:
            line = self._read_line()
            if not line:
                return END
            self._waiting = self._keys_of(line.rstrip("\r\n"))
        return self._waiting.pop(0)

    def ask(self, what: str) -> str:  # noqa: ARG002 - the terminal's shows it
        """Return the text that stood behind a key."""
        return self._typed

    def choose(self) -> str:
        """Return the first letter of the next line."""
        return self._read_line().strip()[:1]

    def _keys_of(self, line: str) -> list[str]:
        if line and not line.strip():
            return [SPACE]
        line = line.strip()
        if line[:1] and line[0] in _ASKING:
            self._typed = line[1:].strip()
            return [line[0]]
        if not line or all(key in DIGITS for key in line):
            return [*line, ENTER]
        return list(line)
