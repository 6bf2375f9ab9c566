import numpy as np
import pytest

from wayword import NMF, Vectorizer, read_corpus
from wayword.hierarchy import build_tree, dendrogram_purity


@pytest.mark.data
def test_topics_of_newsgroups_of_one_kind_come_together_more_than_by_chance(data_path):
    rng = np.random.default_rng(0)
    corpus = list(read_corpus(data_path("20newsgroups.jsonl.gz")))
    documents = [corpus[place] for place in rng.permutation(len(corpus))[:2000]]
    X = Vectorizer(min_df=10, max_df=0.2).fit_transform([each.text.partition("\n\n")[2] for each in documents])
    kinds = np.array([each.labels[0].partition(".")[0] for each in documents])
    model = NMF(20)
    W = model.fit_transform(X)
    held = (W / np.maximum(W.sum(axis=1, keepdims=True), 1e-300)).T @ (kinds[:, None] == np.unique(kinds))
    for similarity in ("cosine", "contrast"):
        tree = build_tree(model, method="average", similarity=similarity)
        by_chance = [dendrogram_purity(tree, held[rng.permutation(20)]) for _ in range(50)]
        assert dendrogram_purity(tree, held) > max(by_chance)
