"""The core of an open project: acts are kept before anybody is told that they are, and everything else follows them.

One lock guards the ledger. Guesses and topics follow in a thread of their own, longer work runs as jobs, and a third
thread looks for acts that other processes have kept in the same store.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self, cast

import numpy as np

from wayword.errors import InputError
from wayword.guidance.actions import Act, Entry, FreezeTopic, Redo, Skip, SplitTopic, Undo, Unlabel
from wayword.guidance.fields import check_id
from wayword.progress import Progress, ignore
from wayword.store.base import Store
from wayword.workbench.checking import Check, documents_of
from wayword.workbench.creating import Settings, find
from wayword.workbench.documents import Sight
from wayword.workbench.exchange import ExchangeFile
from wayword.workbench.ground import LAID_OUT, Ground, extend_ground, keep_ground
from wayword.workbench.jobs import Jobs
from wayword.workbench.keeping import find_quality, keep_quality
from wayword.workbench.ledger import Ledger, new_ids
from wayword.workbench.live import Live, LiveState, Settling, Told
from wayword.workbench.overview import make_label_id
from wayword.workbench.quality import measure_quality
from wayword.workbench.queue import Queue
from wayword.workbench.text import Reader
from wayword.workbench.themes import Themes, can_fit, find_themes, fit_themes, keep_themes
from wayword.workbench.topics import Coherences
from wayword.workbench.transfer import fresh_documents, read_arrival, read_journal, warn_of_texts
from wayword.workbench.views import ActView, ImportView, JobView, QualityView

Listener = Callable[[str, Any], None]
_LOG = logging.getLogger("wayword")
# Seconds between looks for acts that others have made, and without acts before themes are fitted by themselves.
_POLL, _IDLE = 1.0, 20.0
# How long a view waits for the newest guesses and topics before it shows those there are.
WAIT = 0.25
# Names of arrays that hold the terms of frozen topics, before the id of the act.
_FROZEN = "frozen/"


class Core:
    """An open project without what it shows: threads, acts, and what follows from them."""

    def __init__(self, store: Store, settings: Settings, ground: Ground) -> None:
        self.store, self._settings = store, settings
        self._lock, self._importing = threading.RLock(), threading.Lock()
        self._listeners: dict[int, Listener] = {}
        self._closing = threading.Event()
        self._ledger, self._settling = Ledger(store), Settling()
        self._frozen: dict[str, np.ndarray | None] = {}
        self._themes: Themes | None = find_themes(store)
        self._quality: QualityView | None = find_quality(store)
        self._last_act = time.monotonic()
        self._stand_on(ground)
        self._queue = Queue(store, settings.double_coding)
        self._jobs = Jobs(lambda view: self._announce("job", view))
        with self._lock:  # it asks at once, and what it is told may need it
            self._live = Live(ground, self._tell, lambda number: self._announce("topics", number))
        # Before somebody gives a topic a second anchor, what that needs is likely to be there.
        threading.Thread(target=self._prepare_words, name="wayword-words", daemon=True).start()
        self._live.wake(len(self._ledger))
        self._watch = threading.Thread(target=self._look_out, name="wayword-watch", daemon=True)
        self._watch.start()

    def _prepare_words(self) -> None:
        try:
            self._ground.topics.prepare()
        except RuntimeError:
            # A program that ends while this goes on takes its threads away; nobody will need it any more.
            if not self._closing.is_set():
                raise

    def _stand_on(self, ground: Ground) -> None:
        self._ground = ground
        self._reader, self._coherences = Reader(ground.vectorizer), Coherences(ground)

    def close(self) -> None:
        """End all threads and let go of the store."""
        if self._closing.is_set():
            return
        self._closing.set()
        self._watch.join()
        self._jobs.close()
        self._live.close()
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def url(self) -> str:
        """Where the project is kept."""
        return self.store.url

    @property
    def name(self) -> str:
        """What the project is called."""
        return self._settings.name

    @property
    def multilabel(self) -> bool:
        """Whether a document may have several labels."""
        return self._settings.multilabel

    # What happens by itself

    def _look_out(self) -> None:
        """Look for acts of other processes now and then, and fit themes when nobody has labelled for a while."""
        while not self._closing.wait(_POLL):
            try:
                self._follow_documents()
                with self._lock:
                    self._catch_up()
                    idle = time.monotonic() - self._last_act
                    fitted = -1 if self._themes is None else self._themes.number
                    due = idle > _IDLE and fitted < len(self._ledger) and can_fit(self._settled())
                if due:
                    self._last_act = time.monotonic()
                    self.fit()
            except Exception:
                # The next look may succeed; whoever asks for something is told by their own call.
                _LOG.exception("looking for acts of others failed")

    def _catch_up(self) -> None:
        """Take over acts of other processes."""
        if self._ledger.catch_up():
            self._moved()

    def _moved(self) -> None:
        """Let everything follow the newest act."""
        self._last_act = time.monotonic()
        self._live.wake(len(self._ledger))
        self._announce("acts", len(self._ledger))

    def _tell(self) -> Told:
        """Return what guesses and topics depend on."""
        with self._lock:
            return self._tell_of(self._ledger, self._settled())

    def _tell_of(self, ledger: Ledger, settled: Mapping[str, tuple[str, ...]]) -> Told:
        held = {topic: self._frozen_terms(ledger, act_id) for topic, act_id in ledger.frozen().items()}
        frozen = {topic: terms for topic, terms in held.items() if terms is not None}
        return Told(ledger.guidance, settled, frozen, self._settings.n_topics)

    def _settled(self) -> dict[str, tuple[str, ...]]:
        return self._settling.settled(self._ledger.guidance)

    def _frozen_terms(self, ledger: Ledger, act_id: str) -> np.ndarray | None:
        """Return the terms that an act has frozen; None if there was no such topic."""
        if act_id not in self._frozen:
            kept = self.store.arrays(f"{_FROZEN}{act_id}")
            # An act that came with a journal brings no terms.
            self._frozen[act_id] = self._find_terms(ledger, act_id) if kept is None else kept["terms"]
        return self._frozen[act_id]

    def _find_terms(self, ledger: Ledger, act_id: str) -> np.ndarray | None:
        """Return the terms of the topic that an act freezes, as they are after all acts before it; keep them."""
        number = ledger.number_of(act_id)
        topic = cast(FreezeTopic, ledger.journal.entry(number).act).topic
        before = ledger.at(number - 1)
        state = self._live.compute_at(self._tell_of(before, Settling().settled(before.guidance)))
        if topic not in state.ids:
            return None
        terms = state.topics.components[state.ids.index(topic)]
        self.store.put_arrays(f"{_FROZEN}{act_id}", {"terms": terms})
        return terms

    def _sight(self, wait: float | None = WAIT) -> Sight:
        """Return what is seen by now, having waited so long for the newest guesses."""
        with self._lock:
            self._catch_up()
            number = len(self._ledger)
        state = self._live.wait(number, wait)
        with self._lock:
            guidance = self._ledger.guidance
            return Sight(state, guidance, self._settling.resolutions(guidance), self._reader)

    # News

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call a function with each event, its kind and its value, until what is returned is called.

        Events are ``("acts", number)``, ``("topics", number)``, ``("quality", number)`` and ``("job", JobView)``.
        """
        with self._lock:
            key = max(self._listeners, default=0) + 1
            self._listeners[key] = listener

        def leave() -> None:
            with self._lock:
                self._listeners.pop(key, None)

        return leave

    def events(self, after: int = 0) -> list[tuple[str, Any]]:
        """Return what a listener who knows the state after an act has missed."""
        sight = self._sight(0.0)
        news: list[tuple[str, Any]] = []
        if sight.guidance.number > after:
            news.append(("acts", sight.guidance.number))
        if sight.state.number > after:
            news.append(("topics", sight.state.number))
        return news + [("job", view) for view in self.jobs() if view.status in ("waiting", "running")]

    def _announce(self, kind: str, value: Any) -> None:
        with self._lock:
            listeners = list(self._listeners.values())
        for listener in listeners:
            try:
                listener(kind, value)
            except Exception:
                # Whoever listens must not stop whoever labels.
                _LOG.exception("a listener failed")

    # What a person does

    def apply(self, acts: Act | Sequence[Act], *, annotator: str, act_ids: Sequence[str] | None = None) -> ActView:
        """Check acts, keep them, and let guesses and topics follow; what is returned from is kept.

        Parameters
        ----------
        acts : Act or sequence of Act
            What is said. Acts given together are one step: kept all or none, and taken back together.
        annotator : str
            Who says it.
        act_ids : sequence of str, optional
            An id for each act; a request that is sent again with the same ids adds nothing.
        """
        given = [acts] if isinstance(acts, Act) else list(acts)
        ids = self._check_ids(given, act_ids)
        check_id(annotator, "annotator")
        # Parts of a topic are chosen from its terms, so it must be there.
        state = self._live.wait(len(self._ledger) if any(isinstance(act, SplitTopic) for act in given) else 0, None)
        with self._lock:
            self._catch_up()
            entries = self._ledger.sign(given, annotator, ids)
            if not all(map(self._ledger.is_known, entries)):
                entries = self._prepare(given, annotator, ids, state)
            numbers = self._keep(entries)
            for act in given:
                if isinstance(act, Skip | Unlabel):
                    self._queue.drop(annotator, act.documents)
            return self._show_act(numbers, annotator)

    def _check_ids(self, acts: Sequence[Act], act_ids: Sequence[str] | None) -> list[str]:
        if not acts or not all(isinstance(act, Act) for act in acts):
            raise InputError(f"expected an act or several, got {acts!r}; see wayword.guidance.actions")
        if act_ids is None:
            return new_ids(len(acts))
        if len(act_ids) != len(acts) or len(set(act_ids)) != len(acts):
            raise InputError(f"{len(acts)} acts need as many different ids, got {len(act_ids)}; give one for each")
        return list(act_ids)

    def _prepare(self, acts: Sequence[Act], annotator: str, ids: Sequence[str], state: LiveState) -> list[Entry]:
        """Return entries of acts that were checked and completed."""
        check = Check(self._ground, self._ledger.guidance, state, self._settings.multilabel)
        complete = list(check.complete(acts))
        own = [f"{ids[place]} {what}".strip() for place, what, _ in complete]
        entries = self._ledger.sign([act for _, _, act in complete], annotator, own)
        self._keep_frozen(entries)
        return entries

    def _keep_frozen(self, entries: Sequence[Entry]) -> None:
        """Keep the terms of topics that are to be frozen, before the acts are."""
        for place, entry in enumerate(entries):
            if not isinstance(entry.act, FreezeTopic) or not entry.act.frozen:
                continue
            ledger = self._ledger.followed_by(entries[: place + 1])
            self._frozen[entry.act_id] = self._find_terms(ledger, entry.act_id)
            if self._frozen[entry.act_id] is None and not ledger.reason_of(entry.act_id):
                raise InputError(
                    f"the topic {entry.act.topic!r} has no terms that could be frozen; give it an anchor that is not banned"
                )

    def _keep(self, entries: Sequence[Entry]) -> list[int]:
        before = len(self._ledger)
        numbers = self._ledger.append(entries)
        if len(self._ledger) > before:
            self._moved()
        return numbers

    def _show_act(self, numbers: Sequence[int], annotator: str, undone: Sequence[str] = ()) -> ActView:
        journal = self._ledger.journal
        outcomes = [journal.outcome(number) for number in numbers]
        reasons = [outcome.reason for outcome in outcomes if outcome.reason]
        return ActView(
            number=max(numbers),
            in_force=all(outcome.in_force or outcome.target is not None for outcome in outcomes),
            reason=reasons[0] if reasons else "",
            can_undo=journal.can_undo(annotator),
            can_redo=journal.can_redo(annotator),
            undone=list(undone),
        )

    def undo(self, annotator: str, *, act_id: str | None = None, number: int | None = None) -> ActView:
        """Take back an annotator's last step.

        Parameters
        ----------
        annotator : str
            Who takes back.
        act_id : str, optional
            An id for it; a request that is sent again with the same id takes back nothing more.
        number : int, optional
            The last act of the step that is meant; if something came after it, nothing is taken back.
        """
        return self._go(Undo, annotator, act_id, number)

    def redo(self, annotator: str, *, act_id: str | None = None) -> ActView:
        """Put back what an annotator's last undo took back; see `undo`."""
        return self._go(Redo, annotator, act_id)

    def _go(self, kind: type[Undo | Redo], annotator: str, act_id: str | None, number: int | None = None) -> ActView:
        check_id(annotator, "annotator")
        with self._lock:
            self._catch_up()
            before = len(self._ledger)
            numbers = self._ledger.move(kind, annotator, act_id, number)
            acts = [self._ledger.journal.entry(target).act for target in self._ledger.targets(numbers)]
            documents = dict.fromkeys(document for act in acts for document in documents_of(act))
            if len(self._ledger) > before:
                self._moved()
                if len(documents) == 1:
                    self._queue.prefer(annotator, next(iter(documents)))
            return self._show_act(numbers, annotator, list(documents))

    def make_label_id(self, name: str) -> str:
        """Return a readable id for a new label, which no label has or had."""
        with self._lock:
            return make_label_id(name, self._ledger.guidance.label_set)

    # Work in the background

    def fit(self) -> JobView:
        """Fit themes to the labels as they are, in the background."""
        with self._lock:
            guidance, settled = self._ledger.guidance, self._settled()
            ground = self._ground
        if not can_fit(settled):
            raise InputError("themes need documents of two labels; label some more")
        names = {record.id: record.name for record in guidance.live_labels()}

        def work(progress: Progress) -> None:
            themes = fit_themes(ground, settled, names, guidance.number, progress)
            keep_themes(self.store, themes)
            self._themes = themes
            self._announce("topics", self._live.wait(0, None).number)

        return self._jobs.start("themes", guidance.number, work)

    def jobs(self) -> list[JobView]:
        """Return work in the background, the newest first."""
        return self._jobs.views()

    def cancel(self, id: str) -> None:
        """Stop a job."""
        self._jobs.cancel(id)

    def _start_measuring(self) -> JobView:
        """Measure quality in the background."""
        with self._lock:
            told, ground = self._tell(), self._ground
        number = told.guidance.number

        def work(progress: Progress) -> None:
            state = self._live.wait(number, None)
            found = measure_quality(
                ground,
                told.guidance,
                state,
                refresh=lambda chances: self._live.topics_with(told, chances),
                progress=progress,
            )
            keep_quality(self.store, found)
            self._quality = found
            self._announce("quality", number)

        return self._jobs.start("quality", number, work)

    # What comes in

    def _take_in(self, file: ExchangeFile, source: str, annotator: str, progress: Progress) -> ImportView:
        """Keep what a file brings: documents first, then acts, in one step."""
        with self._importing:
            if self.store.count_documents() > self._ground.n_documents:
                # Whoever added documents was stopped before all was laid out, or is not there yet.
                self._grow(progress)
            warnings = warn_of_texts(file, self._ground.corpus, self._ground.rows)
            fresh = fresh_documents(file, self._ground.rows)
            if fresh is not None:
                self.store.add_documents(fresh)
                self._grow(progress)
            with self._lock:
                self._catch_up()
                view = self._take_over(file, source, annotator, 0 if fresh is None else len(fresh))
            return replace(view, warnings=[*view.warnings, *warnings])

    def _take_over(self, file: ExchangeFile, source: str, annotator: str, n_documents: int) -> ImportView:
        """Keep labels, flags and comments."""
        arrival = read_arrival(file, self._ledger.guidance, self._ground.rows, source=source, annotator=annotator)
        warnings = list(file.warnings)
        if arrival.several and not self._settings.multilabel:
            warnings.append("documents have several labels; from now on they may in this project")
            self._settings = replace(self._settings, multilabel=True)
            self.store.put_settings({"multilabel": True})
        numbers: list[int] = []
        if arrival.acts:
            numbers = self._keep(self._ledger.sign(arrival.acts, annotator, new_ids(len(arrival.acts))))
        return ImportView(
            number=max(numbers, default=len(self._ledger)),
            n_documents=n_documents,
            n_labelled=arrival.n_labelled,
            new_labels=arrival.new_labels,
            unknown=arrival.unknown,
            warnings=warnings,
            can_undo=bool(arrival.acts),
        )

    def _grow(self, progress: Progress = ignore) -> None:
        """Lay out documents that were added; people go on labelling the others meanwhile."""
        ground = extend_ground(self._ground, self.store.corpus(), n_topics=self._settings.n_topics, progress=progress)
        keep_ground(self.store, ground)
        self._change_ground(ground)

    def _change_ground(self, ground: Ground) -> None:
        with self._lock:
            self._stand_on(ground)
            self._live.replace_ground(ground)
            self._moved()

    def _follow_documents(self) -> None:
        """Take over documents that another process has added and laid out."""
        laid_out = self.store.settings().get(LAID_OUT, 0)
        if laid_out > self._ground.n_documents and self._importing.acquire(blocking=False):
            try:
                self._settings, ground = find(self.store, progress=ignore)
                self._change_ground(ground)
            finally:
                self._importing.release()

    def _import_journal(self, source: str | Path | bytes) -> ImportView:
        """Keep the acts of a journal that are not there yet, as they are."""
        entries = read_journal(source)
        with self._lock:
            self._catch_up()
            for entry in entries:
                self._ground.lookup.check(entry.act)
            before = len(self._settled())
            labels = {record.id for record in self._ledger.guidance.live_labels()}
            self._keep(entries)
            new = [record.name for record in self._ledger.guidance.live_labels() if record.id not in labels]
            return ImportView(len(self._ledger), 0, len(self._settled()) - before, new, [], [])
