"""What notebooks show."""

from wayword import NMF, Corpus, ThemeNMF, Vectorizer, Vocabulary, build_tree
from wayword.interpret.themes import describe_themes

HOSTILE = "<script>alert(1)</script> & <b>room</b>"


def test_a_corpus_shows_its_first_documents_as_they_are_written():
    shown = Corpus([HOSTILE, *["x" * 500] * 9], ids=["<i>", *map(str, range(9))])._repr_html_()
    assert "Corpus of 10 documents" in shown
    assert shown.count("<tr>") == 6
    assert "<script>" not in shown
    assert "<i>" not in shown
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &lt;b&gt;room" in shown
    assert "x" * 200 not in shown


def test_an_empty_corpus_shows_no_documents():
    assert Corpus([])._repr_html_().count("<tr>") == 1


def test_a_vocabulary_shows_its_first_terms():
    shown = Vocabulary([f"<{letter}>" for letter in "abcdefghijkl"])._repr_html_()
    assert "Vocabulary of 12 terms" in shown
    assert shown.count("<tr>") == 11
    assert "&lt;a&gt;" in shown


def test_themes_and_trees_show_terms_as_they_are_written():
    texts = ["clean room bed", "clean bed", "rude staff desk", "staff desk", "cold egg", "cold egg bread"]
    vectorizer = Vectorizer()
    X = vectorizer.fit_transform(texts)
    terms = [f"<{term}>" for term in vectorizer.vocabulary_]
    model = ThemeNMF(1, n_new_topics=1).fit(X, ["<b>", "<b>", "staff", "staff", None, None])
    shown = describe_themes(model, terms)._repr_html_()
    assert "&lt;b&gt;" in shown
    assert "new topic 1" in shown
    assert "<b>" not in shown
    assert "<clean>" not in build_tree(NMF(2).fit(X), terms=terms)._repr_html_()


def test_models_show_themselves():
    assert "NMF" in NMF(2)._repr_html_()
