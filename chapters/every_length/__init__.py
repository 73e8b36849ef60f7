"""What chapter 11 and its record alone use."""
