"""The documentation runs, and leaves nothing out.

Fenced blocks of a page run in order, in one folder: a block with a caption is a file of that name, ``>>>`` lines are
doctests, and ``$ wayword`` lines are commands with the output below them.
"""

from __future__ import annotations

import doctest
import inspect
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

import wayword
from wayword import errors
from wayword.cli import main as cli

REPOSITORY = Path(__file__).resolve().parents[1]
DOCS = REPOSITORY / "docs"
PAGES = sorted(page for page in DOCS.rglob("*.md") if "_build" not in page.parts)
GUIDE = sorted((DOCS / "guide").glob("*.md"))
FENCE = re.compile(r"^```(?P<kind>[^\n]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
CAPTION = re.compile(r"\A:caption: (?P<name>\S+)\n+")
LIKE_A_PERSON = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def read(*pages: Path) -> str:
    return "\n".join(page.read_text(encoding="utf-8") for page in pages)


def names_in_code(text: str) -> set[str]:
    """Return every word that stands in a fenced block or between backticks."""
    blocks = [match["body"] for match in FENCE.finditer(text)]
    spans = re.findall(r"`([^`\n]+)`", FENCE.sub("", text))
    return set(re.findall(r"\w+", " ".join(blocks + spans)))


def sections(text: str) -> dict[str, str]:
    """Return what stands below each heading of the second level, fenced blocks aside."""
    parts = re.split(r"^## +(.+)$", FENCE.sub("", text), flags=re.MULTILINE)
    return {title.strip().strip("`"): body for title, body in zip(parts[1::2], parts[2::2], strict=True)}


def page_id(page: Path) -> str:
    return page.relative_to(DOCS).as_posix()


def captioned_files(text: str) -> Iterator[tuple[str, str]]:
    for fence in FENCE.finditer(text):
        if caption := CAPTION.match(fence["body"]):
            yield caption["name"], fence["body"][caption.end() :]


def commands(text: str) -> Iterator[tuple[str, str]]:
    """Yield each ``$ wayword`` command of a page with the output shown."""
    for fence in FENCE.finditer(text):
        if fence["kind"] == "console":
            for part in re.split(r"^\$ ", fence["body"], flags=re.MULTILINE)[1:]:
                command, _, output = part.partition("\n")
                if command.startswith("wayword"):
                    yield command, output


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_examples_of_a_page_run_and_print_what_is_shown(page: Path, folder: Path) -> None:
    # Fences become empty lines, so that line numbers stay right and no output runs into one.
    text = re.sub(r"^```.*$", "", read(page), flags=re.MULTILINE)
    examples = doctest.DocTestParser().get_doctest(text, {}, page_id(page), str(page), 0)
    report: list[str] = []
    result = doctest.DocTestRunner(verbose=False).run(examples, out=report.append)
    assert result.failed == 0, "".join(report)


@pytest.mark.parametrize("page", [page for page in PAGES if any(commands(read(page)))], ids=page_id)
def test_commands_of_a_page_print_what_is_shown(page: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, contents in captioned_files(read(page)):
        (folder / name).write_text(contents, encoding="utf-8")
    for command, shown in commands(read(page)):
        cli.main(shlex.split(command)[1:])
        printed = "".join(capsys.readouterr())
        assert doctest.OutputChecker().check_output(shown, printed, LIKE_A_PERSON), f"$ {command}\n{printed}"


def test_some_examples_and_commands_are_found() -> None:
    assert sum(text.count("\n>>> ") for text in map(read, PAGES)) > 50
    assert len(list(commands(read(DOCS / "commands.md")))) >= 5


def public_names() -> list[str]:
    of_errors = [name for name, value in vars(errors).items() if inspect.isclass(value)]
    return [*wayword.__all__, *of_errors]


@pytest.mark.parametrize("name", public_names())
def test_public_name_is_in_the_reference(name: str) -> None:
    assert name in names_in_code(read(DOCS / "reference.md"))


@pytest.mark.parametrize("name", [name for name in public_names() if not name.startswith("__")])
def test_public_name_is_in_the_guide(name: str) -> None:
    assert name in names_in_code(read(*GUIDE))


def parameters(function: Any) -> list[str]:
    return [name for name in inspect.signature(function).parameters if name != "self"]


def is_explained(parameter: str, text: str) -> bool:
    """Whether a page writes a parameter between backticks or gives it a value."""
    return re.search(rf"`{parameter}`|(?<!\w){parameter}=", text) is not None


@pytest.mark.parametrize("parameter", parameters(wayword.read_corpus)[1:])
def test_setting_of_read_corpus_is_in_the_guide(parameter: str) -> None:
    assert is_explained(parameter, read(DOCS / "guide" / "reading.md"))


@pytest.mark.parametrize("parameter", parameters(wayword.Vectorizer))
def test_setting_of_vectorizer_is_in_the_guide(parameter: str) -> None:
    assert is_explained(parameter, read(DOCS / "guide" / "counting.md"))


@pytest.mark.parametrize(
    "parameter", sorted({*parameters(wayword.cooccurrence)[1:], *parameters(wayword.context_cooccurrence)[2:]})
)
def test_setting_of_cooccurrence_is_in_the_guide(parameter: str) -> None:
    assert is_explained(parameter, read(DOCS / "guide" / "cooccurrence.md"))


MODEL_PAGES = {
    "TopicDiscovery": "discovery.md",
    "NMF": "factorisation.md",
    "TopicSupervisedNMF": "factorisation.md",
    "SemiSupervisedNMF": "factorisation.md",
    "ThemeNMF": "themes.md",
    "DeepSemiNMF": "deep.md",
    "AnchorTopics": "anchors.md",
    "SupervisedAnchors": "anchors.md",
    "complete": "completion.md",
}
MODEL_SETTINGS = [
    (name, parameter)
    for name in MODEL_PAGES
    if name in wayword.__all__
    for parameter in parameters(getattr(wayword, name))
]


@pytest.mark.parametrize(("name", "parameter"), MODEL_SETTINGS)
def test_setting_of_a_model_is_in_the_guide(name: str, parameter: str) -> None:
    assert is_explained(parameter, read(DOCS / "guide" / MODEL_PAGES[name]))


def walk_commands(command: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Yield every command and group below `command` with the words that call it."""
    yield path, command
    for name, inner in getattr(command, "commands", {}).items():
        yield from walk_commands(inner, f"{path} {name}")


COMMANDS = dict(walk_commands(typer.main.get_command(cli.app), "wayword"))
OPTIONS = [
    (path, getattr(option, "rich_help_panel", None), spelling)
    for path, command in COMMANDS.items()
    for option in command.params
    if option.param_type_name == "option"
    for spelling in (*option.opts, *option.secondary_opts)
]


@pytest.mark.parametrize("path", COMMANDS)
def test_command_has_a_section(path: str) -> None:
    assert path in sections(read(DOCS / "commands.md"))


@pytest.mark.parametrize(("path", "panel", "spelling"), OPTIONS)
def test_option_is_in_the_section_of_its_command(path: str, panel: str | None, spelling: str) -> None:
    found = sections(read(DOCS / "commands.md"))
    # Options that several commands share stand once, in a section named like their panel in the help.
    section = found[f"{panel} options"] if panel else found[path]
    assert re.search(rf"`{re.escape(spelling)}[ `]", section)


def test_every_make_target_is_in_the_readme_or_the_contributing_page() -> None:
    pages = [page for name in ("README.md", "CONTRIBUTING.md") if (page := REPOSITORY / name).exists()]
    text = read(*pages)
    targets = re.findall(r"^([a-z]+):.*## ", read(REPOSITORY / "Makefile"), flags=re.MULTILINE)
    assert targets
    assert [target for target in targets if f"make {target}" not in text] == []
