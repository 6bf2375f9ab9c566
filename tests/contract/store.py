"""What `wayword.store.base` promises, sentence by sentence; every back end must pass."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse

from guidance.strategies import WHEN, journals, sign
from wayword import Corpus
from wayword.corpus.corpus import BagOfWords
from wayword.errors import DuplicateIdError, InputError, StoreError
from wayword.guidance.actions import AddLabel, Entry, Label, Undo
from wayword.guidance.journal import Journal
from wayword.store.base import Annotator, Store

HOSTILE = [
    "<script>alert(1)</script>",
    "a\0b moon",
    "\ud800 half moon",
    "\u202eright to left",
    "",
    " \n\t ",
    "'; DROP --",
]
TEXTS = ["The moon and the ship.", "Moonlight over the sea", "tax law, tax court", "A ship-shape MOON; ship, moon"]
IDS = ["a", "b", "c", "d"]
NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
# One test serves several back ends, and one store several examples.
_SHARED = [HealthCheck.function_scoped_fixture, HealthCheck.differing_executors, HealthCheck.too_slow]
several_examples = settings(suppress_health_check=_SHARED, max_examples=15)
QUERIES = st.one_of(
    st.text(max_size=20),
    st.text("moon\"*-:()^{}+&|!<>'\\%_ NEARANDORNOT\0", max_size=20),
)


def entry(number, act=None, annotator="ada"):
    return Entry(act or AddLabel(f"l{number}", f"name {number}"), annotator, WHEN, f"id {number}")


def found(store, query, **options):
    return {hit.id for hit in store.search(query, **options)}


class StoreContract:
    """Subclasses give the fixtures `store` (empty) and `again` (opens the same project once more)."""

    def test_it_is_a_store(self, store):
        assert isinstance(store, Store)

    # Documents

    def test_documents_come_back_in_order_with_labels_and_metadata(self, store):
        corpus = Corpus(TEXTS, ids=IDS, labels=["x", None, ["y", "x"], []], metadata={"year": [1, 2.5, None, "four"]})
        store.add_documents(corpus)
        assert store.corpus() == corpus
        assert store.count_documents() == 4
        assert store.document("c") == corpus.document("c")

    def test_texts_come_back_exactly_however_hostile(self, store):
        corpus = Corpus([*HOSTILE, "word " * 250_000], metadata={"note": [*HOSTILE, "\0"]})
        store.add_documents(corpus)
        assert store.corpus() == corpus
        assert found(store, "moon") == {"1", "2"}

    def test_metadata_that_json_does_not_know_comes_back_as_text(self, store):
        values = [np.int64(3), datetime(2026, 1, 1), [1, {"a": None}], True]
        store.add_documents(Corpus(TEXTS, metadata={"m": values}))
        assert store.corpus().metadata["m"] == (3, "2026-01-01 00:00:00", [1, {"a": None}], True)

    def test_documents_are_added_all_or_none(self, store):
        store.add_documents(Corpus(TEXTS[:2], ids=IDS[:2]))
        with pytest.raises(DuplicateIdError, match="'b'"):
            store.add_documents(Corpus(TEXTS[:2], ids=["new", "b"]))
        for bad in ("", "a\0b", "\ud800", "x" * 501):
            with pytest.raises(InputError, match="the id of a document"):
                store.add_documents(Corpus(["text", "text"], ids=["fine", bad]))
        assert store.corpus().ids == ("a", "b")
        store.add_documents(Corpus(TEXTS[2:], ids=IDS[2:]))
        assert store.corpus().texts == tuple(TEXTS)

    def test_more_documents_than_one_statement_takes(self, store):
        corpus = Corpus([f"word{k} all" for k in range(1_234)])
        store.add_documents(corpus)
        assert store.corpus() == corpus
        assert found(store, "word1233 all") == {"1233"}

    def test_an_unknown_document_is_an_error(self, store):
        with pytest.raises(StoreError, match="no document has the id 'a'"):
            store.document("a")

    def test_an_empty_project_holds_nothing(self, store):
        assert (len(store.corpus()), store.count_documents(), store.count_acts()) == (0, 0, 0)
        assert (store.search("moon"), list(store.entries()), store.array_names()) == ([], [], [])
        assert (store.annotators(), store.settings()) == ([], {})
        assert store.arrays("none") is None
        assert store.snapshot("none") is None

    def test_counts_of_a_corpus_without_text_are_kept(self, store):
        bags = BagOfWords(("moon", "ship"), sparse.csr_matrix([[1, 0], [2, 3]]))
        store.add_documents(Corpus(["", ""], bags=bags))
        kept = store.corpus().bags
        assert kept.terms == bags.terms
        np.testing.assert_array_equal(kept.counts.toarray(), bags.counts.toarray())
        assert store.array_names() == []
        with pytest.raises(InputError, match="only be added to an empty project"):
            store.add_documents(Corpus(["", ""], ids=["x", "y"], bags=bags))

    # Search

    @pytest.mark.parametrize(
        ("query", "ids"),
        [
            ("moon", "ad"),
            ("MOON", "ad"),
            ("moon ship", "ad"),
            ("moon tax", ""),
            ('"the moon"', "a"),
            ('"ship moon"', "d"),
            ('"moon the"', ""),
            ("moon*", "abd"),
            ('"the sea" moonl*', "b"),
            ("ship-shape", "d"),
            ("*", ""),
            ("", ""),
            ('"', ""),
            ("moon AND ship", "a"),
            ("moon OR tax", ""),
        ],
    )
    def test_a_query_finds_the_documents_that_hold_its_words(self, store, query, ids):
        store.add_documents(Corpus(TEXTS, ids=IDS))
        assert found(store, query) == set(ids)

    def test_letters_of_all_scripts_are_searched(self, store):
        store.add_documents(Corpus(["Ménage à trois", "ЛУНА и море", "menage", "日本 語"]))
        assert found(store, "MÉNAGE") == {"0"}
        assert found(store, "луна") == {"1"}
        assert found(store, "日本") == {"3"}

    def test_an_excerpt_shows_the_first_word_found(self, store):
        store.add_documents(Corpus(["x " * 500 + "the MOON\nrises " + "y " * 500, "moon"], ids=["long", "short"]))
        shown = {hit.id: hit.excerpt for hit in store.search("moon")}
        assert shown["short"] == "moon"
        assert "the MOON rises y" in shown["long"]
        assert shown["long"].startswith("… x")
        assert len(shown["long"]) < 200

    def test_the_best_come_first_and_no_more_than_asked_for(self, store):
        store.add_documents(Corpus(["moon " + "sea " * 50, "moon moon moon", "sea"], ids=IDS[:3]))
        assert [hit.id for hit in store.search("moon")] == ["b", "a"]
        assert [hit.id for hit in store.search("moon", limit=1)] == ["b"]
        assert store.find("moon") == ["b", "a"]
        with pytest.raises(InputError, match="limit must be"):
            store.search("moon", limit=0)

    def test_all_documents_of_a_query_are_found_however_many(self, store):
        store.add_documents(Corpus(["moon and sun"] * 1_200 + ["sun"]))
        assert store.find("moon") == [str(k) for k in range(1_200)]
        assert len(store.find("sun")) == 1_201
        assert store.find("nowhere") == store.find("?!") == store.find("") == []

    @several_examples
    @given(query=QUERIES)
    def test_no_query_is_an_error(self, store, query):
        if not store.count_documents():
            store.add_documents(Corpus(TEXTS, ids=IDS))
        assert found(store, query) <= set(IDS)
        assert store.count_documents() == len(IDS)

    # Acts

    def test_acts_are_numbered_in_order_and_read_from_any_number_on(self, store):
        said = [entry(k) for k in range(1, 6)]
        assert [store.append(one) for one in said[:3]] == [1, 2, 3]
        assert store.append_all(said[3:]) == [4, 5]
        assert list(store.entries()) == list(enumerate(said, start=1))
        assert list(store.entries(after=3)) == [(4, said[3]), (5, said[4])]
        assert store.count_acts() == 5
        assert store.append_all([]) == []

    def test_an_act_sent_again_is_one_act(self, store):
        later = Entry(entry(1).act, "ada", WHEN + timedelta(seconds=9), "id 1")
        assert store.append(entry(1)) == store.append(entry(1)) == store.append(later) == 1
        assert store.append_all([entry(2), entry(1), entry(2), entry(3)]) == [2, 1, 2, 3]
        assert [one.act_id for _, one in store.entries()] == ["id 1", "id 2", "id 3"]
        assert next(store.entries())[1].when == WHEN

    def test_an_id_used_for_another_act_is_refused_with_all_that_came_with_it(self, store):
        store.append(entry(1))
        for other in (entry(1, Undo()), entry(1, annotator="bob")):
            with pytest.raises(InputError, match="'id 1' is that of another act"):
                store.append_all([entry(2), other])
        assert store.count_acts() == 1
        assert store.append(entry(3)) == 2

    @several_examples
    @given(entries=journals)
    def test_a_journal_read_back_folds_the_same(self, store, entries):
        start = store.count_acts()
        unique = [Entry(e.act, e.annotator, e.when, f"{start} {e.act_id}") for e in entries]
        store.append_all(unique)
        kept = [one for _, one in store.entries(after=start)]
        assert kept == unique
        assert Journal(kept).guidance == Journal(entries).guidance

    def test_more_acts_than_one_page_are_read(self, store):
        store.append_all([entry(k) for k in range(1, 5_202)])
        numbers = [number for number, _ in store.entries(after=100)]
        assert numbers == list(range(101, 5_202))

    def test_a_long_act_is_kept(self, store):
        act = Label([f"document {k}" for k in range(20_000)], ["x"])
        store.append(entry(1, act))
        assert next(store.entries())[1].act == act

    def test_threads_that_append_at_once_lose_nothing_and_leave_no_gap(self, store):
        def work(worker):
            # Every act is sent twice.
            return [store.append(entry(f"{worker} {k}")) for k in range(10) for _ in range(2)]

        with ThreadPoolExecutor(6) as pool:
            numbers = [number for told in pool.map(work, range(6)) for number in told]
        assert sorted(set(numbers)) == list(range(1, 61))
        assert [number for number, _ in store.entries()] == list(range(1, 61))

    def test_who_follows_the_acts_misses_none_while_others_append(self, store):
        seen, stop = [], threading.Event()

        def follow():
            while True:
                last = stop.is_set()
                seen.extend(number for number, _ in store.entries(after=seen[-1] if seen else 0))
                if last:
                    return

        reader = threading.Thread(target=follow)
        reader.start()
        try:
            with ThreadPoolExecutor(4) as pool:
                list(pool.map(lambda k: store.append(entry(k)), range(60)))
        finally:
            stop.set()
            reader.join()
        assert seen == list(range(1, 61))

    # Arrays, snapshots, annotators, settings

    def test_arrays_come_back_as_they_were_and_are_replaced(self, store):
        arrays = {
            "W": np.arange(6.0).reshape(2, 3),
            "f/32": np.float32([[1.5]]),
            "terms": np.array(["moon", "é"]),
            "file": np.array([], dtype=np.int8),
            "mask": np.array(True),
        }
        store.put_arrays("model", {"old": np.zeros(1)})
        store.put_arrays("model", arrays)
        kept = store.arrays("model")
        assert list(kept) == list(arrays)
        for name, array in arrays.items():
            assert kept[name].dtype == array.dtype
            np.testing.assert_array_equal(kept[name], array)
        store.put_arrays("a", {})
        assert store.array_names() == ["a", "model"]
        store.drop_arrays("model")
        store.drop_arrays("model")
        assert store.array_names() == ["a"]

    def test_objects_are_no_arrays(self, store):
        with pytest.raises(InputError, match="array 'x' must hold numbers or texts, got object"):
            store.put_arrays("model", {"x": np.array([{}])})
        with pytest.raises(InputError, match="kept for the counts"):
            store.put_arrays("corpus.bags", {})
        assert store.arrays("model") is None

    def test_snapshots_are_found_by_the_act_they_belong_to(self, store):
        for number in (3, 10, 7):
            store.put_snapshot("topics", number, {"at": number})
        store.put_snapshot("topics", 7, {"é\0": [1.5, None]})
        assert store.snapshot("topics") == (10, {"at": 10})
        assert store.snapshot("topics", at=9) == (7, {"é\0": [1.5, None]})
        assert store.snapshot("topics", at=2) is None
        assert store.snapshot("other") is None
        endless = []
        endless.append(endless)
        with pytest.raises(InputError, match="a snapshot cannot be kept as JSON"):
            store.put_snapshot("topics", 11, endless)

    def test_annotators_and_settings_replace_those_of_the_same_name(self, store):
        store.put_annotator(Annotator("bob"))
        store.put_annotator(Annotator("ada", {"token": "x"}))
        store.put_annotator(Annotator("bob", {"color": 3}))
        assert store.annotators() == [Annotator("ada", {"token": "x"}), Annotator("bob", {"color": 3})]
        store.put_settings({"k": 20, "name": "é"})
        store.put_settings({"k": [1, None]})
        assert store.settings() == {"k": [1, None], "name": "é"}
        with pytest.raises(InputError, match="the name of an annotator must not be empty"):
            store.put_annotator(Annotator(""))

    # Handing out

    def test_a_claimed_document_is_not_handed_to_another(self, store):
        assert store.claim("ada", IDS, now=NOW) == "a"
        assert store.claim("bob", IDS, now=NOW) == "b"
        assert store.claim("ada", IDS, now=NOW) == "a"
        assert store.claim("bob", ["a"], now=NOW) is None
        assert store.claim("bob", [], now=NOW) is None

    def test_a_claim_ends_by_itself_and_lasts_longer_when_asked_for_again(self, store):
        store.claim("ada", ["a"], now=NOW, seconds=60)
        store.claim("ada", ["a"], now=NOW + timedelta(seconds=50), seconds=60)
        assert store.claim("bob", ["a"], now=NOW + timedelta(seconds=100), seconds=60) is None
        assert store.claim("bob", ["a"], now=NOW + timedelta(seconds=110), seconds=60) == "a"
        assert store.claim("ada", ["a"], now=NOW + timedelta(seconds=120)) is None

    def test_a_settled_document_is_handed_to_nobody_again_until_it_is_released(self, store):
        late = NOW + timedelta(days=999)
        store.claim("ada", IDS, now=NOW)
        store.settle("ada", "a")
        store.settle("ada", "b")
        assert store.claim("ada", IDS, now=late) == "c"
        assert store.claim("bob", IDS, now=late) == "d"
        store.release("ada", "a")
        store.release("ada", "a")
        assert store.claim("bob", IDS, now=late) == "a"

    def test_double_coding_hands_a_document_to_as_many_as_asked_for(self, store):
        told = [store.claim(who, ["a", "b"], now=NOW, coders=2) for who in ("ada", "bob", "eve", "ada")]
        assert told == ["a", "a", "b", "a"]

    def test_who_has_dealt_with_a_document_does_not_keep_it_from_others(self, store):
        assert store.claim("ada", ["a", "b"], now=NOW) == "a"
        spoken = {"a": ["ada"]}
        told = [store.claim(who, ["a", "b"], now=NOW, spoken=spoken) for who in ("bob", "eve", "bob")]
        assert told == ["a", "b", "a"]

    def test_claims_are_checked(self, store):
        for bad in ({"seconds": 0}, {"coders": 0}):
            with pytest.raises(InputError, match="a claim is for some seconds and one coder or more"):
                store.claim("ada", IDS, now=NOW, **bad)
        with pytest.raises(InputError, match="a time with its zone"):
            store.claim("ada", IDS, now=datetime(2026, 1, 1))
        with pytest.raises(InputError, match="a list of ids, got the string 'a'"):
            store.claim("ada", "a", now=NOW)
        east = timezone(timedelta(hours=5))
        store.claim("ada", ["a"], now=NOW, seconds=60)
        assert store.claim("bob", ["a"], now=(NOW + timedelta(seconds=30)).astimezone(east)) is None

    def test_documents_are_claimed_once_by_many_at_once(self, store, again):
        ids = [f"d{k}" for k in range(40)]
        stores = [store, again()]

        def work(worker):
            own = []
            while (document := stores[worker % 2].claim(f"who {worker}", ids, now=NOW)) is not None:
                stores[worker % 2].settle(f"who {worker}", document)
                own.append(document)
            return own

        with ThreadPoolExecutor(6) as pool:
            told = [document for own in pool.map(work, range(6)) for document in own]
        assert sorted(told) == sorted(ids)

    # Opening again

    def test_all_is_there_when_the_project_is_opened_again(self, store, again):
        store.add_documents(Corpus(TEXTS, ids=IDS))
        store.append_all(sign([("ada", AddLabel("x", "X")), ("ada", Label(["a"], ["x"]))]))
        store.put_arrays("m", {"W": np.ones(3)})
        store.put_settings({"k": 1})
        store.claim("ada", IDS, now=NOW)
        other = again()
        assert other.corpus() == store.corpus()
        assert list(other.entries()) == list(store.entries())
        assert other.arrays("m")["W"].tolist() == [1, 1, 1]
        assert other.settings() == {"k": 1}
        assert found(other, "moon") == {"a", "d"}
        assert other.claim("bob", IDS, now=NOW) == "b"
