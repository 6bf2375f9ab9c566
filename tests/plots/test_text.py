import html

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wayword.plots.text import explain, percent, show, show_label, show_lines, text_width

words = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=80)


def read(shown):
    """Return what plotly shows of a text: entities are letters, isolating marks are not seen."""
    return html.unescape(shown).replace("\u2068", "").replace("\u2069", "")


@given(words)
def test_a_text_is_shown_letter_for_letter(text):
    marks = dict.fromkeys(map(ord, "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"))
    assert read(show(text)) == " ".join(text.translate(marks).split())


@given(words)
def test_nothing_that_plotly_reads_is_left(text):
    for shown in (show(text), show(text, 10), show_lines(text, 10), show_label(text, 10, 3)):
        bare = shown.replace("<br>", "")
        assert not set("<>$") & set(bare)
        assert "%{" not in bare
        assert bare.count("\u2068") == bare.count("\u2069")


@given(words, st.integers(2, 20))
def test_a_long_text_is_cut(text, most):
    assert len(read(show(text, most))) <= most


@given(words)
def test_lines_of_a_label_are_few_and_short(text):
    lines = read(show_label(text, 12, 3)).split("<br>")
    assert len(lines) <= 3 or "<br>" in text
    assert "<br>" in text or max(map(len, lines)) <= 15


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("rec.sport.hockey", "rec.sport.<br>hockey"),
        ("israel jew war", "israel jew war"),
        ("line subject organization", "line subject<br>organization"),
        ("one two three four five six seven eight", "one two three<br>four five six<br>seven eight"),
        ("unbreakablelongword", "unbreakablelong…"),
        ("", ""),
    ],
)
def test_a_label_is_broken_between_words_or_after_marks(text, label):
    assert show_label(text, 14, 3) == label


def test_letters_from_the_right_are_kept_apart_from_what_follows():
    assert show("שלום") == "\u2068שלום\u2069"
    assert show("a\u202eb") == "ab"


def test_too_many_lines_end_in_dots():
    assert show_lines("one two three four", 5, 2) == "one<br>two …"


def test_an_explanation_leaves_out_what_is_empty():
    assert explain("a < b", "", "so it is") == "<b>a &lt; b</b><br>so it is"


@pytest.mark.parametrize(("share", "shown"), [(0.5, "50%"), (0.051, "5.1%"), (0.0021, "0.21%"), (0, "0%"), (1, "100%")])
def test_shares_are_shown_as_people_write_them(share, shown):
    assert percent(share) == shown


def test_wide_letters_are_wider():
    assert text_width("ill", 10) < text_width("ooo", 10) < text_width("WWW", 10)
    assert text_width("字", 10) == 10
    assert text_width("e\u0301", 10) == text_width("e", 10)
