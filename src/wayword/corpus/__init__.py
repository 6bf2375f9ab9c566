"""What was written: documents, the ways to read them, and the way from text to integer tokens."""
