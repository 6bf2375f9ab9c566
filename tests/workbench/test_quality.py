from dataclasses import replace

import numpy as np
import pytest

from active.test_guesses import plant, plant_pairs
from wayword import Corpus
from wayword.active import ActiveLearner, LiveTopics, build_space
from wayword.active.stopping import estimate_gain, learning_curve
from wayword.active.suspects import find_suspects
from wayword.evaluation.annotators import agreement, cohen_kappa
from wayword.evaluation.coherence import npmi
from wayword.evaluation.ranking import log_rank_accuracy
from wayword.evaluation.term_lists import top_columns
from wayword.guidance.state import Guidance, Labelling, LabelRecord
from wayword.progress import ignore
from wayword.store.urls import open_store
from wayword.workbench.ground import count_corpus, lay_ground
from wayword.workbench.keeping import find_quality, keep_quality
from wayword.workbench.live import Told, compute
from wayword.workbench.quality import measure, measure_agreement, measure_quality
from wayword.workbench.views import DocumentLine, IntervalView

X, TRUTH = plant(200)
IDS = [f"d{row}" for row in range(len(TRUTH))]
SPACE = build_space(X)
LABELS = {f"l{k}": LabelRecord(f"l{k}", f"label {k}") for k in range(3)}
UNKNOWN = IntervalView(None, None, None)


def tell(said, label_set=LABELS):
    """Return guidance of what each annotator says of each document."""
    labels = {
        document: {who: Labelling(tuple(names), 1, who) for who, names in answers.items()}
        for document, answers in said.items()
    }
    return Guidance(number=1, label_set=label_set, labels=labels)


def make(labels):
    learner = ActiveLearner(X, ids=IDS, space=SPACE)
    for row, label in labels.items():
        learner.label(IDS[row], f"l{label}")
    return learner, tell({IDS[row]: {"ann": [f"l{label}"]} for row, label in labels.items()})


def look(labels, **more):
    learner, guidance = make(labels)
    settings = {"topics": None, "topic_ids": (), "number": 7} | more
    return learner, measure(X=X, ids=IDS, guidance=guidance, learner=learner, **settings)


SLIPS = {5, 17}
MOST = {row: (TRUTH[row] + (row in SLIPS)) % 3 for row in range(45)}


def test_figures_are_those_of_labels_guessed_from_others():
    learner, found = look(MOST)
    answers = learner.answers()
    chances = answers.guess_each()
    guessed, known = chances.argmax(axis=1), answers.targets.argmax(axis=1)
    assert (found.number, found.n_labelled) == (7, 45)
    assert found.accuracy.value == pytest.approx((guessed == known).mean())
    assert found.log_rank_accuracy.value == pytest.approx(log_rank_accuracy(known, chances))
    assert found.confusion.labels == ["l0", "l1", "l2"]
    for true in range(3):
        for guess in range(3):
            assert found.confusion.counts[true][guess] == ((known == true) & (guessed == guess)).sum()
    f1 = [2 * ((known == k) & (guessed == k)).sum() / ((known == k).sum() + (guessed == k).sum()) for k in range(3)]
    assert found.macro_f1.value == pytest.approx(np.mean(f1))
    for figure in (found.accuracy, found.log_rank_accuracy, found.macro_f1):
        assert 0 <= figure.low <= figure.value <= figure.high <= 1


def test_estimates_and_suspects_are_those_of_the_learner():
    learner, found = look(MOST)
    gain = estimate_gain(learner)
    assert found.more == IntervalView(gain.gain, gain.gain_low, gain.gain_high)
    assert gain.advice in found.advice
    assert found.advice.startswith(f"About {100 * gain.accuracy:.0f} % of the other documents are guessed rightly (")
    assert found.estimate == IntervalView(gain.accuracy, gain.low, gain.high)
    assert found.curve == learning_curve(learner)
    suspects = find_suspects(learner)
    assert [(view.document.id, view.label, view.other, view.chance) for view in found.suspects] == [
        (suspect.id, suspect.label, suspect.other, suspect.chance) for suspect in suspects
    ]
    assert {view.document.id for view in found.suspects[:2]} == {IDS[row] for row in SLIPS}
    assert found.suspects[0].document.status == "single"


def test_where_all_documents_have_labels_nothing_is_estimated_of_others():
    _, found = look(dict(enumerate(TRUTH.tolist())))
    assert found.accuracy.value is not None
    assert found.estimate == UNKNOWN
    assert found.advice == "All documents have labels."


def test_what_an_older_version_has_measured_still_opens_without_the_estimate():
    _, found = look(MOST)
    store = open_store("memory://")
    keep_quality(store, found)
    assert find_quality(store) == found
    number, kept = store.snapshot("quality")
    store.put_snapshot("quality", number + 1, {name: part for name, part in kept.items() if name != "estimate"})
    assert find_quality(store) == replace(found, estimate=UNKNOWN)


def test_suspects_are_shown_as_lists_show_them():
    _, found = look(MOST, show=lambda id: DocumentLine(id, "an excerpt", [], "open"))
    assert {view.document.excerpt for view in found.suspects} == {"an excerpt"}


@pytest.mark.parametrize(
    ("labels", "advice"),
    [
        ({}, "label 10 more documents, of two labels or more"),
        ({0: 0, 1: 1}, "label 8 more documents"),
        (dict.fromkeys(range(0, 36, 3), 0), "label one with another"),
    ],
    ids=["none", "few", "alike"],
)
def test_of_too_few_labels_nothing_is_said_but_what_to_do(labels, advice):
    _, found = look(labels)
    assert found.n_labelled == len(labels)
    assert found.accuracy == found.log_rank_accuracy == found.macro_f1 == found.more == found.estimate == UNKNOWN
    assert advice in found.advice
    assert (found.curve, found.suspects, found.confusion.labels, found.stability) == ([], [], [], None)


def test_coherence_and_stability_are_of_the_top_terms_of_topics():
    live = LiveTopics(X, n_topics=3)
    learner, _ = make(MOST)
    topics = live.refresh(learner.predict_proba())
    _, found = look(MOST, topics=topics, topic_ids=["a", "b", "c"], refresh=live.refresh)
    expected = npmi(top_columns(topics.components, 10), X)
    assert [id for id, _ in found.coherence] == ["a", "b", "c"]
    np.testing.assert_allclose([score for _, score in found.coherence], expected)
    assert found.stability is not None
    assert 0.3 < found.stability <= 1
    _, alike = look(MOST, topics=topics, topic_ids=["a", "b", "c"], refresh=lambda chances: topics)
    assert alike.stability == 1.0


def test_documents_with_several_labels_are_measured_too():
    counts, has = plant_pairs(200)
    learner = ActiveLearner(counts)
    for row in range(60):
        learner.label(row, [f"l{k}" for k in np.flatnonzero(has[row])])
    found = measure(X=counts, ids=IDS, guidance=Guidance(), learner=learner, topics=None, topic_ids=(), number=1)
    assert found.accuracy.value > 0.9
    assert found.macro_f1.value > 0.9
    counted = np.array(found.confusion.counts)
    assert counted.sum() == has[:60].sum()
    assert np.trace(counted) > 0.85 * counted.sum()


def test_the_same_labels_are_measured_the_same_each_time():
    assert look(MOST)[1] == look(dict(reversed(MOST.items())))[1]


def test_work_can_be_ended_by_whoever_is_told_how_far_it_is():
    told = []

    def stop(unit, done, total):
        told.append(unit)
        if unit == "sizes":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        look(MOST, progress=stop)
    assert told[0] == "folds"


def test_agreement_is_of_documents_that_two_have_labelled():
    said = {
        "d1": {"ann": ["l0"], "bob": ["l0"]},
        "d2": {"ann": ["l1"], "bob": ["l0"], "eve": ["l1"]},
        "d3": {"ann": ["l2"]},
        "d4": {"bob": ["l1"], "ann": ["l1"]},
    }
    found = measure_agreement(tell(said))
    sets = {document: {who: frozenset(names) for who, names in answers.items()} for document, answers in said.items()}
    assert found.n_documents == 3
    assert found.fleiss.value == pytest.approx(agreement(sets, "fleiss").value)
    assert found.krippendorff.value == pytest.approx(agreement(sets).value)
    assert found.percent.value == pytest.approx((1 + 1 / 3 + 1) / 3)
    pairs = {(one, two): (kappa, n) for one, two, kappa, n in found.cohen}
    assert set(pairs) == {("ann", "bob"), ("ann", "eve"), ("bob", "eve")}
    kappa = cohen_kappa(["l0", "l1", "l1"], ["l0", "l0", "l1"])
    assert pairs["ann", "bob"] == (pytest.approx(kappa), 3)
    assert pairs["ann", "eve"] == (None, 1)


def test_several_labels_are_compared_as_sets_and_labels_that_are_gone_do_not_count():
    labels = LABELS | {
        "old": LabelRecord("old", "old", ("l0",), "merged"),
        "off": LabelRecord("off", "off", (), "deleted"),
    }
    said = {
        "d1": {"ann": ["l0", "l1"], "bob": ["old", "l1", "off"]},
        "d2": {"ann": ["l2"], "bob": ["off"]},
        "d3": {"ann": ["l2", "l0"], "bob": ["l2"]},
    }
    found = measure_agreement(tell(said, labels))
    assert found.n_documents == 2
    sets = {"d1": {"ann": {"l0", "l1"}, "bob": {"l0", "l1"}}, "d3": {"ann": {"l2", "l0"}, "bob": {"l2"}}}
    assert found.krippendorff.value == pytest.approx(agreement(sets, distance="masi").value)
    assert found.percent.value == 0.5


@pytest.mark.parametrize("said", [{}, {"d1": {"ann": ["l0"]}}, {"d1": {"ann": ["l0"]}, "d2": {"bob": ["l0"]}}])
def test_where_nobody_has_labelled_the_same_document_agreement_is_unknown(said):
    found = measure_agreement(tell(said))
    assert (found.n_documents, found.cohen) == (0, [])
    assert found.fleiss == found.krippendorff == found.percent == UNKNOWN


def test_a_project_is_measured_from_its_state():
    words = np.array([f"w{chr(97 + column // 26)}{chr(97 + column % 26)}" for column in range(X.shape[1])])
    texts = [" ".join(np.repeat(words, row.toarray().ravel().astype(int))) for row in X]
    corpus = Corpus(texts, ids=IDS)
    vectorizer, counts = count_corpus(corpus, language="en", max_terms=None, min_df=1, progress=ignore)
    ground = lay_ground(corpus, vectorizer, counts, n_topics=3)
    _, guidance = make(MOST)
    settled = {document: found.labels for document, found in guidance.resolutions().items()}
    state = compute(ground, Told(guidance, settled, {}, 3))
    found = measure_quality(ground, guidance, state)
    assert found.n_labelled == 45
    assert found.accuracy.value > 0.8
    assert {id for id, _ in found.coherence} == set(state.ids)
    assert {view.document.id for view in found.suspects[:2]} == {IDS[row] for row in SLIPS}
    assert all(texts[IDS.index(view.document.id)].startswith(view.document.excerpt[:20]) for view in found.suspects)
    assert all(view.document.annotators == ["ann"] for view in found.suspects)
