"""What chapter 6 and its record alone use."""
