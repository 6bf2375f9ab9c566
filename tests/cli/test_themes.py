import csv
import io
import json
import re

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

from wayword import NMF, ThemeNMF, Vectorizer, demo_corpus, load, log_rank_accuracy, read_corpus, save
from wayword.cli.console import printable, settings
from wayword.cli.main import main
from wayword.cli.predictions import Prediction, write_predictions
from wayword.cli.themes import model_name
from wayword.errors import InputError

ROWS = [
    ("1", "A clean room with a large bed", ["room"]),
    ("2", "The bed was soft and the room was quiet", ["room"]),
    ("3", "Large room, clean bath, soft bed", ["room"]),
    ("4", "Quiet room and a clean bath", []),
    ("5", "Friendly staff at the desk answered every question", ["staff"]),
    ("6", "The staff at the desk were rude and slow", ["staff"]),
    ("7", "Rude answers at the desk", []),
    ("8", "Friendly, helpful desk staff", ["staff"]),
    ("9", "Breakfast was cold and the coffee was weak", ["food"]),
    ("10", "Good coffee and fresh bread at breakfast", ["food"]),
    ("11", "Cold eggs, weak coffee at breakfast", []),
    ("12", "", []),
]
BOTH = ("13", "Friendly staff and a clean room", ["room", "staff"])


@pytest.fixture(autouse=True)
def _fresh_settings():
    yield
    settings.quiet = settings.debug = False


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def write(path, rows):
    lines = (json.dumps({"id": id, "text": text, "labels": labels}) for id, text, labels in rows)
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.fixture
def stays(tmp_path):
    return write(tmp_path / "stays.jsonl", ROWS)


@pytest.fixture
def model(tmp_path):
    """The file of a model of one label for each document."""
    path = tmp_path / "model.wayword"
    texts, labels = [row[1] for row in ROWS], [row[2][0] if row[2] else None for row in ROWS]
    save(make_pipeline(Vectorizer(), ThemeNMF(2)).fit(texts, labels), path)
    return path


def run(*arguments, code=0):
    assert main([str(argument) for argument in arguments]) == code


def refuse(capsys, said, *arguments, code=2):
    """A command ends with this exit code and says this in one line."""
    run(*arguments, code=code)
    shown = capsys.readouterr()
    assert re.search(said, shown.err), shown.err
    assert shown.err.startswith("wayword: ")
    assert shown.err.count("\n") == 1
    assert "Traceback" not in shown.err


def test_fit_saves_a_pipeline_and_shows_its_themes(capsys, stays, tmp_path):
    run("fit", stays, "--themes", "--subtopics", 2, "--min-df", 1)
    shown = capsys.readouterr()
    for word in ("food", "room", "staff", "breakfast", "bed", "desk", "subtopic 2"):
        assert word in shown.out
    assert "subtopic 3" not in shown.out
    assert "new topic" not in shown.out
    assert shown.err.endswith("saved the model to stays.wayword\n")
    vectorizer, found = load(tmp_path / "stays.wayword")
    assert isinstance(vectorizer, Vectorizer)
    assert found.themes_.tolist() == ["food", "room", "staff"]
    assert found.label_kind_ == "single"


def test_fit_is_what_the_api_fits(stays, tmp_path):
    run("fit", stays, "--themes", "--min-df", 1, "--seed", 3, "--out", tmp_path / "some.model")
    corpus = read_corpus(stays)
    labels = [names[0] if names else None for names in corpus.labels]
    vectorizer = Vectorizer(min_df=1, stop_words=None, min_length=2)
    expected = make_pipeline(vectorizer, ThemeNMF(random_state=3)).fit(corpus, labels)
    found = load(tmp_path / "some.model")
    assert found.predict_proba(corpus).tobytes() == expected.predict_proba(corpus).tobytes()


def test_fit_passes_its_options_on(capsys, stays, tmp_path):
    options = ("--mode", "combined", "--supervision", "semi", "--score", "share", "--new-topics", 1, "--subtopics", 1)
    run("fit", stays, "--themes", *options, "--ngrams", 2, "--terms", 9, "--min-df", 1, "--language", "none")
    assert "new topic 1" in capsys.readouterr().out
    vectorizer, found = load(tmp_path / "stays.wayword")
    assert (vectorizer.ngrams, vectorizer.max_terms, vectorizer.min_df) == ((1, 2), 9, 1)
    assert vectorizer.language == "none"
    assert len(vectorizer.vocabulary_) == 9
    assert (found.mode, found.supervision, found.get_params()["score"]) == ("combined", "semi", "share")
    assert (found.n_subtopics, found.n_new_topics) == (1, 1)


@pytest.mark.parametrize(("told", "ngrams"), [("not good", (1, 2)), ("good", (1, 1))])
def test_fit_chooses_words_or_pairs_by_the_labels(capsys, tmp_path, told, ngrams):
    """Only a pair tells the labels apart, or a word does."""
    good, bad = ("good not", "not good") if " " in told else ("good fine", "fine")
    rows = _say_rows(good, bad)
    options = ("--ngrams", "auto", "--language", "none", "--out", tmp_path / "m.wayword")
    run("fit", write(tmp_path / "said.jsonl", rows), "--themes", *options)
    assert load(tmp_path / "m.wayword")[0].ngrams == ngrams
    assert "60 held-out documents" in capsys.readouterr().err


def _say_rows(good, bad):
    return [(f"{k}", f"{good if k % 2 else bad} number{k % 3}", ["up" if k % 2 else "down"]) for k in range(60)]


@pytest.mark.parametrize(
    ("options", "kept"), [((), True), (("--stop-words", "drop"), False), (("--stop-words", "keep"), True)]
)
def test_stop_words_are_counted_where_they_tell_labels_apart_but_not_shown(capsys, tmp_path, options, kept):
    corpus = write(tmp_path / "said.jsonl", _say_rows("would have bought", "never bought"))
    run("fit", corpus, "--themes", *options)
    vectorizer = load(tmp_path / "said.wayword")[0]
    assert ("never" in vectorizer.vocabulary_) == kept
    assert (vectorizer.stop_words is None) == kept
    run("themes", tmp_path / "said.wayword")
    words = set(re.findall(r"\w+", capsys.readouterr().out))
    assert {"buy", "number1"} <= words
    assert not {"never", "would", "have"} & words
    run("explain", tmp_path / "said.wayword", "never bought")
    shown = capsys.readouterr().out
    assert ("never +" in shown) == kept
    names = re.findall(r"^  \d: (.*?)  ", shown, flags=re.MULTILINE)
    assert names
    assert not {"never", "would", "have"} & set(re.findall(r"\w+", " ".join(names)))


def test_stop_words_are_left_out_where_that_is_better_beyond_doubt(capsys, tmp_path):
    """Of stop words there is a new one in each document, so that they tell nothing, and bury what does."""
    listed = Vectorizer(lemmatize=False, stop_words=None).counted_stop_words()
    listed = sorted(word for word in listed if word.isalpha() and len(word) > 3)
    fillers = np.random.RandomState(0).choice(listed, (120, 30))
    rows = [(f"{k}", f"{'apple' if k % 2 else 'ship'} {' '.join(f)}", ["ab"[k % 2]]) for k, f in enumerate(fillers)]
    for k in range(0, 120, 3):  # and every third names both
        rows[k] = (rows[k][0], f"{rows[k][1]} {'ship' if k % 2 else 'apple'}", rows[k][2])
    run("fit", write(tmp_path / "said.jsonl", rows), "--themes")
    shown = capsys.readouterr()
    assert "without stop words' ranks" in shown.err
    assert load(tmp_path / "said.wayword")[0].stop_words == "auto"


def test_a_corpus_of_nothing_but_stop_words_can_be_fitted(capsys, tmp_path):
    rows = [(f"{k}", "never would" if k % 2 else "have been", ["up" if k % 2 else "down"]) for k in range(40)]
    run("fit", write(tmp_path / "said.jsonl", rows), "--themes")
    assert "never" in capsys.readouterr().out  # there is nothing else to show
    refuse(capsys, "no terms left", "fit", tmp_path / "said.jsonl", "--themes", "--stop-words", "drop")


def test_a_language_without_stop_words_has_none_to_leave_out(capsys, tmp_path):
    corpus = write(tmp_path / "said.jsonl", _say_rows("good fine", "fine"))
    run("fit", corpus, "--themes", "--ngrams", 1, "--language", "none")
    assert "held-out" not in capsys.readouterr().err


def test_a_document_of_several_labels_makes_a_model_of_several_labels(stays, tmp_path):
    write(stays, [*ROWS, BOTH])
    run("fit", stays, "--themes", "--min-df", 1)
    assert load(tmp_path / "stays.wayword")[-1].label_kind_ == "lists"


def test_fit_reads_a_folder_whose_sub_folders_are_labels(tmp_path):
    for id, text, labels in ROWS:
        folder = tmp_path / "texts" / (labels[0] if labels else ".")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{id}.txt").write_text(text)
    run("fit", tmp_path / "texts", "--themes", "--labels", "folder", "--min-df", 1)
    assert {"food", "room", "staff"} <= set(load(tmp_path / "texts.wayword")[-1].themes_.tolist())


def test_a_second_fit_replaces_the_model_of_the_first(stays, tmp_path):
    for subtopics in (1, 2):
        run("fit", stays, "--themes", "--min-df", 1, "--subtopics", subtopics)
    assert load(tmp_path / "stays.wayword")[-1].n_subtopics == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["stays.jsonl", "stays.wayword"]


@pytest.mark.parametrize(
    ("path", "name"), [("a/reviews.jsonl.gz", "reviews"), ("x.CSV.GZ", "x"), ("a.b.csv", "a.b"), ("plain", "plain")]
)
def test_a_model_has_the_name_of_its_corpus(tmp_path, path, name):
    assert str(model_name(tmp_path / path)) == f"{name}.wayword"


def test_fit_without_a_kind_of_model_says_which_there_are(capsys, stays):
    refuse(capsys, "say what kind of model to fit: --themes", "fit", stays)


def test_a_corpus_without_labels_is_refused_with_advice(capsys, tmp_path):
    bare = write(tmp_path / "bare.jsonl", [(id, text, []) for id, text, _ in ROWS])
    refuse(capsys, r"bare\.jsonl: no document has a label; .* --labels", "fit", bare, "--themes")
    assert [path.name for path in tmp_path.iterdir()] == ["bare.jsonl"]


def test_an_empty_corpus_is_refused(capsys, tmp_path, model):
    empty = tmp_path / "empty.jsonl"
    empty.write_text("")
    refuse(capsys, "no documents", "fit", empty, "--themes", code=1)
    refuse(capsys, "no documents", "predict", model, empty, code=1)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--mode", "both"], "mode must be one of 'separated', 'combined', got 'both'"),
        (["--supervision", "none"], "supervision must be one of"),
        (["--score", "luck"], "score must be one of"),
        (["--subtopics", "0"], "--subtopics"),
        (["--new-topics", "-1"], "--new-topics"),
        (["--ngrams", "1-2"], "1,3"),
        (["--stop-words", "some"], "--stop-words must be 'auto', 'keep' or 'drop', got 'some'"),
        (["--min-df", "some"], "0.5"),
        (["--min-df", "13"], "max_df 1.0 means fewer documents"),
        (["--max-terms", "0"], "--max-terms"),
        (["--language", "xx"], "unknown language"),
        (["--language", "zh"], "unknown language"),
        (["--labels", "codes"], "no column 'codes'"),
        (["--out", "nowhere/some.wayword"], "there is no folder nowhere"),
        (["--out", "."], "is a folder"),
        (["--out", "stays.jsonl"], "is what is being read"),
        (["--bogus"], "No such option"),
    ],
)
def test_options_of_fit_that_make_no_sense(capsys, stays, tmp_path, options, said):
    before = stays.read_bytes()
    refuse(capsys, re.escape(said), "fit", stays, "--themes", *options)
    assert [path.name for path in tmp_path.iterdir()] == ["stays.jsonl"]
    assert stays.read_bytes() == before


@pytest.mark.parametrize("options", [[], ["--out", "stays.wayword"]])
def test_a_project_of_the_same_name_is_never_written_over(capsys, stays, tmp_path, options):
    run("new", "stays.wayword", stays)
    capsys.readouterr()
    before = (tmp_path / "stays.wayword").read_bytes()
    refuse(capsys, "is a project or another database, which is never written over", "fit", stays, "--themes", *options)
    for command in ("discover", "anchors"):
        refuse(capsys, "is a project", command, stays, "--out", "stays.wayword")
    with pytest.raises(InputError, match="is a project"):
        save(NMF(1).fit(np.ones((2, 2))), "stays.wayword")
    assert (tmp_path / "stays.wayword").read_bytes() == before


@pytest.mark.parametrize("options", [(), ("--language", "none"), ("--stop-words", "keep"), ("--stop-words", "drop")])
def test_without_labels_words_are_counted(tmp_path, options):
    corpus = tmp_path / "plain.csv"
    corpus.write_text("text\n" + "bed room warm\nfood meal hot\n" * 6, encoding="utf-8")
    run("fit", corpus, "--themes", "--new-topics", "2", *options)
    vectorizer = load("plain.wayword")[0]
    assert vectorizer.ngrams == (1, 1)
    assert (vectorizer.stop_words is None) == ("keep" in options)


def test_new_topics_need_no_labels(capsys, tmp_path):
    corpus = tmp_path / "plain.csv"
    corpus.write_text("text\n" + "bed room warm\nfood meal hot\n" * 6, encoding="utf-8")
    run("fit", corpus, "--themes", "--new-topics", "2")
    shown = capsys.readouterr().out
    assert "new topic 2" in shown
    assert "themes" not in shown


def test_new_topics_need_unlabelled_documents(capsys, tmp_path):
    told = write(tmp_path / "told.jsonl", [row for row in ROWS if row[2]])
    refuse(capsys, "n_new_topics needs unlabelled documents", "fit", told, "--themes", "--new-topics", 1)


def test_the_number_of_subtopics_may_be_left_to_the_words(capsys, tmp_path, stays):
    run("fit", stays, "--themes", "--subtopics", "auto", "--min-df", 1)
    assert "predicted best with" in " ".join(capsys.readouterr().err.split())
    assert 1 <= load(tmp_path / "stays.wayword")[-1].n_subtopics <= 6


def test_themes_are_shown_with_subtopics_and_backgrounds(capsys, model):
    run("themes", model, "--words", 3)
    shown = capsys.readouterr().out
    assert shown.count("background") == 3
    assert shown.count("subtopic 1") == shown.count("subtopic 2") == 3
    for line in shown.splitlines():
        assert line.count(",") <= 2


def test_themes_as_json_are_what_the_api_says(capsys, model):
    from wayword.interpret.themes import describe_themes

    run("themes", model, "--json", "--purity", 1, "--aggregate", "sum", "--words", 4)
    said = json.loads(capsys.readouterr().out)
    vectorizer, found = load(model)
    terms = vectorizer.vocabulary_
    expected = describe_themes(found, terms, n_terms=4, purity_ratio=1.0, aggregate="sum").to_dict()
    assert said == json.loads(json.dumps(expected))
    assert [theme["name"] for theme in said["themes"]] == ["food", "room", "staff"]


def test_combined_themes_share_one_background(capsys, tmp_path, stays):
    run("fit", stays, "--themes", "--mode", "combined", "--new-topics", 2, "--min-df", 1, "--quiet")
    capsys.readouterr()
    run("themes", tmp_path / "stays.wayword")
    shown = capsys.readouterr().out
    assert shown.count("background") == 1
    assert "(all)" in shown
    assert "new topic 2" in shown


@pytest.mark.parametrize(
    ("options", "said"), [(["--purity", "2"], "purity_ratio"), (["--aggregate", "min"], "aggregate")]
)
def test_options_of_themes_that_make_no_sense(capsys, model, options, said):
    refuse(capsys, said, "themes", model, *options)


def test_predictions_are_shown_for_every_document(capsys, model, stays):
    run("predict", model, stays, "--top", 2)
    shown = capsys.readouterr()
    rows = re.findall(r"^ +(\d+) +(\w+) +(\w+) (\d\.\d\d), (\w+) (\d\.\d\d) *$", shown.out, flags=re.MULTILINE)
    assert [row[0] for row in rows] == [id for id, _, _ in ROWS]
    assert all(label == best for _, label, best, *_ in rows)
    assert [row[1] for row in rows][:3] == ["room"] * 3
    assert shown.err == ""


def test_accuracy_is_that_of_the_labelled_documents_whose_labels_are_known(capsys, model, tmp_path):
    rows = [*ROWS, BOTH, ("14", "A cold room", ["heating"]), ("15", "Cold staff", ["heating", "staff"])]
    corpus = read_corpus(write(tmp_path / "more.jsonl", rows))
    run("predict", model, tmp_path / "more.jsonl")
    shown = capsys.readouterr()
    known = [place for place, labels in enumerate(corpus.labels) if labels and "heating" not in labels]
    chances = load(model).predict_proba(corpus)[known]
    expected = log_rank_accuracy([corpus.labels[k] for k in known], chances, themes=["food", "room", "staff"])
    assert (
        f"log rank accuracy of {len(known)} labelled documents: {expected:.3f} (too high if the model learnt from them)"
        in shown.out
    )
    assert "not in the accuracy: 2 documents" in shown.err


def test_without_labels_there_is_no_accuracy(capsys, model, tmp_path):
    run("predict", model, write(tmp_path / "bare.jsonl", [(id, text, []) for id, text, _ in ROWS]))
    assert "accuracy" not in "".join(capsys.readouterr())
    run("predict", model, write(tmp_path / "odd.jsonl", [(id, text, ["odd"]) for id, text, _ in ROWS]))
    shown = capsys.readouterr()
    assert "accuracy" not in shown.out
    assert "12 documents with labels that the model does not know" in shown.err


def test_predictions_as_csv_are_what_the_api_says(capsys, model, stays, tmp_path):
    run("predict", model, stays, "--out", tmp_path / "found.csv")
    assert "wrote 12 predictions" in capsys.readouterr().err
    rows = list(csv.DictReader(io.StringIO((tmp_path / "found.csv").read_text(encoding="utf-8"))))
    pipeline, texts = load(model), read_corpus(stays)
    assert list(rows[0]) == ["id", "labels", "p(food)", "p(room)", "p(staff)"]
    assert [row["id"] for row in rows] == list(texts.ids)
    assert [row["labels"] for row in rows] == pipeline.predict(texts).tolist()
    chances = np.array([[float(row[f"p({name})"]) for name in ("food", "room", "staff")] for row in rows])
    np.testing.assert_allclose(chances, pipeline.predict_proba(texts), atol=1e-6)


def test_cells_of_predictions_that_a_spreadsheet_would_run_are_marked_and_numbers_are_not(tmp_path):
    found = [Prediction(id, [label], {"any": 0.5}) for id, label in [("=1+1", "@label"), ("-7", "-1.5"), ("a", "+b")]]
    write_predictions(found, tmp_path / "found.csv")
    with (tmp_path / "found.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["id"], row["labels"]) for row in rows] == [("'=1+1", "'@label"), ("-7", "-1.5"), ("a", "'+b")]


def test_predictions_as_json_lines_are_what_the_api_says(model, stays, tmp_path):
    run("predict", model, stays, "--out", tmp_path / "found.jsonl")
    rows = list(map(json.loads, (tmp_path / "found.jsonl").read_text(encoding="utf-8").splitlines()))
    pipeline, texts = load(model), read_corpus(stays)
    assert [row["id"] for row in rows] == list(texts.ids)
    assert [row["labels"] for row in rows] == [[name] for name in pipeline.predict(texts)]
    chances = np.array([list(row["probabilities"].values()) for row in rows])
    np.testing.assert_allclose(chances, pipeline.predict_proba(texts), atol=1e-6)


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_several_labels_can_be_read_again_from_a_file_of_predictions(stays, tmp_path, ending):
    write(stays, [*ROWS, BOTH])
    run("fit", stays, "--themes", "--min-df", 1)
    out = tmp_path / f"found.{ending}"
    run("predict", tmp_path / "stays.wayword", stays, "--out", out)
    answers = load(tmp_path / "stays.wayword").predict(read_corpus(stays))
    assert [list(labels) for labels in read_corpus(out, text="id").labels] == answers


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_no_label_one_label_and_several_can_be_told_apart_in_a_file(tmp_path, ending):
    found = [
        Prediction("1", ["room", "staff"], {"room": 0.9, "staff": 0.8}),
        Prediction("2", [], {"room": 0.2, "staff": 0.1}),
        Prediction("3", ["staff"], {"room": 1e-9, "staff": 0.5}),
    ]
    write_predictions(found, tmp_path / f"found.{ending}")
    corpus = read_corpus(tmp_path / f"found.{ending}", text="id")
    assert corpus.labels == (("room", "staff"), (), ("staff",))


def test_a_file_of_predictions_is_replaced_when_all_is_written(model, stays, tmp_path, monkeypatch):
    out = tmp_path / "found.csv"
    out.write_text("old")
    run("predict", model, stays, "--out", out)
    written = out.read_text()
    assert written.startswith("id,labels")

    def fail(*_):
        raise OSError("no space left on device")

    monkeypatch.setattr("wayword.cli.predictions.csv.writer", fail)
    run("predict", model, stays, "--out", out, code=1)
    assert out.read_text() == written
    assert sorted(path.name for path in tmp_path.iterdir()) == ["found.csv", "model.wayword", "stays.jsonl"]


@pytest.mark.parametrize(
    ("out", "said"),
    [
        ("found.xlsx", r"found\.xlsx: the name must end in \.csv or \.jsonl"),
        ("found", "must end in"),
        ("nowhere/found.csv", "there is no folder"),
        ("stays.jsonl", "is what is being read"),
    ],
)
def test_places_where_predictions_cannot_go(capsys, model, stays, out, said):
    before = stays.read_bytes()
    refuse(capsys, said, "predict", model, stays, "--out", out)
    assert stays.read_bytes() == before


def test_a_document_too_short_for_the_vectorizer_gets_a_row_too(capsys, stays, tmp_path):
    texts, labels = [row[1] for row in ROWS if row[2]], [row[2][0] for row in ROWS if row[2]]
    save(make_pipeline(Vectorizer(min_tokens=2), ThemeNMF(1)).fit(texts, labels), tmp_path / "strict.wayword")
    run("predict", tmp_path / "strict.wayword", stays, "--out", tmp_path / "found.jsonl")
    assert len((tmp_path / "found.jsonl").read_text().splitlines()) == len(ROWS)
    assert "left out" not in capsys.readouterr().err


def test_labels_that_were_a_matrix_are_known_by_their_columns(capsys, stays, tmp_path):
    texts = [row[1] for row in ROWS if row[2]]
    y = np.array([[row[2] == ["room"], row[2] != ["room"]] for row in ROWS if row[2]], dtype=int)
    pipeline = make_pipeline(Vectorizer(), ThemeNMF(1)).fit(texts, y)
    save(pipeline, tmp_path / "matrix.wayword")
    run("predict", tmp_path / "matrix.wayword", stays, "--out", tmp_path / "found.jsonl")
    rows = list(map(json.loads, (tmp_path / "found.jsonl").read_text().splitlines()))
    expected = pipeline.predict(read_corpus(stays))
    assert [row["labels"] for row in rows] == [list(map(str, np.flatnonzero(row))) for row in expected]
    assert rows[0]["probabilities"].keys() == {"0", "1"}


def test_a_model_of_new_topics_alone_predicts_nothing(capsys, stays, tmp_path):
    texts = [row[1] for row in ROWS]
    lone = make_pipeline(Vectorizer(), ThemeNMF(1, mode="combined", n_new_topics=2, score="share"))
    save(lone.fit(texts, [None] * len(texts)), tmp_path / "lone.wayword")
    refuse(capsys, "nothing to predict", "predict", tmp_path / "lone.wayword", stays)
    run("themes", tmp_path / "lone.wayword")
    assert "new topic 2" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["themes", "predict"])
def test_what_is_no_model_of_themes_is_refused(capsys, stays, tmp_path, command):
    corpus = [stays] if command == "predict" else []
    texts = [row[1] for row in ROWS]
    X = Vectorizer().fit_transform(texts)
    for place, other in enumerate(
        [NMF(2).fit(X), Vectorizer().fit(texts), make_pipeline(Vectorizer(), NMF(2)).fit(texts)]
    ):
        save(other, tmp_path / f"{place}.wayword")
    refuse(capsys, "got NMF; make a model with 'wayword fit --themes'", command, tmp_path / "0.wayword", *corpus)
    refuse(capsys, "expected a Vectorizer and a ThemeNMF, got Vec", command, tmp_path / "1.wayword", *corpus)
    refuse(capsys, "got Vectorizer and NMF", command, tmp_path / "2.wayword", *corpus)
    refuse(capsys, "does not exist", command, tmp_path / "nowhere.wayword", *corpus)
    refuse(capsys, "not a Wayword model, or damaged", command, stays, *corpus, code=1)


def test_a_model_cut_short_is_refused(capsys, model):
    model.write_bytes(model.read_bytes()[:3000])
    refuse(capsys, "damaged", "themes", model, code=1)


HOSTILE = "[red]x[/red] :smile: \x1b[31m\u202e\r\x07"


def test_hostile_names_are_shown_literally(capsys, tmp_path):
    rows = [(f"{HOSTILE}{id}", text, [f"{HOSTILE} {label}" for label in labels]) for id, text, labels in ROWS]
    run("fit", write(tmp_path / "hostile.jsonl", rows), "--themes", "--min-df", 1)
    run("themes", tmp_path / "hostile.wayword")
    run("predict", tmp_path / "hostile.wayword", tmp_path / "hostile.jsonl")
    run("corpus", "info", tmp_path / "hostile.jsonl")
    shown = capsys.readouterr().out
    assert shown.count(r"[red]x[/red] :smile: \x1b[31m\u202e\r\x07 room") > 3
    assert not {"\x1b", "\u202e", "\r", "\x07"} & set(shown)


def test_hostile_names_do_not_break_a_file(tmp_path):
    rows = [(f'{id}",\n{HOSTILE}', text, [f'"{label},\n{HOSTILE}=1' for label in labels]) for id, text, labels in ROWS]
    run("fit", write(tmp_path / "hostile.jsonl", rows), "--themes", "--min-df", 1)
    run("predict", tmp_path / "hostile.wayword", tmp_path / "hostile.jsonl", "--out", tmp_path / "found.csv")
    with (tmp_path / "found.csv").open(encoding="utf-8", newline="") as file:
        found = list(csv.reader(file))
    assert [len(row) for row in found] == [5] * (len(rows) + 1)
    assert [row[0] for row in found[1:]] == [id.strip() for id, _, _ in rows]


@pytest.mark.parametrize(
    ("text", "shown"),
    [("é ß 字 😀", "é ß 字 😀"), ("\x1b[0m", r"\x1b[0m"), ("\ud800", r"\ud800"), ("\x9b1m", r"\x9b1m")],
)
def test_what_a_terminal_would_obey_is_spelled_out(text, shown):
    assert printable(text) == shown


def test_half_a_character_in_a_label_is_an_error_of_the_corpus(capsys, tmp_path):
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"text": "fine", "labels": ["\\ud800"]}')
    refuse(capsys, "line 1: half a character, U.D800, in 'labels'", "corpus", "info", broken, code=1)


def test_the_demo_corpus_from_labels_to_predictions(capsys, tmp_path):
    corpus = demo_corpus()
    largest = ("scipy.stats", "scipy.signal", "numpy.polynomial", "scipy.sparse")
    chosen = [document for document in corpus if document.labels[0] in largest]
    rows = [(one.id, one.text, list(one.labels) if place % 2 else []) for place, one in enumerate(chosen)]
    run("fit", write(tmp_path / "docs.jsonl", rows), "--themes", "--min-df", 3)
    shown = capsys.readouterr().out
    for word in ("distribution", "filter", "polynomial", "matrix"):
        assert word in shown
    held = [(one.id, one.text, list(one.labels)) for place, one in enumerate(chosen) if not place % 2]
    run("predict", tmp_path / "docs.wayword", write(tmp_path / "held.jsonl", held), "--out", tmp_path / "found.csv")
    accuracy = re.search(r"log rank accuracy of (\d+) labelled documents: (\d\.\d+)", capsys.readouterr().out)
    assert accuracy is not None
    assert int(accuracy[1]) == len(held)
    assert float(accuracy[2]) > 0.9
