"""Figures: each a function from plain data to a plotly figure."""
