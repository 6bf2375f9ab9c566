"""Topics and document weights from counts: scikit-learn estimators and what they share."""
