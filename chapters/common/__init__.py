"""What several chapters and their runs need, and nobody else: it judges nothing."""
