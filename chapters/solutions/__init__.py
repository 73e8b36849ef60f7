"""What the page `solutions` alone uses."""
