"""Steering topics: every act shows what it did, and goes back."""

from server.serving import wait_until
from wayword.guidance.actions import BanTerm, SetPurity


def row_of(tab, topic):
    return tab.find(f".topic[data-topic='{topic}']")


def anchors_of(project, topic):
    return next((view.anchors for view in project.topics() if view.id == topic), [])


def settle(tab):
    """Wait until the effect of an act is shown."""
    tab.wait("() => !document.querySelector('.topic-list').hasAttribute('aria-busy')")


def test_a_typed_anchor_makes_a_tandem_and_an_unknown_word_is_met_with_near_ones(tab, labelled):
    tab.enter(screen="topics")
    topic = labelled.topics()[0].id
    first = anchors_of(labelled, topic)[0]
    field = row_of(tab, topic).locator("input[role='combobox']")
    word = next(term.term for term in labelled.topics()[0].terms if term.term != first)
    field.type(word[:3])
    tab.find("[role='option']", has_text=word).wait_for()
    field.press("ArrowDown")
    field.press("Enter")
    row_of(tab, topic).locator(".chip", has_text=word).wait_for()
    settle(tab)
    assert len(anchors_of(labelled, topic)) == 2
    assert field.input_value() == ""
    assert row_of(tab, topic).get_by_text("pinned").count() == 1
    field.type("guitarr")
    field.press("Enter")
    row_of(tab, topic).locator(".combo .hint button", has_text="guitar").wait_for()
    assert field.input_value() == "guitarr"
    row_of(tab, topic).locator(".combo .hint button", has_text="guitar").click()
    row_of(tab, topic).locator(".chip", has_text="guitar").wait_for()
    settle(tab)
    tab.find(".toast button", has_text="Undo").click()
    row_of(tab, topic).locator(".chip", has_text="guitar").wait_for(state="detached")
    tab.said.clear()  # a browser says itself that an answer was an error


def test_an_anchor_is_dragged_to_another_row_and_moved_on_by_keyboard(tab, labelled):
    tab.enter(screen="topics")
    one, other = (view.id for view in labelled.topics()[:2])
    moved = anchors_of(labelled, one)[0]
    spare = next(term.term for term in labelled.topics()[0].terms if term.term != moved)
    field = row_of(tab, one).locator("input[role='combobox']")
    field.type(spare)
    field.press("Enter")
    row_of(tab, one).locator(".chip", has_text=spare).wait_for()
    settle(tab)
    row_of(tab, one).locator(f".chip[data-term='{moved}']").drag_to(row_of(tab, other).locator("ww-chips"))
    row_of(tab, other).locator(f".chip[data-term='{moved}']").wait_for()
    settle(tab)
    assert moved in anchors_of(labelled, other)
    assert moved not in anchors_of(labelled, one)
    rows = tab.find(".topic").evaluate_all("rows => rows.map(row => row.dataset.topic)")
    place = rows.index(other)
    key, goal = ("Alt+ArrowUp", rows[place - 1]) if place else ("Alt+ArrowDown", rows[1])
    row_of(tab, other).locator(f".chip[data-term='{moved}']").focus()
    tab.press(key)
    row_of(tab, goal).locator(f".chip[data-term='{moved}']").wait_for()
    settle(tab)
    assert moved in anchors_of(labelled, goal)
    assert tab.page.evaluate("document.activeElement.dataset.term") == moved


def test_a_banned_word_leaves_every_topic_and_comes_back_by_undo(tab, labelled):
    tab.enter(screen="topics")
    word = labelled.topics()[0].terms[0].term
    term = tab.find(f".topic .term[data-term='{word}']")
    term.first.click()
    tab.find("[role='menuitem']", has_text="Ban it everywhere").click()
    term.first.wait_for(state="detached")
    settle(tab)
    assert all(word not in [one.term for one in view.terms] for view in labelled.topics())
    tab.find(".topic.changed").first.wait_for()  # marked in the next frame
    tab.press("Escape", "u")
    term.first.wait_for()
    labelled.refresh()
    assert any(word in [one.term for one in view.terms] for view in labelled.topics())


def test_banned_words_are_listed_and_each_is_let_in_again(tab, labelled):
    words = [term.term for term in labelled.topics()[0].terms[:2]]
    labelled.apply([BanTerm(word) for word in words], annotator="ben")
    tab.enter(screen="topics")
    chips = tab.find(".banned button")
    assert chips.evaluate_all("chips => chips.map(chip => chip.dataset.term)") == sorted(words)
    tab.find(f".banned button[aria-label='Let {words[0]} in again']").click()
    tab.find(f".banned [data-term='{words[0]}']").wait_for(state="detached")
    tab.find(f".topic .term[data-term='{words[0]}']").first.wait_for()
    assert labelled.view().banned == words[1:]
    tab.find(".toast button", has_text="Undo").click()
    tab.find(f".banned [data-term='{words[0]}']").wait_for()


def test_topics_stand_at_the_purity_of_the_project_without_the_overview(tab, labelled):
    labelled.apply([SetPurity(0.8)], annotator="ben")
    tab.enter(screen="topics")
    tab.find(".topic").first.wait_for()
    assert tab.find("#purity").input_value() == "0.8"
    assert not [url for url in tab.asked if "/api/overview" in url]


def test_a_word_is_kept_out_of_one_topic_only(tab, labelled):
    tab.enter(screen="topics")
    view = labelled.topics()[0]
    word = next(term.term for term in view.terms if term.term not in view.anchors)
    row_of(tab, view.id).locator(f".term[data-term='{word}']").click()
    tab.find("[role='menuitem']", has_text="Keep it out").click()
    row_of(tab, view.id).locator(".kept-out", has_text=word).wait_for()
    settle(tab)
    now = next(one for one in labelled.topics() if one.id == view.id)
    assert now.forbidden == [word]
    assert word not in [term.term for term in now.terms]


def test_topics_are_renamed_merged_split_and_promoted(tab, labelled):
    tab.enter(screen="topics")
    before = labelled.topics()
    one, other = before[0].id, before[1].id
    row_of(tab, one).locator(".rename").click()
    row_of(tab, one).locator(".name input").fill("Things we like")
    tab.press("Enter")
    row_of(tab, one).locator(".rename", has_text="Things we like").wait_for()
    settle(tab)
    for topic in (one, other):
        row_of(tab, topic).locator("input[type='checkbox']").check()
    tab.find("button", has_text="Merge 2").click()
    tab.find("dialog .option", has_text="Things we like").click()
    tab.find("dialog footer button", has_text="Merge").click()
    row_of(tab, other).wait_for(state="detached")
    settle(tab)
    assert len(labelled.topics()) == len(before) - 1
    assert set(before[0].anchors + before[1].anchors) <= set(anchors_of(labelled, one))
    row_of(tab, one).locator("button[aria-label^='More about']").click()
    tab.find("[role='menuitem']", has_text="Split in two").click()
    tab.find("dialog footer button", has_text="Split").click()
    wait_until(lambda: len(labelled.topics()) == len(before))
    settle(tab)
    row_of(tab, one).locator("button[aria-label^='More about']").click()
    tab.find("[role='menuitem']", has_text="Promote").click()
    tab.find("#theme-name").fill("Likes")
    tab.press("Enter")
    wait_until(lambda: "Likes" in [label.name for label in labelled.labels()])
    tab.find("dialog").wait_for(state="detached")


def test_a_name_that_the_server_refuses_stays_in_its_field(tab, labelled):
    tab.enter(screen="topics")
    topic = labelled.topics()[0].id
    tab.page.route("**/api/acts", lambda route: route.fulfill(status=500, json={"error": "Try again later."}))
    row_of(tab, topic).locator(".rename").click()
    row_of(tab, topic).locator(".name input").fill("A long thought")
    tab.press("Enter")
    tab.find(".notice", has_text="Try again later").wait_for()
    assert row_of(tab, topic).locator(".name input").input_value() == "A long thought"
    tab.said.clear()


def test_a_frozen_topic_says_so_and_keeps_its_words(tab, labelled):
    tab.enter(screen="topics")
    view = labelled.topics()[0]
    row_of(tab, view.id).locator("button[aria-label^='More about']").click()
    tab.find("[role='menuitem']", has_text="Freeze").click()
    row_of(tab, view.id).get_by_text("frozen").wait_for()
    settle(tab)
    now = next(one for one in labelled.topics() if one.id == view.id)
    assert (now.frozen, [term.term for term in now.terms]) == (True, [term.term for term in view.terms])


def test_a_topic_is_pinned_loses_an_anchor_by_key_and_is_let_go(tab, labelled):
    tab.enter(screen="topics")
    view = next(topic for topic in labelled.topics() if not topic.pinned)
    row, spare = row_of(tab, view.id), view.terms[1].term
    assert spare not in view.anchors

    def choose(text):
        row.locator("button[aria-label^='More about']").click()
        tab.find("[role='menuitem']", has_text=text).click()

    choose("Pin")
    row.locator(".sign", has_text="pinned").wait_for()
    settle(tab)
    assert "1 of them yours" in tab.text(".topics header p")
    row.locator(f".term[data-term='{spare}']").click()
    tab.find("[role='menuitem']", has_text="an anchor").click()
    row.locator(f".chip[data-term='{spare}']").wait_for()
    row.locator(".effect .came.anchor", has_text=spare).wait_for()
    settle(tab)
    row.locator(f".chip[data-term='{spare}']").focus()
    tab.press("Delete")
    row.locator(f".chip[data-term='{spare}']").wait_for(state="detached")
    row.locator(".effect .went.anchor", has_text=spare).wait_for()
    settle(tab)
    assert anchors_of(labelled, view.id) == view.anchors
    # The focus stays among the anchors, so that the next key finds one.
    assert tab.page.evaluate("document.activeElement.dataset.term") == view.anchors[-1]
    choose("Let go")
    row.locator(".sign").wait_for(state="detached")
    settle(tab)
    assert not any(topic.pinned for topic in labelled.topics())
