"""Every screen in light and dark, on a laptop and on a narrow one; the first visit."""

import pytest

from browser.tabs import SCREENS, open_tab
from server.serving import serving
from wayword.active.stopping import LEAST_LABELLED
from wayword.guidance.actions import AddLabel, Label, RenameTopic

BACKGROUND = "() => getComputedStyle(document.body).backgroundColor"


@pytest.mark.parametrize(("scheme", "width", "height"), [("light", 1280, 720), ("dark", 1024, 700)])
def test_no_screen_says_an_error_sticks_out_or_asks_anybody_else(browser, labelled, scheme, width, height):
    with serving(labelled) as served:
        tab = open_tab(browser, served.address, color_scheme=scheme, viewport={"width": width, "height": height})
        tab.enter(screen="overview")
        tab.find(".figure .main-svg").first.wait_for()
        for screen in SCREENS:
            tab.go(screen)
            tab.wait("() => !document.querySelector('main .bone')")
            assert tab.page.evaluate("document.documentElement.scrollWidth") <= width
            assert tab.page.evaluate("document.getElementById('content').scrollWidth") <= width
            assert tab.find("main h1").count() == 1
            assert tab.find(".notice").count() == 0
        tab.close()


def test_dark_mode_is_switched_by_key_and_kept(tab, labelled):
    tab.enter(screen="overview")
    light = tab.page.evaluate(BACKGROUND)
    tab.press("Shift+D")
    dark = tab.page.evaluate(BACKGROUND)
    assert dark != light
    tab.page.reload()
    tab.find(".screen.overview").wait_for()
    assert tab.page.evaluate(BACKGROUND) == dark
    tab.press("Shift+D")
    assert tab.page.evaluate(BACKGROUND) == light


def test_every_button_field_and_picture_has_a_name_and_tab_reaches_the_screens(tab, labelled):
    tab.enter(screen="overview")
    nameless = """() => [...document.querySelectorAll('button, input, select, textarea, a[href]')]
        .filter(one => one.checkVisibility() && !(one.getAttribute('aria-label') || one.textContent.trim() || one.labels?.length))
        .map(one => one.outerHTML)"""
    for screen in SCREENS:
        tab.go(screen)
        tab.wait("() => !document.querySelector('main .bone')")
        assert tab.page.evaluate(nameless) == []
    tab.page.evaluate("document.activeElement.blur()")
    tab.press("g", "t")
    tab.find(".screen.topics").wait_for()
    assert tab.find(".tab[aria-current='page']").inner_text() == "Topics"


def test_the_purity_slider_ranks_words_anew_at_once_and_is_kept(tab, labelled):
    tab.enter(screen="overview")
    before = tab.text(".theme .terms")
    with tab.page.expect_response("**/api/overview?purity=0"):
        tab.find("#purity").fill("0")
    tab.wait("was => document.querySelector('.theme .terms').innerText !== was", before)
    labelled.refresh()
    assert labelled.overview().purity == 0


def test_background_and_residual_are_fitted_from_the_overview(tab, project, monkeypatch):
    monkeypatch.setattr("wayword.workbench.core._IDLE", 1e9)  # no fit but the one that is asked for
    names = ("space", "food")
    said = [Label((f"{name}-{place + 4 * k}",), (name,)) for place, name in enumerate(names) for k in range(5)]
    project.apply([*(AddLabel(name, name) for name in names), *said], annotator="ben")
    tab.enter(screen="overview")
    for card in (".background", ".residual"):
        assert tab.text(card) == "Not fitted yet: press “Fit now”."
    tab.find("button", has_text="Fit now").click()
    tab.find(".residual .quote").first.wait_for()
    seen = project.overview()
    assert tab.find(".background li").all_inner_texts() == [term.term for term in seen.background[:24]]
    goals = tab.find(".residual .quote").evaluate_all("all => all.map(one => one.hash)")
    assert goals == [f"#/documents?doc={line.id}" for line in seen.residual]


def test_a_click_on_the_rings_opens_the_card(tab, labelled):
    tab.enter(screen="overview")
    tab.find(".figure .main-svg").first.wait_for()
    # Every sector is told: themes by their names, topics by their first words.
    told = {label.name for label in labelled.labels()} | {topic.name.split(", ")[0] for topic in labelled.topics()}
    assert told <= set(tab.find(".figure .slicetext:visible").all_text_contents())
    name = tab.find(".theme[data-label] h2").first.inner_text()
    tab.find(".figure .slice", has_text=name).first.click()
    tab.find(".theme.opened", has_text=name).wait_for()


def test_a_sector_opens_what_it_stands_for_whatever_it_is_called(tab, labelled):
    topic = next(topic for topic in labelled.topics() if topic.label == "sport")
    labelled.apply([RenameTopic(topic.id, "Food")], annotator="ben")
    labelled.refresh()
    tab.enter(screen="overview")
    tab.find(".figure .main-svg").first.wait_for()
    opened = tab.page.evaluate(
        """([topic]) => {
            const figure = document.querySelector("ww-figure[name='sunburst']");
            const [trace] = figure.querySelector(".plot").data;
            const place = trace.customdata.findIndex(([kind, id]) => kind === "topic" && id === topic);
            figure.chosen({ label: trace.labels[place], customdata: trace.customdata[place] });
            return document.activeElement.dataset.label;
        }""",
        [topic.id],
    )
    assert opened == "sport"


def test_a_token_comes_with_the_address_and_leaves_it(browser, labelled):
    with serving(labelled, token="a secret of twenty letters") as served:
        tab = open_tab(browser, served.address)
        tab.page.goto(f"{served.address}/#token=a%20secret%20of%20twenty%20letters")
        tab.find("#who-token").wait_for()
        assert "token" not in tab.page.url
        tab.find("#who-token").fill("another")
        tab.find("#who-name").fill("ada")
        tab.press("Enter")
        tab.find("dialog .wrong:not(:empty)").wait_for()
        assert tab.find("#who-name").input_value() == "ada"
        tab.find("#who-token").fill("a secret of twenty letters")
        tab.press("Enter")
        tab.find(".screen.overview").wait_for()
        tab.said.clear()  # a browser says itself that an answer was an error
        tab.close()


def test_a_project_without_labels_says_what_to_do(tab, project):
    tab.enter(screen="overview")
    tab.find(".empty", has_text="No themes yet").wait_for()
    tab.go("quality")
    tab.find(".empty", has_text="Nothing is measured yet").wait_for()
    assert (LEAST_LABELLED, "With ten labelled documents or more" in tab.text(".empty")) == (10, True)
    tab.go("exchange")
    tab.find(".empty", has_text="Nothing has been said yet").wait_for()
    tab.go("label")
    tab.find(".labels", has_text="No labels yet").wait_for()
