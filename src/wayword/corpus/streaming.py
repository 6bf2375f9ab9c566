"""A corpus that stays where it is and is read a batch at a time, as often as needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from wayword.corpus.corpus import Corpus, Document

if TYPE_CHECKING:
    from wayword.corpus.description import CorpusInfo


class StreamedCorpus:
    """Documents of a source that is read anew on each pass and never held whole.

    Made by ``read_corpus(..., stream=True)``. Everything that takes a corpus and needs one pass over its
    documents takes a streamed one as well, with the same result.

    Parameters
    ----------
    open_batches : callable
        Starts a pass: returns an iterator of small corpora.
    source : str
        What is being read, for messages.
    """

    def __init__(self, open_batches: Callable[[], Iterator[Corpus]], source: str) -> None:
        self._open_batches = open_batches
        self.source = source

    def batches(self) -> Iterator[Corpus]:
        """Read the source once more and yield its documents, some at a time."""
        return self._open_batches()

    def __iter__(self) -> Iterator[Document]:
        for batch in self.batches():
            yield from batch

    def __repr__(self) -> str:
        return f"<StreamedCorpus of {self.source}>"

    def info(self) -> CorpusInfo:
        """Return counts, labels, lengths, languages and duplicates in one pass; see `CorpusInfo`."""
        from wayword.corpus.description import describe

        return describe(self)
