"""Where projects are kept: in memory, in a file, or in a database."""
