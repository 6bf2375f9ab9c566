"""One module for each version; never changed once released."""
