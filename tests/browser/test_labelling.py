"""Labelling by keyboard: what is saved, what is shown, what stays where it is."""

import json

from server.serving import wait_until
from wayword.guidance.actions import AddLabel, Label

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


def test_ten_documents_are_labelled_by_keyboard_alone_and_topics_and_questions_follow(tab, project):
    before = project.topics()
    tab.enter()
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
    # The reason names chances by now, and topics know the labels.
    assert "%" in tab.text(".why")
    project.refresh()
    assert project.topics() != before
    assert any(topic.label for topic in project.topics())


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


def test_an_act_that_arrived_though_its_answer_was_lost_is_done_once(tab, labelled):
    tab.enter()
    lost = []

    def lose_the_first(route):
        response = route.fetch()
        lost.append(response)
        route.abort() if len(lost) == 1 else route.fulfill(response=response)

    document, before = tab.document(), labelled.view().n_acts
    tab.page.route("**/api/acts", lose_the_first)
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
    acts = [AddLabel("more", "More"), *(Label((f"food-{k}",), ("more",)) for k in range(13, 41, 4))]
    labelled.apply(acts, annotator="ben")
    labelled.refresh()
    tab.find(".moves:not(.still)").wait_for()
    assert labelled.view().n_acts > number
    assert tab.page.evaluate(read) == before
    assert tab.find(".choice[aria-pressed='true']").count() == 1
    tab.press("m")
    tab.find("dialog", has_text="Topics moved").wait_for()
    assert tab.find("dialog .came, dialog .went").count() > 0
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
