"""What chapter 9 and its record alone use."""
