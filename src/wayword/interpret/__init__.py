"""Words again: what the numbers of models and counts say about terms and documents."""
