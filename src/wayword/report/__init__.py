"""One page about a fitted model that needs nothing beside it."""
