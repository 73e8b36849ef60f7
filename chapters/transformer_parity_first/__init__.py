"""What chapter 2 and its record alone use."""
