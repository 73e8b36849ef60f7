"""What the page `provenance` alone uses."""
