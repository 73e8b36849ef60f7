"""What chapter 4 and its record alone use."""
