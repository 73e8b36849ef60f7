"""What the page `scorecard` alone uses."""
