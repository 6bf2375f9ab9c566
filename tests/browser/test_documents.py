"""Finding documents, labelling many at once, and one project in two tabs."""

from browser.tabs import open_tab, watch
from programs import PATIENCE
from server.serving import serving, wait_until
from wayword.guidance.actions import Label


def test_a_search_narrows_the_list_and_many_are_labelled_and_taken_back_at_once(tab, labelled):
    tab.enter(screen="documents")
    tab.find(".line .open").first.wait_for()
    labels = labelled.view().n_labelled
    tab.press("/")
    tab.page.keyboard.type("guitar")
    total = labelled.documents(query="guitar").total
    tab.find("header p", has_text=f"{total} of 80 documents").wait_for()
    assert 0 < total < 80
    for k in range(5):
        tab.find(".line input[type='checkbox']").nth(k).check()
    tab.find(".bulk ww-combo input").click()
    tab.find("[role='option']", has_text="Music").click()
    tab.find(".toast", has_text="5 documents labelled “Music”").wait_for()
    assert labelled.documents(annotator="ada").total == 5
    tab.find(".toast button", has_text="Undo").click()
    wait_until(lambda: labelled.documents(annotator="ada").total == 0)
    assert labelled.view().n_labelled == labels


def test_all_that_a_filter_finds_is_labelled_by_one_act_after_a_question_and_taken_back_by_one_undo(tab, labelled):
    tab.enter(screen="documents?status=open")
    tab.find("header p", has_text="68 of 80 documents").wait_for()
    acts = labelled.view().n_acts
    wider = tab.find(".bulk button", has_text="Choose all 68 found")
    tab.find(".line input[type='checkbox']").first.check()
    assert wider.count() == 0 or wider.is_hidden()
    tab.find(".listing .top input[type='checkbox']").first.check()
    tab.find(".bulk b", has_text="50 chosen").wait_for()
    wider.click()
    tab.find(".bulk b", has_text="68 chosen").wait_for()
    for answer, n_labelled in (("Cancel", 12), ("Label them", 80)):
        tab.find(".bulk ww-combo input").click()
        tab.find("[role='option']", has_text="Music").click()
        tab.find("dialog", has_text="Label 68 documents “Music”?").get_by_role("button", name=answer).click()
        tab.find("dialog").wait_for(state="detached")
        wait_until(lambda n=n_labelled: labelled.view().n_labelled == n)
    tab.find(".toast", has_text="68 documents labelled “Music”").wait_for()
    assert labelled.view().n_acts == acts + 1
    tab.find(".toast button", has_text="Undo").click()
    wait_until(lambda: labelled.view().n_labelled == 12)


def test_filters_are_kept_in_the_address(tab, labelled):
    tab.enter(screen="documents")
    tab.find("select[aria-label='Label']").select_option("food")
    tab.find("header p", has_text="3 of 80 documents").wait_for()
    assert "label=food" in tab.page.url
    tab.page.reload()
    tab.find("header p", has_text="3 of 80 documents").wait_for()
    assert tab.find("select[aria-label='Label']").input_value() == "food"
    tab.find("select[aria-label='Status']").select_option("disagreement")
    tab.find(".empty", has_text="No document is like this").wait_for()
    tab.find("button", has_text="Clear all filters").click()
    tab.find("header p", has_text="80 documents").wait_for()


def test_documents_are_filtered_by_person_and_confidence_and_sorted_by_it(tab, labelled):
    # Labels that have nothing to do with the subject leave guesses in doubt.
    said = [
        (f"{name}-{4 * k + place}", ("food", "music")[k % 2])
        for k in range(5, 12)
        for place, name in ((1, "food"), (3, "music"))
    ]
    labelled.apply([Label((id,), (label,)) for id, label in said], annotator="ben")
    labelled.apply([Label(("food-77", "space-76"), ("food",))], annotator="cleo")
    labelled.refresh()
    tab.enter(screen="documents")

    def wait_for(ids):
        tab.wait(
            "ids => ids === [...document.querySelectorAll('.line')].map(one => one.dataset.id).join()", ",".join(ids)
        )

    tab.find("select[aria-label='Annotator']").select_option("cleo")
    wait_for(["space-76", "food-77"])
    tab.find("select[aria-label='Annotator']").select_option("")
    tab.find("select[aria-label='Status']").select_option("open")
    for order in ("-chance", "chance"):
        tab.find("select[aria-label='Order']").select_option(order)
        wait_for([line.id for line in labelled.documents(status="open", sort=order, limit=50).lines])
    sure = labelled.documents(status="open", sort="chance", least_chance=0.5, most_chance=0.8, limit=50)
    assert 0 < sure.total < labelled.documents(status="open").total
    tab.find("select[aria-label='Confidence of the guess']").select_option("0.5-0.8")
    wait_for([line.id for line in sure.lines])
    shown = tab.find(".line .guess .digits").all_inner_texts()
    assert all(50 <= int(text.removesuffix(" %")) <= 80 for text in shown)
    assert shown == sorted(shown)


def test_a_document_shows_shares_the_words_behind_them_and_what_everybody_says(tab, labelled):
    tab.enter(screen="documents?doc=space-0")
    tab.find(".side .letters").wait_for()
    assert tab.find(".side").get_by_text("ben").count() == 1
    shares = tab.find(".side .part").first.locator(".share")
    assert shares.first.inner_text().startswith("Space")
    shares.first.hover()
    tab.find(".word.lit").first.wait_for()
    assert set(tab.find(".word.lit").evaluate_all("words => words.map(word => word.dataset.label)")) == {"space"}
    tab.find(".side textarea").fill("A comment of mine")
    tab.find(".side button", has_text="Keep").click()
    tab.find(".side .comments", has_text="A comment of mine").wait_for()
    tab.find(".side [role='group'] button", has_text="Food").click()
    tab.find(".side", has_text="They disagree").wait_for()
    assert labelled.document("space-0", "ada").status == "disagreement"
    tab.press("Escape")
    tab.find(".side").wait_for(state="hidden")


def test_two_tabs_of_one_project_follow_each_other(tab, labelled):
    tab.enter(screen="documents?doc=food-21")
    tab.find(".side .letters").wait_for()
    page = tab.page.context.new_page()
    page.set_default_timeout(PATIENCE)
    other = watch(page, tab.address)
    page.goto(f"{tab.address}/#/label?id=food-21")
    assert other.document() == "food-21"
    other.press(other.key_of("Food"), "Enter")
    other.wait_for_another("food-21")
    tab.find(".line[data-id='food-21'] .tag", has_text="Food").wait_for()
    tab.wait("n => document.querySelector('.how-far b').textContent === String(n)", labelled.view().n_labelled)
    tab.press("u")
    tab.find(".toast", has_text="Taken back").wait_for()
    assert labelled.document("food-21", "ada").labels == []
    assert other.said == []


def test_two_people_are_not_handed_the_same_document(browser, labelled):
    with serving(labelled) as served:
        tabs = [open_tab(browser, served.address) for _ in range(2)]
        for tab, name in zip(tabs, ("ada", "cleo"), strict=True):
            tab.enter(name)
        assert tabs[0].document() != tabs[1].document()
        for tab in tabs:
            tab.close()
