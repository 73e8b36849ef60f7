"""What chapter 8 and its record alone use."""
