"""Managing labels: they are renamed, merged, split and deleted on the page, and all of it goes back."""

from server.serving import wait_until


def row_of(tab, label):
    return tab.find(f".managed li[data-id='{label}']")


def names_of(project):
    return {label.id: (label.name, label.n_documents) for label in project.labels()}


def test_a_label_is_renamed_by_keyboard_and_the_screen_follows(tab, labelled):
    tab.enter()
    tab.document()
    tab.press("Shift+N")
    row_of(tab, "food").locator(".rename").focus()
    tab.press("Enter")
    tab.wait("() => document.activeElement.value === 'Food'")
    tab.press("Escape")
    row_of(tab, "food").locator("input").wait_for(state="detached")
    assert tab.find("dialog").count() == 1
    tab.press("Enter", *"Sport", "Enter")
    tab.find("dialog .hint", has_text="Another label is called “Sport”").wait_for()
    assert names_of(labelled)["food"] == ("Food", 3)
    row_of(tab, "food").locator("input").fill("Meals")
    tab.press("Enter")
    row_of(tab, "food").locator(".rename", has_text="Meals").wait_for()
    assert names_of(labelled)["food"] == ("Meals", 3)
    assert tab.page.evaluate("document.activeElement.textContent") == "Meals"
    tab.press("Escape")
    tab.find("dialog").wait_for(state="detached")
    tab.find(".choice", has_text="Meals").wait_for()
    assert tab.find(".choice", has_text="Food").count() == 0
    tab.press("u")
    tab.find(".choice", has_text="Food").wait_for()


def test_a_label_is_merged_into_another_and_its_documents_follow(tab, labelled):
    tab.enter(screen="overview")
    tab.find("button[aria-label='Manage the label Food']").click()
    tab.wait("() => document.activeElement.closest('li')?.dataset.id === 'food'")
    row_of(tab, "food").locator("[data-what='merge']").click()
    row_of(tab, "food").locator("select").select_option("sport")
    row_of(tab, "food").locator("form button", has_text="Merge").click()
    row_of(tab, "food").wait_for(state="detached")
    row_of(tab, "sport").get_by_text("6 documents").wait_for()
    assert names_of(labelled) == {"space": ("Space", 3), "sport": ("Sport", 6), "music": ("Music", 3)}
    tab.find("dialog .toast button", has_text="Undo").click()
    row_of(tab, "food").get_by_text("3 documents").wait_for()
    assert names_of(labelled)["sport"] == ("Sport", 3)


def test_a_deleted_label_says_how_many_had_it_and_comes_back_from_the_toast(tab, labelled):
    tab.enter()
    tab.document()
    tab.find("button[aria-label='Manage labels']").click()
    row_of(tab, "music").locator("button[aria-label='Delete Music']").click()
    tab.find("dialog .toast", has_text="“Music” deleted; 3 documents had it.").wait_for()
    row_of(tab, "music").wait_for(state="detached")
    assert "music" not in names_of(labelled)
    assert labelled.view().n_labelled == 9
    tab.press("Escape")
    tab.find(".choice", has_text="Music").wait_for(state="detached")
    tab.find(".toast button", has_text="Undo").click()
    tab.find(".choice", has_text="Music").wait_for()
    assert names_of(labelled)["music"] == ("Music", 3)
    assert labelled.view().n_labelled == 12


def test_a_label_is_split_and_the_part_that_keeps_its_name_keeps_its_documents(tab, labelled):
    tab.enter()
    tab.document()
    tab.press("Shift+N")
    row_of(tab, "food").locator("[data-what='split']").click()
    tab.page.keyboard.type("Baking")
    tab.press("Enter")
    tab.find("dialog .hint", has_text="two parts or more").wait_for()
    tab.page.keyboard.type(", Food")
    tab.press("Enter")
    tab.find(".managed li", has_text="Baking").wait_for()
    assert names_of(labelled)["food"] == ("Food", 3)
    assert ("Baking", 0) in names_of(labelled).values()


def test_a_label_is_added_where_labels_are_managed(tab, labelled):
    tab.enter(screen="overview")
    tab.find("button[aria-label='Manage the label Food']").click()
    tab.find("dialog input[aria-label='Name of a new label']").fill("Weather")
    tab.press("Enter")
    tab.find(".managed li", has_text="Weather").wait_for()
    wait_until(lambda: tab.find("dialog input[aria-label='Name of a new label']").input_value() == "")
    assert ("Weather", 0) in names_of(labelled).values()
