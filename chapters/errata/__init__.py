"""What the page `errata` alone uses."""
