"""Fit themes: apart or together, under either loss, with or without the help of unlabelled documents.

A theme has a few subtopics that nobody labelled; a background, open to every document, holds what is common (Suyunu,
chapter 3). *Separated* themes are fitted one by one against a background of their own, *combined* ones all together
with one. New topics are the subtopics of one more theme, which only unlabelled documents may use.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy import sparse

from wayword.kernels.factor import Limits
from wayword.models.alternate import Loss, Problem, factorize
from wayword.models.bcool import start_themes
from wayword.models.folding import fold_in
from wayword.models.theme_blocks import Descent, Membership, fit_separated
from wayword.models.theme_scores import normalise_rows

Mode = Literal["separated", "combined"]
# What every topic gets of all terms when a fit goes on with other documents.
_LITTLE = 0.05


@dataclass(frozen=True, slots=True)
class Plan:
    """How themes are to be fitted.

    Attributes
    ----------
    mode : {"separated", "combined"}
        One by one, or all together.
    loss : {"kl", "frobenius"}
        Divergence or squared distance.
    n_subtopics, n_new_topics : int
        Subtopics of each theme, and new topics.
    background : bool
        Whether there is a background.
    init : str
        Where to start.
    descent : Descent
        How to go down.
    seed : int
        Draws what the start leaves to chance.
    """

    mode: Mode
    loss: Loss
    n_subtopics: int
    n_new_topics: int
    background: bool
    init: str
    descent: Descent
    seed: int


@dataclass(frozen=True, slots=True)
class Themes:
    """Themes that were fitted, topics as the fit scaled them.

    Attributes
    ----------
    subtopics : array of shape (n_themes, n_subtopics, n_terms)
    background : array of shape (n_themes, n_terms), of shape (1, n_terms) if combined, or None
    new_topics : array of shape (n_new_topics, n_terms)
    new_background : array of shape (n_terms,) or None
        The background against which new topics were fitted.
    paths : list of arrays
        Objectives at the start and after each iteration: of each theme, or of all together.
    """

    subtopics: np.ndarray
    background: np.ndarray | None
    new_topics: np.ndarray
    new_background: np.ndarray | None
    paths: list[np.ndarray]


def _with_new_theme(membership: Membership, unlabelled: np.ndarray) -> Membership:
    """Add a theme of its own for new topics, which every unlabelled document may use."""
    may = unlabelled > 0
    row = np.where(membership.weights > 0, membership.weights, unlabelled) * may
    return Membership(sparse.csr_matrix(row[None]), np.where(may, row, membership.weights), may[:, None])


def _start(
    X: sparse.csr_matrix, groups: list[np.ndarray], weights: np.ndarray, sizes: list[int], plan: Plan
) -> tuple[list[np.ndarray], np.ndarray]:
    rng, keep_zeros = np.random.RandomState(plan.seed), not plan.descent.newton
    return start_themes(X, groups, np.flatnonzero(weights > 0), sizes, plan.init, rng, keep_zeros=keep_zeros)


def _go_on_from(before: Themes, X: sparse.csr_matrix, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the subtopics of each theme and the backgrounds to go on from; every term has a little of all."""
    shares = weights @ X
    little = _LITTLE * shares / max(shares.sum(), np.finfo(np.float64).tiny)
    background = np.zeros((1, X.shape[1])) if before.background is None else before.background
    return normalise_rows(before.subtopics) + little, normalise_rows(background) + little


def _new_theme_of(before: Themes) -> Themes:
    """Return the new topics as the subtopics of a theme, the only one."""
    background = None if before.new_background is None else before.new_background[None]
    return replace(before, subtopics=before.new_topics[None], background=background)


def _fit_apart(
    X: sparse.csr_matrix, membership: Membership, n_subtopics: int, plan: Plan, before: Themes | None = None
) -> tuple[np.ndarray, list]:
    """Return topics of each theme, (n_themes, n_subtopics + 1, n_terms), and the paths of their objectives."""
    members = membership.members
    if before is None:
        sizes = [n_subtopics] * members.shape[0]
        subtopics, background = _start(X, membership.groups, membership.weights, sizes, plan)
        starts = [np.vstack([theme, background]) for theme in subtopics]
    else:
        subtopics, backgrounds = _go_on_from(before, X, membership.weights)
        starts = [np.vstack([theme, background]) for theme, background in zip(subtopics, backgrounds, strict=True)]
    if plan.loss == "kl":
        rng = None if plan.descent.newton else np.random.RandomState(plan.seed)
        found = fit_separated(X, membership, starts, plan.descent, rng)
        return found.topics, [path[~np.isnan(path)] for path in found.paths]
    topics, paths = [], []
    for theme, start in enumerate(starts):
        allowed = np.ones((X.shape[0], n_subtopics + 1), dtype=bool)
        allowed[:, :-1] = members[theme].toarray().T > 0
        H, path = _factorize(X, allowed, membership.weights, start, plan)
        topics.append(H)
        paths.append(path)
    return np.stack(topics), paths


def _factorize(
    X: sparse.csr_matrix, allowed: np.ndarray, weights: np.ndarray, start: np.ndarray, plan: Plan
) -> tuple[np.ndarray, np.ndarray]:
    """Return the topics of documents that may each use some, and the path of the objective."""
    used = weights > 0
    X, allowed, weights = X[used], allowed[used], weights[used]
    limits, in_start = Limits(mask=allowed), Limits()
    if plan.descent.newton:
        W = fold_in(X, start, plan.loss, limits)
    else:
        # Zeros stay, so they are no reason to go on.
        in_start = Limits(mask=np.ascontiguousarray(start.T > 0.0))
        W = np.random.RandomState(plan.seed).uniform(size=allowed.shape).astype(X.dtype)
    problem = Problem.of(
        X, loss=plan.loss, newton=plan.descent.newton, weights=weights, limits_W=limits, limits_H=in_start
    )
    found = factorize(
        problem,
        W,
        np.ascontiguousarray(start.T, dtype=X.dtype),
        max_iter=plan.descent.max_iter,
        tol=plan.descent.tol,
        extrapolate=plan.descent.newton,
    )
    return np.ascontiguousarray(found.H.T), np.array(found.path)


def _fit_together(
    X: sparse.csr_matrix, membership: Membership, unlabelled: np.ndarray, plan: Plan, before: Themes | None
) -> Themes:
    """Fit all themes, new topics and one background in one factorisation."""
    members, weights = membership.members, membership.weights
    n_themes, n_subtopics = members.shape[0], plan.n_subtopics
    sizes, groups = [n_subtopics] * n_themes, membership.groups
    if plan.n_new_topics:
        groups.append(np.flatnonzero(unlabelled > 0))
        new = _with_new_theme(membership, unlabelled)
        members, weights = sparse.csr_matrix(sparse.vstack([members, new.members])), new.weights
        sizes.append(plan.n_new_topics)
    subtopics, background = _start(X, groups, weights, sizes, plan)
    if before is not None:
        gone_on, (background,) = _go_on_from(before, X, weights)
        subtopics[:n_themes] = list(gone_on)
        if plan.n_new_topics:
            subtopics[n_themes] = _go_on_from(_new_theme_of(before), X, weights)[0][0]
    start = np.vstack([*subtopics, background[None]] if plan.background else subtopics)
    allowed = np.repeat(members.toarray().T > 0, sizes, axis=1)
    if plan.background:
        allowed = np.hstack([allowed, np.ones((X.shape[0], 1), dtype=bool)])
    H, path = _factorize(X, allowed, weights, start, plan)
    border = n_themes * n_subtopics
    return Themes(
        H[:border].reshape(n_themes, n_subtopics, X.shape[1]),
        H[-1:] if plan.background else None,
        H[border : border + plan.n_new_topics],
        H[-1] if plan.background else None,
        [path],
    )


def fit_themes(
    X: sparse.csr_matrix,
    membership: Membership,
    unlabelled: np.ndarray,
    plan: Plan,
    before: Themes | None = None,
) -> Themes:
    """Fit themes and new topics.

    Parameters
    ----------
    X : sparse matrix of shape (n_documents, n_terms)
        The documents.
    membership : Membership
        The documents that may use each theme, and how much they count.
    unlabelled : array of shape (n_documents,)
        How much each document counts that may use new topics, unless membership says it; zero for the others.
    plan : Plan
        How to fit.
    before : Themes, optional
        Themes to go on from, rather than a start.
    """
    if plan.mode == "combined":
        return _fit_together(X, membership, unlabelled, plan, before)
    topics, paths = np.zeros((0, plan.n_subtopics + 1, X.shape[1]), dtype=X.dtype), []
    if membership.members.shape[0]:
        topics, paths = _fit_apart(X, membership, plan.n_subtopics, plan, before)
    themes = Themes(topics[:, :-1], topics[:, -1], np.zeros((0, X.shape[1]), dtype=topics.dtype), None, paths)
    if not plan.n_new_topics:
        return themes
    gone_on = None if before is None else _new_theme_of(before)
    new, path = _fit_apart(X, _with_new_theme(membership, unlabelled), plan.n_new_topics, plan, gone_on)
    return replace(themes, new_topics=new[0, :-1], new_background=new[0, -1], paths=[*paths, *path])
