"""Files as other programs write them."""

import csv
import io
import json

import pandas as pd
import pytest

from wayword.errors import CorpusError, MissingColumnError
from wayword.workbench.exchange import ExportRow, guess_format, read_exchange, write_exchange
from workbench.exchanges import texts_of, workbook


def lines(*records):
    return "\n".join(json.dumps(record, ensure_ascii=False) for record in records).encode()


def table(*rows):
    file = io.StringIO(newline="")
    csv.writer(file).writerows(rows)
    return file.getvalue().encode()


def annotation(choices, **more):
    result = {"from_name": "topic", "to_name": "text", "type": "choices", "value": {"choices": choices}}
    return {"id": 1, "result": [result], "was_cancelled": False, "ground_truth": False, **more}


TASKS = [
    {
        "id": 11,
        "data": {"text": "A clean room", "hotel": "Ritz"},
        "annotations": [
            annotation(["room", "clean"], completed_by=3),
            annotation(["room"], completed_by={"id": 4, "email": "ben@example.org"}),
            annotation(["staff"], completed_by=5, was_cancelled=True),
        ],
        "predictions": [{"model_version": "m1", "score": 0.4, "result": []}],
    },
    {"id": 12, "data": {"text": "Friendly staff", "id": "s-1"}, "annotations": [annotation(["staff"], completed_by=3)]},
    {"id": 13, "data": {"text": "No comment"}, "annotations": []},
]


def test_tasks_of_label_studio_come_with_every_annotator():
    came = read_exchange(json.dumps(TASKS, indent=2).encode(), name="project-1.json")
    assert texts_of(came) == {"11": "A clean room", "s-1": "Friendly staff", "13": "No comment"}
    assert came.annotators == {"11": {"3": ("room", "clean"), "ben@example.org": ("room",)}, "s-1": {"3": ("staff",)}}
    assert came.labels == {"s-1": ("staff",)}
    assert came.documents is not None
    assert came.documents.metadata["hotel"] == ("Ritz", None, None)
    assert came.warnings == [
        "1 cancelled annotations were left out",
        "1 predictions were left out; only annotations are taken",
    ]


def test_one_task_alone_and_tasks_on_lines_are_read():
    assert texts_of(read_exchange(json.dumps(TASKS[0], indent=1).encode(), name="x.json")) == {"11": "A clean room"}
    assert len(texts_of(read_exchange(lines(*TASKS), name="x.json", format="label-studio"))) == 3


def test_the_ground_truth_of_label_studio_is_settled():
    task = {
        "data": {"id": 1, "text": "x"},
        "annotations": [annotation(["a"], completed_by=1), annotation(["b"], completed_by=2, ground_truth=True)],
    }
    assert read_exchange(json.dumps([task]).encode(), name="x.json").labels == {"1": ("b",)}


def test_spans_and_several_questions_of_label_studio_are_told():
    span = {"from_name": "ner", "to_name": "text", "type": "labels", "value": {"start": 0, "end": 3, "labels": ["PER"]}}
    mood = {"from_name": "mood", "to_name": "text", "type": "choices", "value": {"choices": ["good"]}}
    found = annotation(["room"], completed_by=1)
    found["result"] += [span, mood]
    data = json.dumps([{"id": 1, "data": {"review": "A clean room"}, "annotations": [found]}]).encode()
    came = read_exchange(data, name="x.json")
    assert came.labels == {"1": ("room", "good")}
    assert came.warnings == [
        "labels of 2 questions (mood, topic) became one set of labels",
        "1 results of the type 'labels' were left out; only choices are taken",
    ]
    assert read_exchange(data, name="x.json", label="mood").labels == {"1": ("good",)}


def test_a_task_with_several_texts_asks_which():
    data = json.dumps([{"id": 1, "data": {"title": "a", "body": "b"}, "annotations": []}]).encode()
    with pytest.raises(CorpusError, match=r"line 1: no 'text' .*'title', 'body'; say which"):
        read_exchange(data, name="x.json")
    assert texts_of(read_exchange(data, name="x.json", text="body")) == {"1": "b"}


SHORT = [
    {"text": "A clean room", "id": 11, "choice": {"choices": ["room", "clean"]}, "annotator": 3, "annotation_id": 1, "lead_time": 2.5},
    {"text": "A clean room", "id": 11, "choice": "room", "annotator": 4, "annotation_id": 2, "lead_time": 2.5},
    {"text": "Friendly staff", "id": 99, "wayword_id": "s-1", "choice": "staff", "annotator": 3, "annotation_id": 3, "lead_time": 1.0},
    {"text": "None", "id": 13, "annotator": None, "annotation_id": None, "lead_time": None},
]  # fmt: skip


def test_short_exports_of_label_studio_are_read():
    keys = [*SHORT[0], "wayword_id"]
    cells = [[json.dumps(r[k]) if isinstance(r.get(k), dict) else r.get(k) for k in keys] for r in SHORT]
    for data, name in ((json.dumps(SHORT).encode(), "min.json"), (table(keys, *cells), "min.csv")):
        assert guess_format(name, data) == "label-studio"
        came = read_exchange(data, name=name)
        assert texts_of(came) == {"11": "A clean room", "s-1": "Friendly staff", "13": "None"}
        assert came.annotators == {"11": {"3": ("room", "clean"), "4": ("room",)}, "s-1": {"3": ("staff",)}}
        assert came.labels == {"s-1": ("staff",)}


def test_a_short_export_whose_labels_stand_elsewhere_is_told():
    record = {"text": "x", "id": 1, "verdict": "room", "annotator": 3, "annotation_id": 1, "lead_time": 2.5}
    data = json.dumps([record]).encode()
    assert "1 annotations came without labels" in read_exchange(data, name="x.json").warnings[0]
    assert read_exchange(data, name="x.json", label="verdict").labels == {"1": ("room",)}


def test_tasks_for_label_studio_name_nobody_whom_it_does_not_know():
    row = ExportRow(
        "a", "x", {"id": 5}, ("room",), annotators={"ann": ("room",), "ben": ("staff",)}, guess="room", chance=0.5
    )
    (task,) = json.loads(write_exchange([row], "label-studio"))
    assert task["data"] == {"text": "x", "id": "a", "wayword_id": "a", "metadata: id": 5}
    assert [found["ground_truth"] for found in task["annotations"]] == [True, False]
    assert not any("completed_by" in found for found in task["annotations"])
    assert task["annotations"][1]["result"][0]["value"] == {"choices": ["staff"]}
    assert task["predictions"][0]["score"] == 0.5
    assert json.loads(write_exchange([], "label-studio")) == []


def test_lines_of_doccano_are_read():
    data = lines(
        {"id": 7, "text": "A clean room", "label": ["room", "clean"], "Comments": ["really?"], "hotel": "Ritz"},
        {"id": 8, "text": "Friendly staff", "label": [], "Comments": []},
        {"id": 9, "data": "Old style", "labels": "staff"},
    )
    assert guess_format("all.jsonl", data) == "doccano"
    came = read_exchange(data, name="all.jsonl")
    assert texts_of(came) == {"7": "A clean room", "8": "Friendly staff", "9": "Old style"}
    assert came.labels == {"7": ("room", "clean"), "9": ("staff",)}
    assert came.comments == {"7": (("", "really?"),)}
    assert came.documents is not None
    assert came.documents.metadata["hotel"][0] == "Ritz"


def test_doccano_lists_numbers_and_spans():
    listed = json.dumps([{"id": 1, "text": "x", "label": ["a"], "Comments": []}]).encode()
    assert read_exchange(listed, name="all.json").labels == {"1": ("a",)}
    numbered = lines({"id": 1, "text": "x", "annotations": [{"label": 3, "user": 1}]})
    assert "by number only" in read_exchange(numbered, name="x.jsonl", format="doccano").warnings[0]
    with pytest.raises(CorpusError, match=r"line 1: .*spans of text"):
        read_exchange(lines({"id": 1, "text": "x", "label": [[0, 1, "LOC"]], "Comments": []}), name="x.jsonl")


def test_the_csv_of_doccano_is_read_with_its_separator():
    data = table(["id", "text", "label", "Comments"], [1, "x", "room#clean", ""], [2, "y", "", ""])
    assert read_exchange(data, name="all.csv", label_separator="#").labels == {"1": ("room", "clean")}


def test_answers_of_prodigy_are_read():
    options = [{"id": "room", "text": "Room"}, {"id": "staff", "text": "Staff"}]
    data = lines(
        {"text": "A clean room", "meta": {"id": "r"}, "options": options, "accept": ["room"], "answer": "accept", "_input_hash": 1, "_task_hash": 2, "_annotator_id": "set-ann"},
        {"text": "A clean room", "meta": {"id": "r"}, "options": options, "accept": ["staff"], "answer": "accept", "_annotator_id": "set-ann"},
        {"text": "A clean room", "meta": {"id": "r"}, "options": options, "accept": ["staff"], "answer": "accept", "_session_id": "set-ben"},
        {"text": "Hm", "_input_hash": -77, "options": options, "accept": ["room"], "answer": "ignore", "flagged": True},
        {"text": "Numbers", "id": 3, "options": [{"id": 1, "text": "good"}, {"id": 0, "text": "bad"}], "accept": [1], "answer": "accept"},
    )  # fmt: skip
    assert guess_format("answers.jsonl", data) == "prodigy"
    came = read_exchange(data, name="answers.jsonl")
    assert texts_of(came) == {"r": "A clean room", "-77": "Hm", "3": "Numbers"}
    # The last of two answers of one person counts.
    assert came.annotators == {"r": {"set-ann": ("staff",), "set-ben": ("staff",)}}
    assert came.labels == {"r": ("staff",), "3": ("good",)}
    assert came.flagged == ("-77",)


def test_yes_and_no_of_prodigy_add_up():
    data = lines(
        {"text": "x", "label": "room", "answer": "accept", "meta": {"source": "a"}},
        {"text": "x", "label": "staff", "answer": "reject"},
        {"text": "x", "label": "clean", "answer": "accept"},
        {"text": "y", "label": "room"},
        {"text": "z", "spans": [{"start": 0, "end": 1, "label": "PER"}], "answer": "accept"},
    )
    came = read_exchange(data, name="answers.jsonl")
    known = {text: id for id, text in texts_of(came).items()}
    assert came.labels == {known["x"]: ("room", "clean"), known["y"]: ("room",)}
    assert len(known) == 3
    assert [warning.split(" ", 1)[1] for warning in came.warnings] == [
        "rows have no id; their documents are known by a fingerprint of their text",
        "rejected answers were left out: they say which labels do not apply",
        "answers about spans of text were left out; only labels of whole documents are taken",
    ]


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ({"text": "x", "accept": "room"}, "accept must be a list"),
        ({"text": "x", "accept": [], "answer": "maybe"}, "got 'maybe'"),
    ],
)
def test_odd_answers_of_prodigy_are_told(task, said):
    with pytest.raises(CorpusError, match=f"line 1: .*{said}"):
        read_exchange(lines(task), name="x.jsonl", format="prodigy")


def test_a_document_that_nobody_labelled_is_ignored_by_prodigy():
    (task,) = map(json.loads, write_exchange([ExportRow("a", "x")], "prodigy").splitlines())
    assert (task["answer"], task["accept"], task["meta"]["id"]) == ("ignore", [], "a")


def test_labels_alone_bring_no_documents():
    came = read_exchange(b"id,labels\na,room\nb,\n", name="x.csv")
    assert came.documents is None
    assert came.labels == {"a": ("room",)}


def test_columns_may_have_other_names_and_capitals():
    data = b"Key;Review;Kind\n7;A clean room;room|clean\n"
    came = read_exchange(data, name="x.csv", text="Review", id="Key", label="Kind", label_separator="|")
    assert (texts_of(came), came.labels) == ({"7": "A clean room"}, {"7": ("room", "clean")})
    assert read_exchange(b"ID,Text,Label\n7,x,room\n", name="x.csv").labels == {"7": ("room",)}
    with pytest.raises(MissingColumnError, match="no column 'kind'; the columns are 'id', 'text'"):
        read_exchange(b"id,text\n7,x\n", name="x.csv", label="kind")
    with pytest.raises(MissingColumnError, match="no line has the key 'kind'; the keys are 'id', 'text'"):
        read_exchange(lines({"id": 1, "text": "x"}), name="x.jsonl", label="kind")
    some = lines({"id": 1, "text": "x", "kind": "a"}, {"id": 2, "text": "y"})
    assert read_exchange(some, name="x.jsonl", label="kind").labels == {"1": ("a",)}


def test_a_column_called_status_of_another_program_is_metadata():
    came = read_exchange(b"id,text,status,comments\n7,x,shut,loud\n", name="x.csv")
    assert came.documents is not None
    assert dict(came.documents[0].metadata) == {"status": "shut", "comments": "loud"}


def test_documents_without_ids_have_the_same_id_each_time():
    data = b"text,labels\nA clean room,room\nFriendly staff,staff\nA clean room,clean\n"
    once, twice = read_exchange(data, name="x.csv"), read_exchange(data, name="y.csv")
    assert list(texts_of(once).values()) == ["A clean room", "Friendly staff", "A clean room"]
    assert texts_of(once) == texts_of(twice)
    assert "3 rows have no id" in once.warnings[0]


def test_a_workbook_of_a_person_is_read():
    import datetime

    data = workbook(
        [["id", "text", "labels", "day"], [7, "A clean room", "room", datetime.date(2026, 1, 31)], [8, 5, None, None]]
    )
    came = read_exchange(data, name="x.xlsx")
    assert texts_of(came) == {"7": "A clean room", "8": "5"}
    assert came.labels == {"7": ("room",)}
    assert came.documents is not None
    assert str(came.documents.metadata["day"][0]).startswith("2026-01-31")


def test_a_frame_written_as_parquet_is_read(tmp_path):
    frame = pd.DataFrame({"id": [7, 8], "text": ["a", None], "labels": [["room", "clean"], None], "stars": [4.0, None]})
    frame.to_parquet(tmp_path / "x.parquet")
    came = read_exchange(tmp_path / "x.parquet")
    assert (texts_of(came), came.labels) == ({"7": "a", "8": ""}, {"7": ("room", "clean")})
    assert came.documents is not None
    assert came.documents.metadata["stars"] == (4.0, None)


@pytest.mark.parametrize(
    ("name", "head", "format"),
    [
        ("x.tsv", b"id\ttext", "csv"),
        ("x.XLSX", b"PK\x03\x04", "xlsx"),
        ("x.pq", b"", "parquet"),
        ("x.jsonl", b"", "jsonl"),
        ("x.jsonl", b'{"act_id": "1", "annotator": "ann", "when": "x", "kind": "undo"}', "journal"),
        ("x.json", b'[{"id": 1, "data": {"text": "' + b"x" * 90_000, "label-studio"),
        ("x.json", b'[{"annotations": [], "data": {"text": "' + b"x" * 90_000, "label-studio"),
        ("x.txt", b"id;text\n1;x", "csv"),
        ("x.txt", b'{"text": "x"}', "jsonl"),
    ],
)
def test_the_format_is_told_from_name_and_beginning(name, head, format):
    assert guess_format(name, head) == format
