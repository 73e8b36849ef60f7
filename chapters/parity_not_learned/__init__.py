"""What the page `parity_not_learned` alone uses."""
