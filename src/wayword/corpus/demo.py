"""The built-in demo corpus: what numpy, scipy and scikit-learn say about themselves.

Documents are the docstrings of public functions and classes, read from the installed packages; a document's label is
the subpackage that owns it. Nothing is shipped and nothing is fetched.
"""

from __future__ import annotations

import importlib
import inspect
import re
import warnings
from collections.abc import Iterator
from functools import cache
from types import ModuleType
from typing import Any

from wayword.corpus.corpus import Corpus, Document
from wayword.progress import Progress, ignore

_SUBPACKAGES = {
    "numpy": ["", "char", "fft", "linalg", "ma", "polynomial", "random", "strings", "testing"],
    "scipy": [
        *("cluster", "constants", "fft", "fftpack", "integrate", "interpolate", "io", "linalg", "ndimage"),
        *("optimize", "signal", "sparse", "spatial", "special", "stats"),
    ],
    "sklearn": [
        *("calibration", "cluster", "compose", "covariance", "cross_decomposition", "datasets", "decomposition"),
        *("discriminant_analysis", "ensemble", "feature_extraction", "feature_selection", "gaussian_process"),
        *("impute", "inspection", "kernel_approximation", "linear_model", "manifold", "metrics", "mixture"),
        *("model_selection", "multiclass", "naive_bayes", "neighbors", "neural_network", "pipeline"),
        *("preprocessing", "random_projection", "semi_supervised", "svm", "tree", "utils"),
    ],
}
# Public modules below a subpackage, whose names are not in the subpackage's own list.
_DEEPER = [
    *("scipy.cluster.hierarchy", "scipy.cluster.vq", "scipy.sparse.csgraph", "scipy.sparse.linalg"),
    *("scipy.spatial.distance", "scipy.spatial.transform", "scipy.stats.contingency", "scipy.stats.mstats"),
    *("scipy.stats.qmc", "scipy.stats.sampling", "scipy.signal.windows", "scipy.linalg.lapack"),
    *("scipy.interpolate.interpnd", "scipy.io.matlab", "sklearn.feature_extraction.image"),
    *("sklearn.feature_extraction.text", "sklearn.metrics.cluster", "sklearn.metrics.pairwise"),
    *("sklearn.utils.extmath", "sklearn.utils.validation", "numpy.polynomial.polynomial"),
    *("numpy.polynomial.chebyshev", "numpy.polynomial.hermite", "numpy.polynomial.hermite_e"),
    *("numpy.polynomial.laguerre", "numpy.polynomial.legendre", "numpy.lib.stride_tricks"),
]
_PATHS = [
    *(f"{package}.{name}".rstrip(".") for package, names in _SUBPACKAGES.items() for name in names),
    *_DEEPER,
]
_LEAST_WORDS = 50
# There only once somebody has asked for experimental features: the corpus must not depend on that.
_EXPERIMENTAL = frozenset({"HalvingGridSearchCV", "HalvingRandomSearchCV", "IterativeImputer"})

# Names of modules that are no words of English: they tell the label and nothing else. Spelled out in every case,
# because ignoring case would make the search several times slower.
_MODULE_WORDS = (
    *("numpy", "NumPy", "Numpy", "NUMPY", "scipy", "SciPy", "Scipy", "SCIPY", "sklearn", "scikit-learn"),
    *("Scikit-learn", "scikit", "np", "sp", "linalg", "ndimage", "fftpack", "stats", "csgraph", "mstats", "qmc"),
)
_IMPORT = re.compile(r"^\s*(?:from\s+[\w.]+\s+import\b|import\s+[\w.]+).*$", re.MULTILINE)
_DOCTEST = re.compile(r"^[ \t]*>>>.*(?:\n[ \t]*\S.*)*", re.MULTILINE)
_DIRECTIVE = re.compile(r"^[ \t]*\.\. (?:currentmodule|module|plot|version\w+|deprecated)::.*$", re.MULTILINE)
# The same page of every function of a package about the arrays it takes.
_BOILERPLATE = re.compile(r"\*\*Array API Standard Support\*\*.*?for more information\.", re.DOTALL)
_ROLE = re.compile(r":(?:py:)?\w+:`~?\.?([^`<]*?)(?:\s*<[^>]*>)?`")
_ADDRESS = re.compile(r"(?:https?://|www\.|doi:)\S+|\bsphx_\w+(?:\.py)?|\bexamples/\S+")
# Sets that a docstring was made from at import: their order changes from one process to the next.
_SET = re.compile(r"``\{'[^`]*\}``")
_DOTTED = re.compile(r"\b(?:[a-z_]\w*\.)+(?=\w)")
_QUOTED = re.compile(r"`+([a-z_]+)`+")
_BARE = re.compile(rf"(?<![^\W_])(?:{'|'.join(_MODULE_WORDS)})(?![^\W_])")


@cache
def _module_names() -> frozenset[str]:
    """Return every name that can stand before a dot in the path of a module."""
    names = {name for names in _SUBPACKAGES.values() for name in names if name}
    return frozenset(names | {part for path in _DEEPER for part in path.split(".")} | {*_SUBPACKAGES, "np", "sp"})


def _drop_modules(path: re.Match[str]) -> str:
    """Return what is left of a dotted path before its last name: nothing, if it starts with a module."""
    return "" if path.group().split(".")[0] in _module_names() else path.group()


def _drop_name(quoted: re.Match[str]) -> str:
    """Return a name in back-ticks, unless it is that of a module."""
    return "" if quoted.group(1) in _module_names() else quoted.group()


def clean_docstring(text: str) -> str:
    """Return the prose of a docstring, without examples, addresses and names of modules."""
    for pattern in (_BOILERPLATE, _DOCTEST, _IMPORT, _DIRECTIVE, _SET):
        text = pattern.sub("", text)
    text = _ADDRESS.sub("", _ROLE.sub(r"\1", text))
    text = _BARE.sub("", _QUOTED.sub(_drop_name, _DOTTED.sub(_drop_modules, text)))
    return re.sub(r"\n{3,}", "\n\n", re.sub(r"[ \t]+", " ", text)).strip()


def _label(module: str) -> str:
    """Return the label of a module: its package and first subpackage."""
    return ".".join(module.split(".")[:2])


def _owns(module: ModuleType, value: Any) -> bool:
    """Whether `module` is where a function or class belongs, rather than one that passes it on."""
    if not callable(value) or inspect.ismodule(value):
        return False
    home = getattr(value, "__module__", None) or type(value).__module__
    if isinstance(home, str) and home.split(".")[0] == module.__name__.split(".")[0]:
        return _label(home) == _label(module.__name__) or home == _label(module.__name__)
    # Compiled functions may not say where they come from; then the list that names them decides.
    return getattr(value, "__module__", None) is None


def _import_modules() -> Iterator[ModuleType]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for path in _PATHS:
            try:
                yield importlib.import_module(path)
            except ImportError:
                continue  # not part of the installed version


def _public_values(module: ModuleType) -> Iterator[tuple[str, Any]]:
    for name in sorted(getattr(module, "__all__", ())):
        if name.startswith("_") or name in _EXPERIMENTAL:
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                yield name, getattr(module, name)
        except (AttributeError, ImportError):
            continue  # announced, but not to be had without more ado


def _documents(progress: Progress) -> Iterator[Document]:
    for number, module in enumerate(_import_modules()):
        progress("modules", number, len(_PATHS))
        for name, value in _public_values(module):
            if not _owns(module, value):
                continue
            text = clean_docstring(inspect.getdoc(value) or "")
            if len(text.split()) >= _LEAST_WORDS:
                package = module.__name__.split(".")[0]
                yield Document(f"{module.__name__}.{name}", text, (_label(module.__name__),), {"package": package})


_made: list[Corpus] = []


def demo_corpus(*, progress: Progress = ignore) -> Corpus:
    """Return the built-in corpus: docstrings of numpy, scipy and scikit-learn, labelled by subpackage.

    Each document is the docstring of one public function or class, taken from the module that owns it, without
    code, addresses and names of modules; texts of fewer than 50 words and repeats are left out. It is made once.

    Parameters
    ----------
    progress : callable
        Told ``("modules", done, total)`` while it is made.

    Examples
    --------
    >>> from wayword import demo_corpus
    >>> corpus = demo_corpus()
    >>> corpus.document("scipy.stats.linregress").labels
    ('scipy.stats',)
    """
    if not _made:
        documents: dict[str, Document] = {}
        for document in _documents(progress):
            documents.setdefault(document.text, document)
        _made.append(Corpus.from_documents(documents.values()))
    return _made[0]
