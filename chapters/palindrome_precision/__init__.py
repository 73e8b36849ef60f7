"""What chapter 7 and its record alone use."""
