"""How good: topics against labels."""
