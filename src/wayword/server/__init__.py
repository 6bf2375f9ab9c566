"""The workbench in a browser."""
