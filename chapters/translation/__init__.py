"""What the page `translation` alone uses."""
