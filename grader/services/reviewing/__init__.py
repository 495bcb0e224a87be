"""What staff do with graded work, and what students may ask of them: one module for each."""
