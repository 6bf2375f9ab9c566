"""Arithmetic: arrays and numbers in, arrays and numbers out. Numba lives only here."""
