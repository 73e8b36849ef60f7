"""What chapter 5 and its record alone use."""
