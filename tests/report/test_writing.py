import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

from wayword import NMF, Vectorizer, save
from wayword.errors import FormatError, InputError
from wayword.report import write_report


def test_the_same_report_is_the_same_bytes(stays, themes, tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    pages = [write_report(themes, tmp_path / name, corpus=stays, title="Stays") for name in ("a.html", "b.html")]
    assert pages[0].read_bytes() == pages[1].read_bytes()


def test_a_saved_model_gives_the_page_of_the_model(themes, tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    save(themes, tmp_path / "stays.wayword")
    saved = write_report(tmp_path / "stays.wayword", str(tmp_path / "saved.html"))
    assert saved.read_bytes() == write_report(themes, tmp_path / "kept.html").read_bytes()


def test_a_corpus_is_read_from_its_file(themes, tmp_path):
    (tmp_path / "few.jsonl").write_text('{"id": "only", "text": "clean room and friendly staff"}\n', encoding="utf-8")
    page = write_report(themes, tmp_path / "few.html", corpus=tmp_path / "few.jsonl")
    assert "clean room and friendly staff" in page.read_text(encoding="utf-8")


def test_fifty_topics_stay_under_eight_megabytes(tmp_path):
    rng = np.random.default_rng(0)
    words = [f"word{k}" for k in range(2000)]
    texts = [" ".join(rng.choice(words, size=60)) for _ in range(300)]
    vectorizer = Vectorizer(language="none")
    model = NMF(50, max_iter=3).fit(vectorizer.fit_transform(texts))
    from wayword import Corpus

    page = write_report(make_pipeline(vectorizer, model), tmp_path / "large.html", corpus=Corpus(texts))
    assert page.read_text(encoding="utf-8").count('class="card"') == 50
    assert page.stat().st_size < 8_000_000


def test_the_model_and_the_corpus_are_never_replaced(themes, tmp_path):
    model, corpus = tmp_path / "stays.wayword", tmp_path / "stays.jsonl"
    save(themes, model)
    corpus.write_text('{"text": "clean room"}\n', encoding="utf-8")
    kept = [model.read_bytes(), corpus.read_bytes()]
    for path in (model, corpus):
        with pytest.raises(InputError, match="is what the report is made from"):
            write_report(model, path, corpus=corpus)
    assert [model.read_bytes(), corpus.read_bytes()] == kept


def test_a_report_that_fails_leaves_what_was_there(themes, tmp_path):
    page = tmp_path / "page.html"
    page.write_text("before", encoding="utf-8")
    with pytest.raises(InputError):
        write_report(NMF(2).fit([[1, 0], [0, 1]]), page)
    assert page.read_text(encoding="utf-8") == "before"
    assert list(tmp_path.iterdir()) == [page]


def test_places_and_files_that_will_not_do_are_told_before_any_work(themes, tmp_path):
    with pytest.raises(InputError, match="is a folder"):
        write_report(themes, tmp_path)
    with pytest.raises(InputError, match="make it first"):
        write_report(themes, tmp_path / "none" / "page.html")
    with pytest.raises(InputError, match="must be a Corpus"):
        write_report(themes, tmp_path / "page.html", corpus=["clean room"])  # pyright: ignore[reportArgumentType]
    (tmp_path / "other").write_bytes(b"no model")
    with pytest.raises(FormatError):
        write_report(tmp_path / "other", tmp_path / "page.html")
