"""What the page `what_else` alone uses."""
