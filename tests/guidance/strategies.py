"""Acts of any kind over few documents, labels, topics and terms, so that they meet."""

from datetime import UTC, datetime

from hypothesis import strategies as st

from wayword.guidance.actions import ACTS, Act, AddLabel, Entry, Redo, Undo

WHEN = datetime(2026, 1, 31, 12, tzinfo=UTC)
documents = st.sampled_from(["d1", "d2", "d3"])
labels = st.sampled_from(["space", "tax", "sea", "law"])
topics = st.sampled_from(["t1", "t2", "t3", "t4"])
terms = st.sampled_from(["moon", "ship", "money", "court"])
names = st.sampled_from(["Space", "Tax", "Café", "Law"])
annotators = st.sampled_from(["ada", "bob"])


def lists(of, fewest=1, most=3):
    return st.lists(of, min_size=fewest, max_size=most, unique=True)


FIELDS = {
    "documents": lists(documents),
    "document": documents,
    "labels": lists(labels),
    "label": labels,
    "topics": lists(topics),
    "topic": topics,
    "terms": lists(terms, 0),
    "term": terms,
    "name": names,
    "text": st.text("ab é\n", min_size=1).filter(str.strip),
    "source": names,
    "speaker": st.sampled_from(["", "ada", "bob", "cy"]),
    "purity": st.sampled_from([0, 0.5, 1.0]),
    "flagged": st.booleans(),
    "frozen": st.booleans(),
    "banned": st.booleans(),
    "forbidden": st.booleans(),
}
INTO = {
    "merge_labels": labels,
    "merge_topics": topics,
    "split_label": lists(labels, 2),
    "split_topic": lists(topics, 2),
}


@st.composite
def bodies(draw, kinds=tuple(ACTS)):
    """Return an act as JSON has it."""
    kind = draw(st.sampled_from(kinds))
    body = {"kind": kind} | {name: draw(_field(kind, name)) for name in ACTS[kind].__dataclass_fields__}
    if kind == "split_label":
        body["names"] = draw(st.lists(names, min_size=len(body["into"]), max_size=len(body["into"]), unique=True))
    if kind.startswith("merge"):
        sources = "labels" if kind == "merge_labels" else "topics"
        others = [name for name in body[sources] if name != body["into"]]
        body[sources] = others or [f"not {body['into']}"]
    return body


def _field(kind, name):
    if name == "into":
        return INTO[kind]
    if kind == "import" and name in ("labels", "names"):
        return st.dictionaries(documents, lists(labels), min_size=1) if name == "labels" else _names_by_id()
    return FIELDS[name] if name != "names" else st.just([])


def _names_by_id():
    return st.dictionaries(labels, names)


acts = bodies().map(Act.from_dict)
lasting_acts = bodies(tuple(kind for kind in ACTS if kind not in ("undo", "redo"))).map(Act.from_dict)


def sign(said):
    """Return entries for pairs of annotator and act."""
    return [Entry(act, annotator, WHEN, f"act {number}") for number, (annotator, act) in enumerate(said, start=1)]


# Most journals begin with labels to speak of; what follows is often about them, and often taken back.
beginnings = st.sampled_from([[], *[[("ada", AddLabel("space", "Space")), ("bob", AddLabel("tax", "Tax"))]] * 3])
of_labels = bodies(("label", "adjudicate", "unlabel", "rename_label", "merge_labels", "split_label", "delete_label"))
said = st.lists(
    st.tuples(annotators, st.one_of(acts, acts, of_labels.map(Act.from_dict), st.just(Undo()), st.just(Redo()))),
    max_size=30,
)
journals = st.builds(lambda first, rest: sign([*first, *rest]), beginnings, said)
