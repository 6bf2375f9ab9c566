"""What was counted: documents by terms, terms by terms, and the weights of counts."""
