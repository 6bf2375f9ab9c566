"""Anchor words: topics from the words that occur in one topic only."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from wayword.corpus.vocabulary import Vocabulary
from wayword.errors import InputError, WaywordWarning, shorten
from wayword.kernels.threads import one_blas_thread
from wayword.matrix.cooccurrence import Cooccurrence
from wayword.models.anchor_finding import find_corners, hull_corners
from wayword.models.anchor_ground import AnchorGround, count_pairs
from wayword.models.anchor_recovery import (
    FREE,
    Penalty,
    Recovered,
    correlations_of,
    recover_by_divergence,
    recover_by_squares,
    recover_distributions_by_inversion,
    recover_with_dirichlet,
    topics_of,
)
from wayword.models.anchor_words import (
    Anchor,
    assign_categories,
    name_of,
    prior_mean,
    read_lexicon,
    vocabulary_of,
    warn_of_empty,
)
from wayword.models.document_topics import LEAST_ALPHA, Method, infer_topics
from wayword.models.inputs import check_choice, check_matrix, check_number, check_whole, undone_if_it_fails
from wayword.models.theme_scores import beyond_background, share_against
from wayword.models.word_space import WordSpace, make_sketch
from wayword.progress import Progress, ignore

RECOVERIES = ("kl", "l2", "inverse")
FINDERS = ("fast", "hull")
REGULARIZERS = (None, "l2", "beta")
# Single precision, two matrices.
_MOST_RECTIFIED = 16_000
# Linear programmes, one for each: 300 take about a minute.
_MOST_HULL = 300
# Beyond this, rounding would leave nothing of what documents say.
_STRONGEST = 1e9
# How much a penalty counts by default; that on topics less where there are many, for each has fewer words to lose.
_SQUARES_STRENGTH, _PRIOR_STRENGTH, _PRIOR_STRENGTH_OF_ALL = 0.1, 0.3, 6.0


def _usual_strength(kind: str | None, n_topics: int) -> float:
    return min(_PRIOR_STRENGTH, _PRIOR_STRENGTH_OF_ALL / n_topics) if kind == "beta" else _SQUARES_STRENGTH


@dataclass(frozen=True, slots=True)
class _Solved:
    """Topics of some anchors, before a model keeps them; as the attributes of `AnchorTopics` are."""

    components: np.ndarray
    correlation: np.ndarray
    shares: np.ndarray
    terms: Recovered
    categories: list[str | None] | None = None


class AnchorTopics(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Topics from anchor words, solved for from which terms occur together, without going through the documents again.

    A topic's anchor is a word, or a few, that occur in that topic only. Every other word's company is then a mixture
    of the company of the anchors; the shares of that mixture say how likely a word comes from each topic. Anchors are
    found, or given, or both; a change of anchors re-solves in moments.

    Parameters
    ----------
    n_components : int or None
        How many topics; None for as many as `anchors`.
    anchors : list, optional
        Anchors of the first topics: a word (or its column), or several words that together stand for one topic. If
        there are fewer than `n_components`, the others are found.
    recover : {"l2", "kl", "inverse"}
        How mixtures are fitted: by least squares, in moments; by least divergence, which looks at every entry and
        takes seconds; by inverting the anchors' block, which is exact without noise and poor with it.
    find : {"fast", "hull"}
        Farthest points one after the other; or the exact corners by linear programming, for up to 300 candidates: 100
        take seconds, 300 about a minute.
    regularizer : {None, "l2", "beta"}
        What a mixture's shares cost: their squared distance from zero, or from `prior`; or what a Dirichlet prior on
        the topics would have them cost, which takes common words off the top of topics and goes by divergence.
    strength : float, optional
        How much that counts; by default 0.1 for squares, and 0.3 for the Dirichlet prior or 6 / n_components, if that
        is less.
    prior : mapping of str to list of str, or array of shape (n_terms, n_components), optional
        Word lists by category, each of which goes to the anchor that it occurs with most; or the mean itself. Asks
        for squares.
    rectify : bool
        Whether to remove what sampling noise adds to the co-occurrence matrix before anything else. Takes a few
        seconds, and anchors then hardly depend on `min_df`.
    min_df : int or "auto"
        In how many documents a term must occur to be a candidate. By default in three percent of them, or in fewer
        if that leaves fewer than ten candidates for each topic.
    projection : int or None
        To how many dimensions rows are projected, at random, before anchors are looked for; None looks at whole rows.
    inference : {"cd", "em", "oneshot", "vb", "gibbs"}
        How `transform` finds the topics of a document, see `infer_topics`.
    alpha : float
        The Dirichlet prior of ``"vb"`` and ``"gibbs"``, and of ``"em"`` above one.
    tol : float
        Largest gap between a term's mixture and the best one: by least squares as a share of an anchor's squared
        length, by least divergence in nats. The rounds of the Dirichlet prior go to 0.001 nats, whatever is asked.
    terms : sequence of str or Vocabulary, optional
        Names of the columns, to give anchors and word lists as words. The names of a data frame's columns do as well.
    random_state : int, RandomState or None
        Seed of the projection.

    Attributes
    ----------
    anchors_ : list
        The column of each topic's anchor; a tuple of columns where it has several words.
    anchor_words_ : list or None
        The same as words, if the columns have names.
    components_ : array of shape (n_components, n_terms)
        The topics; rows sum to one.
    display_components_ : array of shape (n_components, n_terms)
        The same for people to read: what each term has in a topic beyond its share in all documents.
    term_topics_ : array of shape (n_terms, n_components)
        How likely each term comes from each topic; rows sum to one.
    topic_correlation_ : array of shape (n_components, n_components)
        How likely two words of a document come from topics k and l.
    topic_shares_ : array of shape (n_components,)
        How likely a word comes from each topic.
    candidates_ : int array
        The columns that could become anchors.
    categories_ : list of str or None
        The category of `prior` that each topic was given; None for those that were given none.
    gap_ : float
        How far any term's mixture is from the best one, at most, in the unit of `tol`; NaN if not measured.
    moves_ : array
        How far all shares moved in each round of the Dirichlet prior.
    n_components_ : int
        How many topics.

    Examples
    --------
    >>> from wayword import AnchorTopics
    >>> X = [[4, 2, 0, 0], [3, 2, 0, 0], [0, 0, 3, 3], [0, 0, 2, 4]]
    >>> model = AnchorTopics(2, rectify=False, terms=["apple", "pear", "ship", "sail"]).fit(X)
    >>> sorted(model.anchor_words_)
    ['pear', 'ship']
    >>> model.refit(anchors=["apple", "sail"]).components_.round(2)
    array([[0.63, 0.37, 0.  , 0.  ],
           [0.  , 0.  , 0.42, 0.58]])
    """

    def __init__(
        self,
        n_components: int | None = 10,
        *,
        anchors: Any = None,
        recover: Literal["l2", "kl", "inverse"] = "l2",
        find: Literal["fast", "hull"] = "fast",
        regularizer: Literal["l2", "beta"] | None = None,
        strength: float | None = None,
        prior: Any = None,
        rectify: bool = True,
        min_df: int | Literal["auto"] = "auto",
        projection: int | None = 1000,
        inference: Literal["cd", "em", "oneshot", "vb", "gibbs"] = "cd",
        alpha: float = 0.1,
        tol: float = 1e-14,
        terms: Any = None,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.anchors = anchors
        self.recover = recover
        self.find = find
        self.regularizer = regularizer
        self.strength = strength
        self.prior = prior
        self.rectify = rectify
        self.min_df = min_df
        self.projection = projection
        self.inference = inference
        self.alpha = alpha
        self.tol = tol
        self.terms = terms
        self.random_state = random_state

    @undone_if_it_fails
    def fit(self, X: Any, y: Any = None, *, progress: Progress = ignore) -> AnchorTopics:
        """Find topics.

        Parameters
        ----------
        X : matrix of shape (n_documents, n_terms), or Cooccurrence
            Counts of documents, or what has been counted of them.
        y : None
            Not used.
        progress : callable
            Told ``("terms", done, total)`` while pairs are counted, and ``("rounds", done, total)`` while rectified.
        """
        del y
        self._check_settings()
        self._solve(self._make_ground(self._count(X, progress)), progress)
        return self

    def _count(self, X: Any, progress: Progress) -> Cooccurrence:
        """Return what occurs together, and remember the columns."""
        if isinstance(X, Cooccurrence):
            self.n_features_in_ = X.n_terms
            if hasattr(self, "feature_names_in_"):  # of a fit before
                del self.feature_names_in_
            return X
        return count_pairs(self._read(X, reset=True), progress)

    def _read(self, X: Any, *, reset: bool = False) -> sparse.csr_matrix:
        """Return documents, checked."""
        if isinstance(X, Cooccurrence):
            raise InputError(
                "X must be the counts of documents, got a Cooccurrence, which no longer knows them; "
                "only AnchorTopics.fit takes one"
            )
        return check_matrix(self, X, reset=reset)

    def _make_ground(
        self, pairs: Cooccurrence, columns: np.ndarray | None = None, label_weight: float = 0.0
    ) -> AnchorGround:
        terms = getattr(self, "feature_names_in_", None) if self.terms is None else self.terms
        vocabulary = vocabulary_of(terms, pairs.n_terms)
        if pairs.n_documents == 0:
            raise InputError("no document has two words or more, so nothing occurs together; give longer documents")
        rectified = bool(self.rectify)
        if rectified and pairs.n_terms > _MOST_RECTIFIED:
            message = (
                f"{pairs.n_terms:,} terms are too many to rectify; going on without. Keep fewer, or set rectify=False"
            )
            warnings.warn(message, WaywordWarning, stacklevel=3)
            rectified = False
        return AnchorGround(pairs, vocabulary, self.min_df, rectified, columns, label_weight)

    def _solve(self, ground: AnchorGround, progress: Progress) -> None:
        """Find topics as the settings say, and keep them."""
        given = ground.read(self.anchors)
        n_topics = self._count_topics(len(given))
        self._solve_for(ground, given, n_topics, ground.make_space(n_topics, progress))

    def _count_topics(self, n_given: int) -> int:
        n_topics = n_given if self.n_components is None else self.n_components
        if n_given > n_topics:
            raise InputError(
                f"{n_given} anchors were given for {n_topics} topics; raise n_components, or set it to None"
            )
        if n_topics == 0:
            raise InputError("n_components is None and no anchor was given; set one of the two")
        return n_topics

    def _solve_for(
        self,
        ground: AnchorGround,
        given: list[Anchor],
        n_topics: int,
        space: WordSpace,
        start: np.ndarray | None = None,
    ) -> None:
        """Solve, and only then keep everything: what fails leaves the model as it was."""
        anchors = given + self._find(ground, space, given, n_topics - len(given))
        solved = self._recover(ground, space, anchors, start)
        self._ground, self._space, self.candidates_ = ground, space, ground.find_candidates(n_topics)
        self._keep(solved, anchors, ground.vocabulary)

    def _find(self, ground: AnchorGround, space: WordSpace, given: list[Anchor], n_wanted: int) -> list[Anchor]:
        """Return anchors beside those given."""
        names = [" + ".join(name_of(column, ground.vocabulary) for column in anchor) for anchor in given]
        if not n_wanted:
            corners = space.corners(given)
            find_corners(corners, 0, corners, names=names)  # an error if one is a mixture of others
            return []
        taken = [anchor[0] for anchor in given if len(anchor) == 1]
        candidates = np.setdiff1d(ground.find_candidates(len(given) + n_wanted), taken)
        if len(candidates) < n_wanted:
            raise InputError(
                f"cannot find {n_wanted} anchors among {len(candidates)} candidates; "
                f"lower n_components, the number of topics, or min_df (now {ground.min_df!r})"
            )
        if self.find == "hull":
            candidates = _on_hull(space, candidates, n_wanted)
        sketch = make_sketch(space.n_terms, self.projection, check_random_state(self.random_state))
        corners = space.project(space.corners(given), sketch) if given else None
        with one_blas_thread():
            points = space.project_terms(candidates, sketch)
            if sketch is not None and points.shape[1] + 1 < len(given) + n_wanted:
                raise InputError(
                    f"projection={self.projection} leaves {points.shape[1]} dimensions, which are too few to tell "
                    f"{len(given) + n_wanted} anchors apart; raise it, or set it to None"
                )
            found = find_corners(points, n_wanted, corners, names=names)
        return [(int(candidates[place]),) for place in found]

    def _recover(
        self, ground: AnchorGround, space: WordSpace, anchors: list[Anchor], start: np.ndarray | None
    ) -> _Solved:
        """Return the topics of some anchors."""
        if self.recover == "inverse":
            return self._invert(space, anchors)
        corners = space.corners(anchors)
        mean, categories = self._mean(ground, space, anchors, corners)
        found = self._mix(space, anchors, corners, mean, start)
        correlation = correlations_of(
            topics_of(found.shares, space.frequencies, anchors),
            space.frequencies @ found.shares,
            corners[:, : space.n_terms],
        )
        topic_shares = ground.frequencies @ found.shares
        warn_of_empty(topic_shares, anchors, ground.vocabulary)
        topics = topics_of(found.shares, ground.frequencies, anchors)
        return _Solved(topics, correlation, topic_shares, found, categories)

    def _keep(self, solved: _Solved, anchors: list[Anchor], names: Vocabulary | None) -> None:
        found = solved.terms
        self.components_, self.topic_correlation_ = solved.components, solved.correlation
        self.topic_shares_, self.categories_ = solved.shares, solved.categories
        self.term_topics_, self.gap_, self.moves_ = found.shares, found.gap, np.array(found.moves)
        self.anchors_ = [anchor[0] if len(anchor) == 1 else anchor for anchor in anchors]
        self.anchor_words_ = None
        if names is not None:
            words = [tuple(names[column] for column in anchor) for anchor in anchors]
            self.anchor_words_ = [word[0] if len(word) == 1 else word for word in words]
        self.n_components_ = len(anchors)

    def _invert(self, space: WordSpace, anchors: list[Anchor]) -> _Solved:
        if any(len(anchor) > 1 for anchor in anchors) or self.regularizer is not None or self.prior is not None:
            raise InputError(
                "recover='inverse' knows anchors of one word only, and no regularizer; use recover='l2' or 'kl'"
            )
        topics, correlation = recover_distributions_by_inversion(space, [anchor[0] for anchor in anchors])
        joint = topics.T * correlation.sum(axis=0)
        totals = joint.sum(axis=1, keepdims=True)
        shares = np.where(totals > 0, joint / np.where(totals > 0, totals, 1.0), 1.0 / len(anchors))
        topic_shares = joint.sum(axis=0) / max(float(joint.sum()), np.finfo(np.float64).tiny)
        return _Solved(topics, correlation, topic_shares, Recovered(shares, np.nan))

    def _mix(
        self,
        space: WordSpace,
        anchors: list[Anchor],
        corners: np.ndarray,
        mean: np.ndarray | float,
        start: np.ndarray | None,
    ) -> Recovered:
        """Return every term as a mixture of the anchors."""
        kind = "l2" if self.regularizer is None and self.prior is not None else self.regularizer
        strength = _usual_strength(kind, len(anchors)) if self.strength is None else float(self.strength)
        squares = Penalty(strength, mean) if kind == "l2" else FREE
        if self.recover == "l2" and kind != "beta":
            return recover_by_squares(space, corners, penalty=squares, settled=self.tol, start=start, anchors=anchors)
        # From shares that follow from the anchors alone, so that no solving before shows in the answer.
        near = recover_by_squares(space, corners, anchors=anchors).shares
        if kind == "beta":
            return recover_with_dirichlet(space, corners, strength, near)
        return recover_by_divergence(space, corners, penalty=squares, settled=self.tol, start=near)

    def _mean(
        self, ground: AnchorGround, space: WordSpace, anchors: list[Anchor], corners: np.ndarray
    ) -> tuple[np.ndarray | float, list[str | None] | None]:
        """Return what shares are drawn towards, and each topic's category."""
        if self.prior is None:
            return 0.0, None
        n_terms = space.n_terms
        if isinstance(self.prior, Mapping):
            lexicon = read_lexicon(self.prior, ground.vocabulary, ground.documents)
            names, categories = list(lexicon), list(lexicon.values())
            masses = np.array([space.frequencies[list(anchor)].sum() for anchor in anchors])
            assigned = assign_categories(corners[:, :n_terms] * masses[:, None], categories)
            return prior_mean(assigned, categories, n_terms), [None if at is None else names[at] for at in assigned]
        try:
            mean = np.asarray(self.prior, dtype=np.float64)
        except (TypeError, ValueError):
            mean = np.empty(0)
        if mean.shape != (n_terms, len(anchors)) or not np.isfinite(mean).all():
            raise InputError(
                f"prior must be word lists, or finite numbers of shape {(n_terms, len(anchors))}, got {shorten(self.prior)}"
            )
        return mean, None

    def refit(self, anchors: Any = None, *, n_components: int | None = None) -> AnchorTopics:
        """Solve again with other anchors, without going through the documents.

        Gives what a fresh fit with these anchors would, to within `tol`, whatever was solved before; if it fails, the
        model stays as it was. It follows `recover`, `find`, `regularizer`, `strength`, `prior`, `projection`, `tol` and
        `random_state` as they are set now. What `rectify`, `min_df`, `terms` and settings of labels say is kept from
        `fit`, and another number of topics rectifies again, which takes as long as it did in `fit`.

        Parameters
        ----------
        anchors : list, optional
            Anchors of the first topics, as for the class; by default those of now.
        n_components : int, optional
            How many topics; by default as many as now, or as anchors if there are more. Missing anchors are found.
        """
        check_is_fitted(self)
        if not hasattr(self, "_ground"):
            raise InputError("a model read from a file has no co-occurrence to solve again with; fit it first")
        self._check_settings()
        ground, n_before = self._ground, self.n_components_
        given = ground.read(self.anchors_ if anchors is None else anchors)
        wanted = max(len(given), n_before) if n_components is None else n_components
        check_whole("n_components", wanted)
        if wanted < len(given):
            kept = "those of now are kept unless anchors= gives others" if anchors is None else "give fewer"
            raise InputError(f"{len(given)} anchors are too many for {wanted} topics; {kept}")
        space = self._space if ground.looks_the_same(wanted, n_before) else ground.make_space(wanted)
        self._solve_for(ground, given, wanted, space, self.term_topics_ if wanted == n_before else None)
        return self

    @property
    def display_components_(self) -> np.ndarray:
        """How well each term stands for each topic, for people to read: what it has beyond its share in all documents.

        Array of shape (n_components, n_terms). Terms that all topics have alike are zero, but for a topic that has
        nothing else, which is shown as it is.
        """
        common = self.topic_shares_ @ self.components_
        beyond = beyond_background(self.components_, share_against(self.components_, common) * self.components_)
        return np.where(beyond.any(axis=1, keepdims=True), beyond, self.components_)

    def transform(self, X: Any, *, method: str | None = None) -> np.ndarray:
        """Return the share of each topic in each document.

        Parameters
        ----------
        X : matrix of shape (n_documents, n_terms)
        method : {"cd", "em", "oneshot", "vb", "gibbs"}, optional
            How shares are found; by default as `inference` says.

        Returns
        -------
        array of shape (n_documents, n_components)
            Rows sum to one; an empty document has the same share of every topic.
        """
        check_is_fitted(self)
        chosen = cast(Method, self.inference if method is None else method)
        check_choice("method", chosen, get_args(Method))
        return self._infer(self._read(X), chosen)

    def _infer(self, X: sparse.csr_matrix, method: Method) -> np.ndarray:
        # A term that was never seen says nothing about topics.
        seen = (self.components_ != 0).any(axis=0)
        return infer_topics(
            X,
            self.components_,
            method=method,
            alpha=self.alpha,
            term_topics=self.term_topics_ * seen[:, None] if method == "oneshot" else None,
            random_state=self.random_state,
        )

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def _check_settings(self) -> None:
        if self.n_components is not None:
            check_whole("n_components", self.n_components)
        check_choice("recover", self.recover, RECOVERIES)
        check_choice("find", self.find, FINDERS)
        check_choice("regularizer", self.regularizer, REGULARIZERS)
        check_choice("inference", self.inference, get_args(Method))
        check_choice("rectify", self.rectify, (True, False))
        if self.regularizer == "beta" and self.prior is not None:
            raise InputError("a prior needs regularizer='l2', got 'beta'")
        if self.strength is not None:
            check_number("strength", self.strength, most=_STRONGEST)
            if self.regularizer is None and self.prior is None:
                message = "strength counts for nothing without a regularizer or a prior; choose one, or leave it out"
                warnings.warn(message, WaywordWarning, stacklevel=3)
        if self.min_df != "auto":
            check_whole("min_df, where it is not 'auto',", self.min_df)
        if self.projection is not None:
            check_whole("projection", self.projection, least=2)
        check_number("alpha", self.alpha, least=LEAST_ALPHA)
        check_number("tol", self.tol)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags


def _on_hull(space: WordSpace, candidates: np.ndarray, n_wanted: int) -> np.ndarray:
    """Return the candidates that are corners of the hull of all of them."""
    if len(candidates) > _MOST_HULL:
        raise InputError(
            f"find='hull' is for up to {_MOST_HULL:,} candidates, got {len(candidates):,}; raise min_df, or use find='fast'"
        )
    corners = candidates[hull_corners(space.rows(candidates))]
    if len(corners) < n_wanted:
        raise InputError(
            f"the hull of {len(candidates)} candidates has only {len(corners)} corners, too few for {n_wanted} anchors; "
            "lower n_components"
        )
    return corners
