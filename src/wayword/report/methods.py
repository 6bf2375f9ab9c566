"""Whom to cite for what a model and its report use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wayword.report.contents import Citation

_LINES = {
    "nmf": "Lee, D. D. and Seung, H. S. (1999). Learning the parts of objects by non-negative matrix factorization. Nature 401, 788–791.",
    "mu": "Lee, D. D. and Seung, H. S. (2001). Algorithms for non-negative matrix factorization. Advances in Neural Information Processing Systems 13, 556–562.",
    "extrapolation": "Ang, A. M. S. and Gillis, N. (2019). Accelerating nonnegative matrix factorization algorithms using extrapolation. Neural Computation 31(2), 417–439.",
    "nndsvd": "Boutsidis, C. and Gallopoulos, E. (2008). SVD based initialization: a head start for nonnegative matrix factorization. Pattern Recognition 41(4), 1350–1362.",
    "themes": "Suyunu, B. (2020). Theme supervised nonnegative matrix factorization for topic modeling. Master's thesis, Boğaziçi University.",
    "topic_supervised": "MacMillan, K. and Wilson, J. D. (2017). Topic supervised non-negative matrix factorization. arXiv:1706.05084.",
    "semi_supervised": "Lee, H., Yoo, J. and Choi, S. (2010). Semi-supervised nonnegative matrix factorization. IEEE Signal Processing Letters 17(1), 4–7.",
    "deep": "Trigeorgis, G., Bousmalis, K., Zafeiriou, S. and Schuller, B. (2014). A deep semi-NMF model for learning hidden representations. Proceedings of the 31st International Conference on Machine Learning, 1692–1700.",
    "cvb0": "Asuncion, A., Welling, M., Smyth, P. and Teh, Y. W. (2009). On smoothing and inference for topic models. Proceedings of the 25th Conference on Uncertainty in Artificial Intelligence, 27–34.",
    "dirichlet": "Minka, T. P. (2000). Estimating a Dirichlet distribution. Technical report, MIT.",
    "anchors": "Arora, S., Ge, R., Halpern, Y., Mimno, D., Moitra, A., Sontag, D., Wu, Y. and Zhu, M. (2013). A practical algorithm for topic modeling with provable guarantees. Proceedings of the 30th International Conference on Machine Learning, 280–288.",
    "rectify": "Lee, M., Bindel, D. and Mimno, D. (2015). Robust spectral inference for joint stochastic matrix factorization. Advances in Neural Information Processing Systems 28, 2710–2718.",
    "tandem": "Lund, J., Cook, C., Seppi, K. and Boyd-Graber, J. (2017). Tandem anchoring: a multiword anchor approach for interactive topic modeling. Proceedings of the 55th Annual Meeting of the Association for Computational Linguistics, 896–905.",
    "regularized": "Nguyen, T., Hu, Y. and Boyd-Graber, J. (2014). Anchors regularized: adding robustness and extensibility to scalable topic-modeling algorithms. Proceedings of the 52nd Annual Meeting of the Association for Computational Linguistics, 359–369.",
    "supervised_anchors": "Nguyen, T., Boyd-Graber, J., Lund, J., Seppi, K. and Ringger, E. (2015). Is your anchor going up or down? Fast and accurate supervised topic models. Proceedings of the 2015 Conference of the North American Chapter of the Association for Computational Linguistics, 746–755.",
    "ward": "Ward, J. H. (1963). Hierarchical grouping to optimize an objective function. Journal of the American Statistical Association 58(301), 236–244.",
    "scaling": "Torgerson, W. S. (1952). Multidimensional scaling: I. Theory and method. Psychometrika 17, 401–419.",
    "npmi": "Bouma, G. (2009). Normalized (pointwise) mutual information in collocation extraction. Proceedings of the Biennial GSCL Conference, 31–40.",
    "coherence": "Lau, J. H., Newman, D. and Baldwin, T. (2014). Machine reading tea leaves: automatically evaluating topic coherence and topic model quality. Proceedings of the 14th Conference of the European Chapter of the Association for Computational Linguistics, 530–539.",
    "diversity": "Dieng, A. B., Ruiz, F. J. R. and Blei, D. M. (2020). Topic modeling in embedding spaces. Transactions of the Association for Computational Linguistics 8, 439–453.",
    "calibration": "Naeini, M. P., Cooper, G. F. and Hauskrecht, M. (2015). Obtaining well calibrated probabilities using Bayesian binning. Proceedings of the 29th AAAI Conference on Artificial Intelligence, 2901–2907.",
}
# What stands beside a figure on the page, and what it is known for.
_OF_MEASURES = {
    "Coherence": (("normalised mutual information", "npmi"), ("coherence of topics", "coherence")),
    "Diversity": (("diversity of topics", "diversity"),),
    "Log rank accuracy": (("log rank accuracy", "themes"),),
    "Calibration error": (("calibration error", "calibration"),),
}
_FACTORISATIONS = {
    "NMF": (),
    "ThemeNMF": (("themes, subtopics, backgrounds and purity", "themes"),),
    "TopicSupervisedNMF": (("topics supervised by labels", "topic_supervised"),),
    "SemiSupervisedNMF": (("terms and labels factorised together", "semi_supervised"),),
}


def _of_factorisation(model: Any) -> Iterator[tuple[str, str]]:
    yield from _FACTORISATIONS[type(model).__name__]
    yield "non-negative matrix factorisation", "nmf"
    yield ("multiplicative updates", "mu") if model.solver == "mu" else ("extrapolated descent", "extrapolation")
    if model.init == "nndsvda":
        yield "start from singular vectors", "nndsvd"


def _of_anchors(model: Any) -> Iterator[tuple[str, str]]:
    if type(model).__name__ == "SupervisedAnchors":
        yield "labels beside words", "supervised_anchors"
    yield "anchor words", "anchors"
    if model.rectify:
        yield "rectified co-occurrence", "rectify"
    if any(isinstance(anchor, tuple | list) and len(anchor) > 1 for anchor in model.anchors_):
        yield "several words for one anchor", "tandem"
    if model.regularizer or model.prior is not None:
        yield "regularised recovery", "regularized"


def _of_model(model: Any) -> Iterator[tuple[str, str]]:
    kind = type(model).__name__
    if kind in _FACTORISATIONS:
        yield from _of_factorisation(model)
    elif hasattr(model, "anchors_"):
        yield from _of_anchors(model)
    elif kind == "TopicDiscovery":
        yield "division of counts (CVB0)", "cvb0"
        yield "priors that are learnt", "dirichlet"
        yield from (("start by factorisation", "nmf"), ("start from singular vectors", "nndsvd"))
    elif kind == "DeepSemiNMF":
        yield "layers of topics", "deep"


def list_citations(
    model: Any, measures: tuple[str, ...], *, grouped: bool, mapped: bool, version: str
) -> tuple[Citation, ...]:
    """Return whom to cite, each work once, for the model and for what stands on the page.

    Parameters
    ----------
    model : estimator
        The model.
    measures : tuple of str
        Names of the measures on the page.
    grouped, mapped : bool
        Whether similar topics were grouped, and whether there is a map.
    version : str
        That of Wayword.
    """
    used = list(_of_model(model))
    used += [("groups of similar topics", "ward")] * grouped
    used += [("map (classical multidimensional scaling)", "scaling")] * mapped
    for name in measures:
        used += _OF_MEASURES.get(name, ())
    purposes: dict[str, list[str]] = {}
    for what, key in used:
        purposes.setdefault(key, []).append(what)
    own = Citation("this report", f"Wayword {version}, topic modelling that a person steers.")
    return (own, *(Citation("; ".join(what), _LINES[key]) for key, what in purposes.items()))
