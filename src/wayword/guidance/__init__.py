"""What a person wants of the topics: acts, the journal they are kept in, and what models make of them."""
