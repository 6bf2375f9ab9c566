"""Trees of topics: built, cut, named and written."""
