"""Labelling by keyboard: what is saved, what is shown, what stays where it is."""

import json

from browser.tabs import make_corpus, open_tab
from server.serving import serving, wait_until
from wayword.guidance.actions import AddAnchor, AddLabel, Label
from wayword.workbench.project import Project

SUBJECTS = ("space", "food", "sport", "music")


def make_labels(tab):
    """Make a label for each subject, by keyboard."""
    for name in SUBJECTS:
        tab.press("n")
        tab.find(".naming input").wait_for()
        tab.press(*name, "Enter")
        tab.find(".choice", has_text=name).wait_for()
        tab.find(".naming").wait_for(state="hidden")


def choose_only(tab, name):
    """Press the keys of labels until one alone is chosen."""
    for other in tab.find(".choice[aria-pressed='true'] .grow").all_inner_texts():
        tab.press(tab.key_of(other))
    tab.press(tab.key_of(name))


def label_ten(tab):
    """Label ten documents by keyboard alone; return their ids."""
    seen = []
    for _ in range(10):
        document = tab.document()
        choose_only(tab, document.split("-")[0])
        tab.press("Enter")
        tab.wait_for_another(document)
        seen.append(document)
    return seen


def read_topics(tab):
    """Return what the screen Topics says of each topic: which label it belongs to, and its words."""
    rows = """rows => rows.map(row => [row.dataset.topic, row.querySelector(".belongs").textContent + ": "
        + [...row.querySelectorAll(".term")].map(term => term.dataset.term).join(" ")])"""
    return dict(tab.find(".topic").evaluate_all(rows))


def test_ten_documents_are_labelled_by_keyboard_alone_and_topics_and_questions_follow(tab, project):
    tab.enter(screen="topics")
    before = read_topics(tab)
    tab.go("label")
    asked = tab.text(".why")
    make_labels(tab)
    seen = label_ten(tab)
    assert len(set(seen)) == 10
    assert project.view().n_labelled == 10
    settled = {id: project.document(id, "ada").settled for id in seen}
    names = {label.id: label.name for label in project.labels()}
    assert {id: [names[label] for label in labels] for id, labels in settled.items()} == {
        id: [id.split("-")[0]] for id in seen
    }
    assert tab.text(".saved").strip() == "Saved"
    assert "10 of 80 documents labelled · 10 by you" in tab.text(".label header p")
    # Reasons are about labels by now, a badge says that topics moved, and their rows know the labels.
    assert "no labelled document yet" in asked
    assert "likeliest labels" in tab.text(".why")
    tab.find(".moves:not(.still) .badge", has_text="moved").wait_for()
    project.refresh()
    tab.go("topics")
    named = {name for row in read_topics(tab).values() for name in SUBJECTS if row.startswith(name)}
    assert len(named) > 1
    assert not any(row.startswith(SUBJECTS) for row in before.values())
    assert {topic: row for topic, row in read_topics(tab).items() if topic in before} != before


def test_undo_takes_back_everything_step_by_step_and_shows_the_document_again(tab, project):
    tab.enter()
    make_labels(tab)
    seen = label_ten(tab)
    for document in reversed(seen):
        tab.press("u")
        tab.wait("id => document.querySelector('.label .about bdi')?.textContent === id", document)
    assert project.view().n_labelled == 0
    for left in range(len(SUBJECTS) - 1, -1, -1):
        tab.press("Control+z")
        wait_until(lambda left=left: len(project.labels()) == left)
    tab.press("u")
    tab.find(".toast", has_text="nothing to undo").wait_for()
    tab.press("Shift+Control+z")
    tab.find(".toast", has_text="Done again").wait_for()
    assert [label.name for label in project.labels()] == ["space"]


def test_saved_is_said_only_when_the_server_has_answered(tab, labelled):
    tab.enter()
    held = []
    tab.page.route("**/api/acts", lambda route: held.append(route))
    document = tab.document()
    tab.press("1", "Enter")
    tab.find(".saved", has_text="Saving…").wait_for()
    tab.wait("() => true")
    assert tab.document() == document
    assert "Saved" not in tab.text(".saved")
    held[0].continue_()
    tab.find(".saved", has_text="Saved").wait_for()
    tab.wait_for_another(document)


def test_a_server_error_keeps_what_was_chosen_and_typed_and_another_try_is_one_act(tab, labelled):
    tab.enter()
    document, sent = tab.document(), []

    def fail(route):
        sent.append(json.loads(route.request.post_data))
        route.fulfill(status=500, json={"error": "The disk is full; make room and try again."})

    tab.page.route("**/api/acts", fail)
    tab.press("c")
    tab.find("textarea").type("Is it about both?")
    tab.press("Control+Enter")
    tab.find(".notice", has_text="make room").wait_for()
    assert tab.find("textarea").input_value() == "Is it about both?"
    tab.press("Escape", "1", "Enter")
    tab.find(".saved", has_text="Not saved").wait_for()
    assert tab.document() == document
    assert tab.find(".choice[aria-pressed='true']").count() == 1
    tab.page.unroute("**/api/acts")
    with tab.page.expect_request("**/api/acts") as again:
        tab.find(".notice button", has_text="Try again").click()
    tab.wait_for_another(document)
    assert json.loads(again.value.post_data) == sent[-1]
    assert len(labelled.document(document, "ada").labels) == 1
    tab.said.clear()  # a browser says itself that an answer was an error


def lose_the_first_answer(tab, path):
    """What is sent there arrives, but the first answer does not come back; returns all answers."""
    answers = []

    def answer(route):
        response = route.fetch()
        answers.append(response)
        route.abort() if len(answers) == 1 else route.fulfill(response=response)

    tab.page.route(path, answer)
    return answers


def test_an_undo_that_arrived_though_its_answer_was_lost_takes_back_one_step(tab, labelled):
    answers = lose_the_first_answer(tab, "**/api/undo")  # long before it matters: a browser takes its time
    tab.enter()
    for _ in range(2):
        document = tab.document()
        tab.press("1", "Enter")
        tab.wait_for_another(document)
    before = labelled.view().n_labelled
    tab.press("u")
    tab.find(".toast", has_text="Taken back").wait_for()
    assert len(answers) == 2
    assert labelled.view().n_labelled == before - 1
    tab.said.clear()  # a browser says itself that an answer was lost


def test_an_act_that_arrived_though_its_answer_was_lost_is_done_once(tab, labelled):
    tab.enter()
    document, before = tab.document(), labelled.view().n_acts
    lost = lose_the_first_answer(tab, "**/api/acts")
    tab.press("1", "Enter")
    tab.wait_for_another(document)
    assert len(lost) == 2
    assert labelled.view().n_acts == before + 1
    tab.said.clear()


def test_what_is_being_read_stays_as_it_is_while_others_label(tab, labelled):
    tab.enter()
    tab.press("1")
    tab.find(".letters").wait_for()
    read = "() => [document.querySelector('.letters').innerHTML, document.querySelector('.letters').getBoundingClientRect().top, [...document.querySelectorAll('.choice')].map(one => one.textContent)]"
    before, number = tab.page.evaluate(read), labelled.view().n_acts
    topic = labelled.topics()[0]
    word = next(term.term for term in topic.terms if term.term not in topic.anchors)
    acts = [AddLabel("more", "More"), *(Label((f"food-{k}",), ("more",)) for k in range(13, 41, 4))]
    acts.append(AddAnchor(topic.id, word))
    labelled.apply(acts, annotator="ben")
    labelled.refresh()
    tab.find(".moves:not(.still)").wait_for()
    assert labelled.view().n_acts > number
    assert tab.page.evaluate(read) == before
    assert tab.find(".choice[aria-pressed='true']").count() == 1
    tab.press("m")
    tab.find("dialog", has_text="Topics moved").wait_for()
    moved = tab.find("dialog .moved-list > li", has=tab.find(".came.anchor"))
    assert moved.locator("b").inner_text() == topic.name
    assert moved.locator(".came.anchor bdi").all_inner_texts() == [word]
    assert all(line.strip() for line in tab.find("dialog .moved-list > li > :last-child").all_inner_texts())
    tab.press("Escape")


def test_colouring_words_moves_no_letter(tab, labelled):
    tab.enter()
    tab.find(".word").first.wait_for()
    places = "() => [...document.querySelectorAll('.word')].map(one => { const box = one.getBoundingClientRect(); return [box.left, box.top, box.width] })"
    colour = "() => getComputedStyle(document.querySelector('.word')).backgroundColor"
    coloured, before = tab.page.evaluate(colour), tab.page.evaluate(places)
    tab.press("w")
    assert tab.page.evaluate(places) == before
    assert tab.page.evaluate(colour) != coloured


def test_skip_flag_comment_and_arrows(tab, labelled):
    tab.enter()
    first = tab.document()
    tab.press("f")
    tab.find("button[aria-pressed='true']", has_text="Flagged").wait_for()
    tab.press("Space")
    tab.wait_for_another(first)
    second = tab.document()
    tab.press("c")
    tab.find("textarea").type("Look again")
    tab.press("Control+Enter")
    tab.find(".comments li", has_text="Look again").wait_for()
    tab.press("ArrowLeft")
    tab.wait_for_another(second)
    assert tab.document() == first
    tab.press("ArrowRight")
    tab.wait_for_another(first)
    assert tab.document() == second
    seen = labelled.document(first, "ada")
    assert (seen.skipped, seen.flagged) == (True, True)
    assert [comment.text for comment in labelled.document(second, "ada").comments] == ["Look again"]


def test_enter_without_a_label_says_what_to_do_and_help_lists_the_keys(tab, labelled):
    tab.enter()
    tab.document()
    number = labelled.view().n_acts
    tab.press("Enter")
    tab.find(".hint", has_text="Choose a label first").wait_for()
    assert labelled.view().n_acts == number
    tab.press("?")
    keys = tab.find("dialog").inner_text()
    assert all(text in keys for text in ("Submit", "Skip", "Undo my last act", "Go to Topics", "New label"))
    tab.press("Escape")
    tab.find("dialog").wait_for(state="detached")


def show_percent(share):
    """Return a share above zero as the page shows it."""
    return f"{100 * share:.0f} %" if share >= 0.005 else "<1 %"


def test_labels_show_their_chances_and_two_are_submitted_at_once(tab, labelled):
    tab.enter()
    document = tab.document()
    offers = labelled.document(document, "ada").suggestions
    shown = tab.find(".choice").evaluate_all(
        "all => all.map(one => [one.querySelector('bdi').textContent, one.querySelector('.digits')?.textContent])"
    )
    assert len(offers) == 4
    assert shown == [[offer.name, show_percent(offer.chance)] for offer in offers]
    tab.press("1", "2", "3", "3", "Enter")
    tab.wait_for_another(document)
    assert sorted(labelled.document(document, "ada").labels) == sorted(offer.label for offer in offers[:2])
    tab.press("ArrowLeft")
    tab.find(".why", has_text="You said").wait_for()
    assert sorted(tab.find(".why .tag").all_inner_texts()) == sorted(offer.name for offer in offers[:2])


def test_where_a_document_has_one_label_the_last_that_is_pressed_counts(browser, tmp_path):
    with Project.create(tmp_path / "one.wayword", make_corpus(24), n_topics=4) as one, serving(one) as served:
        one.apply([AddLabel(name, name) for name in SUBJECTS], annotator="ben")
        tab = open_tab(browser, served.address)
        tab.enter()
        document = tab.document()
        tab.press("1", "3")
        assert tab.find(".choice").evaluate_all("all => all.map(one => one.ariaPressed)") == [
            "false",
            "false",
            "true",
            "false",
        ]
        wanted = tab.text(".choice[aria-pressed='true'] bdi")
        tab.press("Enter")
        tab.wait_for_another(document)
        assert one.document(document, "ada").labels == [wanted]
        tab.close()


def test_a_slash_searches_documents_or_finds_one_of_many_labels(tab, labelled):
    tab.enter()
    tab.document()
    tab.press("/")
    tab.wait_for_screen("documents")
    tab.wait("() => document.activeElement.type === 'search'")
    labelled.apply([AddLabel(f"more-{k}", f"Subject {k}") for k in range(8)], annotator="ben")
    tab.page.reload()
    tab.wait_for_screen("documents")
    tab.go("label")
    document = tab.document()
    tab.press("/", *"ject 7")
    tab.wait("() => document.querySelectorAll('.choice').length === 1")
    tab.press("Enter")
    tab.wait("() => document.querySelectorAll('.choice').length === 12")
    assert tab.find(".choice[aria-pressed='true'] bdi").all_inner_texts() == ["Subject 7"]
    tab.press("Enter")
    tab.wait_for_another(document)
    assert labelled.document(document, "ada").labels == ["more-7"]
