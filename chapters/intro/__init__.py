"""What the page `intro` alone uses."""
