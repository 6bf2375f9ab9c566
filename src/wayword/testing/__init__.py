"""Corpora whose topics are known, to test models with."""
