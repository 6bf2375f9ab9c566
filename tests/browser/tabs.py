"""Tabs of a real browser over a served project: they keep what the page said and asked for, to be judged at the end."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from programs import PATIENCE
from wayword import Corpus

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

SUBJECTS = {
    "space": "rocket moon orbit shuttle crew launch planet comet lunar probe telescope astronaut",
    "food": "bread soup cook cake sugar butter flour oven recipe kitchen pepper dough",
    "sport": "team game player goal crowd coach league referee stadium match striker season",
    "music": "guitar song drum melody chorus violin concert singer rhythm album piano chord",
}
SCREENS = ("overview", "label", "topics", "documents", "quality", "exchange")


def make_corpus(n_documents: int = 80) -> Corpus:
    """Return documents about four subjects in turn; an id tells the subject."""
    chance = random.Random(0)
    shared = "day people thing place year story".split()
    texts, ids = [], []
    for k in range(n_documents):
        name = list(SUBJECTS)[k % len(SUBJECTS)]
        words = chance.choices(SUBJECTS[name].split(), k=14) + chance.choices(shared, k=6)
        chance.shuffle(words)
        texts.append(" ".join(words) + ".")
        ids.append(f"{name}-{k}")
    return Corpus(texts, ids=ids)


@dataclass
class Tab:
    """One tab. `said` is what its console and its faults said, `asked` the addresses it asked for."""

    page: Page
    address: str
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def enter(self, name: str = "ada", screen: str = "label") -> None:
        """Come for the first time, say who we are, and wait until the screen shows what it is to show."""
        self.page.goto(f"{self.address}/#/{screen}")
        self.page.locator("#who-name").wait_for()
        self.press(*name, "Enter")
        self.wait_for_screen(screen)

    def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        for key in keys:
            self.page.keyboard.press(key)

    def go(self, screen: str) -> None:
        """Turn to a screen by its address."""
        self.page.evaluate("where => { location.hash = where }", f"#/{screen}")
        self.wait_for_screen(screen)

    def wait_for_screen(self, screen: str) -> None:
        """Wait until a screen shows what it is to show."""
        self.page.locator(f"main:not([aria-busy]) .screen.{screen.partition('?')[0]}").wait_for()
        self.wait("() => !document.querySelector('main .bone')")

    def find(self, selector: str, **more: Any) -> Locator:
        """Return what a selector finds."""
        return self.page.locator(selector, **more)

    def wait(self, expression: str, given: Any = None) -> None:
        """Wait until an expression is true in the page."""
        self.page.wait_for_function(expression, arg=given)

    def text(self, selector: str) -> str:
        """Return the text of the first thing found."""
        return self.page.locator(selector).first.inner_text()

    def document(self) -> str:
        """Return the id of the document that is shown on the screen Label."""
        self.page.locator(".label .about bdi").first.wait_for()
        return self.text(".label .about bdi")

    def wait_for_another(self, document: str) -> None:
        """Wait until another document is shown."""
        self.wait("was => document.querySelector('.label .about bdi')?.textContent !== was", document)

    def key_of(self, label: str) -> str:
        """Return the key that stands beside a label."""
        return self.find(".choice", has_text=label).locator("kbd").inner_text()

    def close(self) -> None:
        """End the tab: it must have said nothing, and have asked nobody but the server."""
        self.page.context.close()
        assert self.said == []
        assert [url for url in self.asked if not url.startswith((self.address, "blob:", "data:"))] == []


def open_tab(browser: Browser, address: str, **settings: Any) -> Tab:
    """Open a tab with a memory of its own."""
    page = browser.new_context(**{"viewport": {"width": 1280, "height": 720}, **settings}).new_page()
    page.set_default_timeout(PATIENCE)
    return watch(page, address)


def watch(page: Page, address: str) -> Tab:
    """Keep what a page says and asks for."""
    tab = Tab(page, address)
    page.on("console", lambda message: tab.said.append(message.text))
    page.on("pageerror", lambda error: tab.said.append(str(error)))
    page.on("dialog", lambda dialog: tab.said.append(dialog.message))
    page.on("request", lambda request: tab.asked.append(request.url))
    return tab
