import datetime

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

from wayword import (
    NMF,
    AnchorTopics,
    Corpus,
    DeepSemiNMF,
    SemiSupervisedNMF,
    SupervisedAnchors,
    ThemeNMF,
    TopicDiscovery,
    TopicSupervisedNMF,
    Vectorizer,
    npmi,
)
from wayword.errors import InputError
from wayword.evaluation.term_lists import top_columns
from wayword.interpret.themes import describe_themes
from wayword.report import gather_report

MODELS = {
    "TopicDiscovery": (TopicDiscovery(4), {"Asuncion", "Minka", "Seung", "Boutsidis"}),
    "AnchorTopics": (AnchorTopics(3, min_df=1, rectify=False), {"Arora"}),
    "SupervisedAnchors": (SupervisedAnchors(3, min_df=1), {"Nguyen", "Arora", "Bindel"}),
    "NMF": (NMF(8), {"Seung", "Gillis", "Boutsidis"}),
    "TopicSupervisedNMF": (TopicSupervisedNMF(4), {"MacMillan", "Seung", "Gillis"}),
    "SemiSupervisedNMF": (SemiSupervisedNMF(3), {"Yoo", "Seung", "Gillis", "Boutsidis"}),
    "DeepSemiNMF": (DeepSemiNMF((4, 2), non_negative=True), {"Trigeorgis"}),
    "ThemeNMF": (ThemeNMF(2, solver="mu"), {"Suyunu", "Seung"}),
}
OF_MODELS = {"Asuncion", "Minka", "Arora", "Nguyen", "Bindel", "Gillis", "Boutsidis", "MacMillan", "Yoo", "Trigeorgis"}


def labels_of(corpus):
    return [labels[0] if labels else None for labels in corpus.labels]


def fit(model, corpus):
    vectorizer = Vectorizer()
    return make_pipeline(vectorizer, model.fit(vectorizer.fit_transform(corpus), labels_of(corpus)))


def values(report):
    return {measure.name: measure.value for measure in report.measures}


@pytest.mark.parametrize("name", MODELS)
def test_every_model_gets_a_card_for_each_topic_and_only_its_own_citations(name, stays):
    model, cited = MODELS[name]
    report = gather_report(fit(model, stays), stays)
    n_topics = len(model.components_) if name != "ThemeNMF" else len(model.themes_)
    assert len(report.cards) == n_topics
    assert all(card.readings[0].terms and card.documents for card in report.cards)
    lines = " ".join(citation.line for citation in report.citations)
    assert {author for author in OF_MODELS if author in lines} == cited & OF_MODELS
    assert all(author in lines for author in cited)


@pytest.mark.parametrize("name", MODELS)
def test_every_model_is_told_without_a_corpus(name, stays):
    report = gather_report(fit(MODELS[name][0], stays))
    assert "No corpus was given" in report.corpus_note
    assert not any(card.documents for card in report.cards)
    assert all(card.coherence is None for card in report.cards)
    assert set(values(report)) == {"Diversity"}


def test_subtopics_are_shown_at_purity_0_and_1(stays, themes):
    vectorizer, model = themes
    cards = {card.name: card for card in gather_report(themes).cards}
    for purity, reading in ((0.0, 0), (1.0, 1)):
        info = describe_themes(model, vectorizer.vocabulary_, n_terms=7, purity_ratio=purity)
        for theme in info.themes:
            shown = [part.readings[reading].terms for part in cards[theme.name].parts if "subtopic" in part.name]
            assert shown == [tuple(terms) for terms in theme.subtopics]


def test_stop_words_that_were_counted_are_not_shown(stays):
    vectorizer = Vectorizer(stop_words=None)
    pipeline = make_pipeline(vectorizer, ThemeNMF(2)).fit(stays, labels_of(stays))
    assert {"the", "and"} <= set(vectorizer.vocabulary_)
    report = gather_report(pipeline, stays)
    shown = [
        term
        for card in report.cards
        for part in (card, *card.parts)
        for reading in part.readings
        for term, _ in reading.terms
    ]
    assert {"room", "staff"} <= set(shown)
    assert not {"the", "and"} & set(shown)


def test_cards_come_the_largest_first_and_shares_sum_to_one(stays, themes):
    shares = [card.share for card in gather_report(themes, stays).cards]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(1.0)


def test_typical_documents_have_the_label_of_their_theme(stays, themes):
    for card in gather_report(themes, stays).cards:
        assert {label for document in card.documents for label in document.labels} == {card.name}


def test_coherence_is_the_npmi_of_the_terms_on_the_cards(stays):
    model = NMF(3)
    pipeline = fit(model, stays)
    report = gather_report(pipeline, stays)
    X = pipeline[0].transform(stays)
    expected = npmi(top_columns(model.components_, 10), X)
    assert sorted(card.coherence for card in report.cards) == pytest.approx(sorted(expected))
    assert values(report)["Coherence"].replace("−", "-") == f"{expected.mean():.2f}"


def test_accuracy_is_that_of_predict_on_documents_whose_labels_are_known(stays, themes):
    odd = Corpus(
        [*stays.texts, "a tax", "clean room"], labels=[*stays.labels, ["tax"], None], ids=[*stays.ids, "odd", "none"]
    )
    report = gather_report(themes, odd)
    right = np.mean(themes.predict(stays.texts) == np.array(labels_of(stays)))
    assert values(report)["Accuracy"] == f"{right:.1%}"
    where = next(measure.where for measure in report.measures if measure.name == "Accuracy")
    assert where.startswith("30 labelled documents")
    assert "1 with labels that the model does not know are left out" in where
    assert [drawing.id for drawing in report.quality_drawings] == ["reliability"]


def test_several_labels_are_right_only_together(stays):
    several = [["room", "staff"], *(list(labels) for labels in stays.labels[1:])]
    vectorizer = Vectorizer()
    model = ThemeNMF(1).fit(vectorizer.fit_transform(stays), several)
    report = gather_report(make_pipeline(vectorizer, model), Corpus(stays.texts, labels=several))
    answers = model.predict(vectorizer.transform(stays))
    right = np.mean([set(answer) == set(told) for answer, told in zip(answers, several, strict=True)])
    assert values(report)["Accuracy"] == f"{right:.1%}"


def test_it_says_whether_figures_are_of_the_documents_of_the_fit(stays, themes):
    assert "so it flatters the model" in gather_report(themes, stays).measures[0].where
    assert "are not just those" in gather_report(themes, stays[:20]).measures[0].where


def test_counts_that_are_known_already_change_nothing(stays, themes):
    day = datetime.date(2024, 5, 6)
    counts = themes[0].transform(stays)
    assert gather_report(themes, stays, date=day, counts=counts) == gather_report(themes, stays, date=day)


def test_new_topics_have_cards_of_their_own(stays):
    labels = ["room" if label == "room" else None for label in labels_of(stays)]
    vectorizer = Vectorizer()
    model = ThemeNMF(1, n_new_topics=2).fit(vectorizer.fit_transform(stays), labels)
    report = gather_report(make_pipeline(vectorizer, model), stays)
    assert {card.name for card in report.cards} == {"room", "new topic 1", "new topic 2"}
    new = [card for card in report.cards if card.name != "room"]
    assert all(card.documents and card.share is None for card in new)


def test_new_topics_alone_make_a_report(stays):
    vectorizer = Vectorizer()
    model = ThemeNMF(1, n_new_topics=3).fit(vectorizer.fit_transform(stays), None)
    assert len(gather_report(make_pipeline(vectorizer, model), stays).cards) == 3


def test_display_and_raw_readings_are_both_there_and_named(stays):
    pipeline = fit(TopicDiscovery(3), stays)
    card = gather_report(pipeline, stays).cards[0]
    assert [reading.name for reading in card.readings] == ["made to be read", "most likely"]
    assert card.readings[0].terms != card.readings[1].terms


def test_many_topics_form_groups_and_few_do_not(stays):
    groups = "Inner ring: groups"
    assert groups in gather_report(fit(NMF(8), stays), stays).drawings[0].caption
    assert groups not in gather_report(fit(NMF(3), stays), stays).drawings[0].caption


def test_documents_left_out_for_their_length_are_not_quoted_under_a_wrong_id(stays):
    mixed = Corpus(["bed", *stays.texts], ids=["short", *stays.ids], labels=[None, *stays.labels])
    vectorizer = Vectorizer(min_tokens=3)
    with pytest.warns(match="left out"):
        X = vectorizer.fit_transform(mixed)
    pipeline = make_pipeline(vectorizer, NMF(3).fit(X))
    for card in gather_report(pipeline, mixed).cards:
        for document in card.documents:
            assert mixed.document(document.id).text == document.text


def test_a_model_with_names_of_columns_needs_no_vectorizer():
    model = AnchorTopics(2, rectify=False, terms=["apple", "pear", "ship", "sail"])
    model.fit([[4, 2, 0, 0], [3, 2, 0, 0], [0, 0, 3, 3], [0, 0, 2, 4]])
    report = gather_report(model)
    assert {card.notes[0] for card in report.cards} == {"anchor: pear", "anchor: ship"}


def test_settings_that_were_chosen_come_first(stays):
    pipeline = fit(NMF(3, max_iter=7), stays)
    settings = gather_report(pipeline).steps[-1].settings
    assert [(setting.name, setting.value) for setting in settings if setting.chosen] == [
        ("max_iter", "7"),
        ("n_components", "3"),
    ]
    assert [setting.chosen for setting in settings] == sorted((s.chosen for s in settings), reverse=True)


@pytest.mark.parametrize(
    ("model", "corpus", "said"),
    [
        (NMF(2).fit([[1, 0], [0, 1]]), None, "does not know its terms"),
        (AnchorTopics(2, rectify=False, terms="a b".split()).fit([[2, 1], [1, 2]]), Corpus(["a"]), "its Vectorizer"),
        (Vectorizer().fit(["room"]), None, "got 'Vectorizer'"),
        (make_pipeline(Vectorizer(), NMF(1)).fit(["room bed"]), Corpus([]), "a document or more"),
        ("a text", None, "needs a fitted model"),
    ],
)
def test_what_cannot_be_told_is_an_error_that_says_what_to_do(model, corpus, said):
    with pytest.raises(InputError, match=said):
        gather_report(model, corpus)


@pytest.mark.parametrize(("seconds", "day"), [("0", "1970-01-01"), ("1700000000", "2023-11-14")])
def test_the_date_is_that_of_source_date_epoch(themes, monkeypatch, seconds, day):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", seconds)
    assert gather_report(themes).date == day
    assert gather_report(themes, date=datetime.date(2020, 2, 3)).date == "2020-02-03"


def test_a_source_date_epoch_that_is_no_number_is_an_error(themes, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    with pytest.raises(InputError, match="whole seconds"):
        gather_report(themes)
