"""What chapter 1 and its record alone use."""
