"""Files in and out through the page, and the journal."""

import pytest

FORMATS = ("csv", "jsonl", "parquet", "xlsx", "label-studio", "doccano", "prodigy", "journal")


def test_a_file_of_labels_comes_in_says_what_came_and_is_taken_back(tab, labelled, tmp_path):
    tab.enter(screen="exchange")
    before = labelled.view().n_labelled
    path = tmp_path / "more.csv"
    path.write_text("id,text,label\nspace-20,,Space\nfood-21,,Baking\n")
    tab.find("#import-file").set_input_files(path)
    tab.find(".came-in", has_text="2 documents labelled").wait_for()
    assert "Baking" in tab.text(".came-in")
    assert labelled.view().n_labelled == before + 2
    tab.find(".came-in button", has_text="Undo the import").click()
    tab.find(".toast", has_text="Taken back").wait_for()
    assert labelled.view().n_labelled == before
    tab.find(".journal tr.crossed").first.wait_for()


def test_labels_of_others_are_taken_back_and_nothing_of_ones_own(tab, labelled, tmp_path):
    tab.enter(screen="exchange")
    before = labelled.documents(limit=100)
    path = tmp_path / "others.jsonl"
    path.write_text('{"id": "space-20", "text": "", "labels": ["Space"], "annotator": "zoe"}\n')
    for came in ("1 document labelled", "0 documents labelled"):
        tab.find("#import-file").set_input_files(path)
        tab.find(".came-in", has_text=came).wait_for()
        back = tab.find(".came-in button", has_text="Undo the import")
        if came.startswith("0"):  # the same labels again: nothing came, so there is nothing to take back
            assert back.count() == 0
            continue
        back.click()
        tab.find(".toast", has_text="Taken back").wait_for()
        assert labelled.documents(limit=100) == before
        tab.press("Shift+Control+z")
        tab.find(".toast", has_text="Done again").wait_for()


def test_a_file_that_cannot_be_read_says_why_beside_it(tab, labelled, tmp_path):
    tab.enter(screen="exchange")
    path = tmp_path / "broken.jsonl"
    path.write_text("this is no JSON\n")
    tab.find("#import-file").set_input_files(path)
    tab.find(".came-in [role='alert']").wait_for()
    assert "line 1" in tab.text(".came-in")
    tab.said.clear()  # a browser says itself that an answer was an error


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_is_downloaded(tab, labelled, format):
    tab.enter(screen="exchange")
    with tab.page.expect_download() as started:
        tab.find(f".format[data-format='{format}']").click()
    assert started.value.suggested_filename.startswith("wayword.")
    assert started.value.path().stat().st_size > 0
    tab.find(".toast", has_text="is ready").wait_for()


def test_the_report_is_downloaded_as_one_page(tab, labelled):
    tab.enter(screen="exchange")
    with tab.page.expect_download() as started:
        tab.find("button", has_text="Download the report").click()
    tab.find(".toast", has_text="is ready").wait_for()
    assert started.value.suggested_filename == "wayword-report.html"
    text = started.value.path().read_text(encoding="utf-8")
    assert all(label.name in text for label in labelled.labels())
    assert all(topic.terms[0].term in text for topic in labelled.topics())
