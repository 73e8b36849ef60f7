"""The figure of the note on whether there is a formula at all."""
