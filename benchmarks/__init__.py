"""Claims about speed and memory, each measured against what a user would pick instead, side by side in one run."""
