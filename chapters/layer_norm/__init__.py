"""What chapter 3 and its record alone use."""
