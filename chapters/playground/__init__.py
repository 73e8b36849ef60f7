"""What the page `playground` alone uses."""
