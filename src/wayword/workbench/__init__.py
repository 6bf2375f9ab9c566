"""Projects: everything that a person can do and see, as verbs."""
