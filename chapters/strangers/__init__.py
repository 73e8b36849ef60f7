"""What chapter 12 and its record alone use."""
