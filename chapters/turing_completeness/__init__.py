"""What chapter 6, the page `few_vectors` and their record alone use."""
