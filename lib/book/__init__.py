"""What the pages need: `results` (claims, rows, stored runs), `pages` made of them, figures, the
playground's data and its check in a browser, and the command that makes stored runs (`reproduce`).
"""
