"""Who is asked what, and why."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wayword import Corpus
from wayword.guidance.actions import AddLabel, DeleteLabel, Label, Skip
from wayword.workbench.queue import is_paired

NAMES = ("theme0", "theme1", "theme2", "theme3")


def start(project):
    project.apply([AddLabel(name, name) for name in NAMES], annotator="ada")
    return project


def answer(project, truth, annotator="ada"):
    question = project.question(annotator, wait=30.0)
    assert question.document is not None
    id = question.document.id
    project.apply(Label((id,), (truth[int(id[1:])],)), annotator=annotator)
    return question


def test_the_first_questions_cover_all_topics_and_say_so(project, planted):
    start(project)
    asked = [answer(project, planted[1]) for _ in range(2)]
    assert "has no labelled document yet" in asked[0].reasons[0]
    assert project._live.wait(0, None).names[0].split(", ")[0] in " ".join(
        reason for topic in project.topics() for reason in [topic.name]
    )
    themes = {planted[1][int(question.document.id[1:])] for question in asked}
    assert len(themes) == 2


def test_later_questions_name_the_two_likeliest_labels_and_the_topic(project, planted):
    start(project)
    for _ in range(6):
        answer(project, planted[1])
    reasons = project.question("ada", wait=30.0).reasons
    assert "the two likeliest labels" in reasons[0]
    assert "of it is the topic" in reasons[-1]


def test_who_asks_again_gets_the_same_document_however_topics_move(project, planted):
    start(project)
    first = project.question("ada").document.id
    answer(project, planted[1], "ben")
    answer(project, planted[1], "ben")
    assert project.question("ada", wait=30.0).document.id == first


def test_no_document_is_handed_to_two_people(project):
    handed = [project.question(f"coder{place}").document.id for place in range(10)]
    assert len(set(handed)) == 10


def test_a_skipped_document_goes_to_others_and_not_back(project):
    skipped = project.question("ada").document.id
    project.apply(Skip((skipped,)), annotator="ada")
    seen = set()
    for _ in range(5):
        document = project.question("ada", wait=30.0).document.id
        seen.add(document)
        project.apply(Skip((document,)), annotator="ada")
    assert skipped not in seen
    assert project.question("ben").document.id == skipped


def test_an_undone_document_is_asked_about_again(project, planted):
    start(project)
    first = answer(project, planted[1]).document.id
    assert project.question("ada", wait=30.0).document.id != first
    assert project.undo("ada").undone == [first]
    assert project.question("ada", wait=30.0).document.id == first


def test_when_all_is_labelled_there_is_no_question_and_counts_say_so(make):
    project = make(Corpus(["red apple pie", "blue deep sea"]), n_topics=2)
    project.apply([AddLabel("a", "A"), Label(("0", "1"), ("a",))], annotator="ada")
    question = project.question("ada", wait=30.0)
    assert question.document is None
    assert question.reasons == []
    assert (question.counts.n_labelled, question.counts.n_mine) == (2, 2)


def test_documents_are_asked_about_again_when_their_label_is_deleted(make):
    project = make(Corpus(["red apple pie", "blue deep sea"]), n_topics=2)
    project.apply([AddLabel("a", "A"), Label(("0", "1"), ("a",))], annotator="ada")
    project.apply(DeleteLabel("a"), annotator="ada")
    assert project.question("ada", wait=30.0).document.id in ("0", "1")


def test_an_empty_document_comes_last_and_can_be_labelled(make):
    project = make(Corpus(["", "red apple pie", "blue deep sea", "deep blue pie"]), n_topics=2)
    project.apply([AddLabel("a", "A"), AddLabel("b", "B")], annotator="ada")
    seen = []
    for place in range(4):
        seen.append(project.question("ada", wait=30.0).document)
        project.apply(Label((seen[-1].id,), ("ab"[place % 2],)), annotator="ada")
    assert seen[-1].id == "0"
    assert seen[-1].text == ""
    assert seen[-1].words == []
    assert project.question("ada", wait=30.0).document is None


def test_one_label_alone_makes_no_guesses(project):
    start(project)
    project.apply(Label(("d0", "d1"), ("theme0",)), annotator="ada")
    question = project.question("ada", wait=30.0)
    assert question.document.suggestions == []
    assert project.labels()[0].n_documents == 2
    assert project.documents(limit=1).lines[0].chance is None


def test_a_share_of_documents_is_labelled_twice(make, planted):
    corpus, truth = planted
    project = start(make(corpus, double_coding=1.0))
    first = answer(project, truth).document.id
    assert project.question("ada", wait=30.0).document.id != first
    second = project.question("ben", wait=30.0)
    assert second.document.id == first
    assert second.double_coding
    assert "two people label" in second.reasons[0]
    project.apply(Label((first,), (truth[int(first[1:])],)), annotator="ben")
    assert project.document(first, "ben").status == "agreed"
    assert project.question("zoe", wait=30.0).document.id != first


@pytest.mark.parametrize("was_handed_out", [True, False])
def test_a_document_that_is_labelled_twice_is_handed_to_one_more_alone(make, planted, was_handed_out):
    corpus, truth = planted
    project = start(make(corpus, double_coding=1.0))
    if was_handed_out:
        first = answer(project, truth).document.id
    else:
        first = "d5"
        project.apply(Label((first,), (truth[5],)), annotator="ada")
    assert project.question("bob", wait=30.0).document.id == first
    assert project.question("cy", wait=30.0).document.id != first
    assert project.question("bob", wait=30.0).document.id == first
    project.apply(Skip((first,)), annotator="bob")
    assert project.question("dee", wait=30.0).document.id == first


def test_a_disagreement_goes_to_one_further_annotator_at_a_time(make, planted):
    project = start(make(planted[0]))
    for name, label in (("ada", "theme0"), ("ben", "theme1")):
        project.apply(Label(("d0",), (label,)), annotator=name)
    assert project.question("yan", wait=30.0).document.id == "d0"
    assert project.question("zoe", wait=30.0).document.id != "d0"


def test_a_disagreement_goes_to_somebody_who_has_not_spoken(make, planted):
    project = start(make(planted[0]))
    project.apply(Label(("d0",), ("theme0",)), annotator="ada")
    project.apply(Label(("d0",), ("theme1",)), annotator="ben")
    assert project.question("ada", wait=30.0).document.id != "d0"
    third = project.question("zoe", wait=30.0)
    assert third.document.id == "d0"
    assert third.counts.n_disagreements == 1
    assert "disagree" in third.reasons[0]
    project.apply(Label(("d0",), ("theme1",)), annotator="zoe")
    assert project.question("yan", wait=30.0).document.id != "d0"


@given(st.lists(st.text(min_size=1), min_size=1, unique=True), st.floats(0, 1))
def test_who_is_paired_depends_on_the_id_alone_and_grows_with_the_share(ids, share):
    chosen = {id for id in ids if is_paired(id, share)}
    assert chosen == {id for id in reversed(ids) if is_paired(id, share)}
    assert chosen <= {id for id in ids if is_paired(id, min(1.0, share + 0.2))}
    assert not any(is_paired(id, 0.0) for id in ids)
    assert all(is_paired(id, 1.0) for id in ids)


def test_about_the_asked_share_is_paired():
    share = sum(is_paired(f"document {k}", 0.2) for k in range(5000)) / 5000
    assert share == pytest.approx(0.2, abs=0.02)
